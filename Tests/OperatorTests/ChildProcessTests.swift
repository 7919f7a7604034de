import Operator
import Testing

@Suite struct ChildProcessTests {
    @Test func anExitCodeIsReported() throws {
        let child = try ChildProcess.start(.init("/bin/sh", ["-c", "exit 7"]))
        #expect(child.wait(for: .seconds(20)) == .exited(7))
    }
}
