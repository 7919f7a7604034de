import FoundationEssentials
import Glibc
import Operator
import TestSupport
import Testing

@Suite struct ChildProcessTests {
    private func shell(_ script: String) -> ChildProcess.Plan {
        ChildProcess.Plan("/bin/sh", ["-c", script])
    }

    /// Runs to the end and returns what was written.
    private func output(of plan: ChildProcess.Plan) throws -> String {
        let file = "/tmp/holdfast-child-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        var plan = plan
        plan.output = .file(file)
        let child = try ChildProcess.start(plan)
        #expect(child.wait(for: .seconds(60)) == .exited(0))
        return String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
    }

    @Test func anExitCodeIsReported() throws {
        let child = try ChildProcess.start(shell("exit 7"))
        #expect(child.wait(for: .seconds(60)) == .exited(7))
        #expect(child.ended == .exited(7))
        #expect(child.wait(for: .zero) == .exited(7))
    }

    @Test func aProgramThatIsNotThereIsAnError() throws {
        let error = #expect(throws: ChildProcess.Failure.self) {
            _ = try ChildProcess.start(ChildProcess.Plan("/nowhere/program"))
        }
        #expect(error?.message.contains("/nowhere/program") == true)
    }

    @Test func argumentsAndEnvironmentArriveAsTheyAre() throws {
        var plan = ChildProcess.Plan(
            "/bin/sh", ["-c", "printf '%s|' \"$@\"; env", "sh", "a b", "$x", "'"])
        plan.environment = ["ONE": "1 = 1", "PATH": "/usr/bin:/bin"]
        let text = try output(of: plan)
        #expect(text.hasPrefix("a b|$x|'|"))
        #expect(text.contains("ONE=1 = 1\n"))
        #expect(!text.contains("HOME="))
    }

    @Test func bothOutputsGoToTheFile() throws {
        #expect(try output(of: shell("echo out; echo err >&2")) == "out\nerr\n")
    }

    @Test func nothingButTheThreeStandardFilesIsInherited() throws {
        let leaked = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        #expect(leaked.count > 3)
        let text = try output(of: shell("for f in /proc/self/fd/*; do echo \"${f##*/}\"; done"))
        let descriptors = text.split(separator: "\n").compactMap { Int($0) }
        // The shell opens one to look.
        #expect(descriptors.filter { $0 > 2 }.count <= 1)
    }

    @Test func aChildThatObeysIsEndedByTheSignal() throws {
        let child = try ChildProcess.start(shell("exec sleep 600"))
        #expect(child.terminate(within: .seconds(60)) == .killed(signal: SIGTERM))
        child.send(.kill)
    }

    @Test func aChildThatDoesNotObeyIsKilled() throws {
        let file = "/tmp/holdfast-child-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        var plan = shell("trap '' TERM; echo ready; while :; do sleep 600; done")
        plan.output = .file(file)
        let child = try ChildProcess.start(plan)
        #expect(becomesTrue { FileManager.default.contents(atPath: file)?.isEmpty == false })
        #expect(child.terminate(within: .milliseconds(100)) == .killed(signal: SIGKILL))
    }

    @Test func waitingEndsAtItsLimit() throws {
        let child = try ChildProcess.start(shell("exec sleep 600"))
        defer { child.terminate(.kill, within: .seconds(10)) }
        #expect(child.wait(for: .milliseconds(20)) == nil)
        #expect(child.ended == nil)
    }

    /// The child is started from a short-lived thread: its end must not be taken for ours.
    @Test func aChildOutlivesTheThreadThatAskedForIt() throws {
        let child = try ParallelWork { try ChildProcess.start(shell("sleep 0.3; exit 3")) }.value()
        #expect(child.wait(for: .seconds(60)) == .exited(3))
    }
}
