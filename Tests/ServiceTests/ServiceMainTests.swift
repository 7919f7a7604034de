// What every program does before and after its work: help, refusals, start and stop.

import Foundation
import HTTPClient
import Service
import Synchronization
import Testing

@Suite struct `A program that does not start` {
    final class Texts: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { texts.withLock { $0 } }
        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    let output = Texts()
    let errors = Texts()

    func run(_ arguments: [String], _ environment: [String: String] = [:]) -> Int32 {
        let table = [
            Setting("HOLDFAST_PORT", "where to listen", default: "8080"),
            Setting("HOLDFAST_KEY_FILE", "the key", isSecretFile: true),
        ]
        return ServiceMain.run(
            name: "test", version: "1.0", table: table, arguments: arguments,
            environment: environment, output: { output.add($0) },
            sink: { errors.add(String(decoding: $0, as: UTF8.self)) },
            read: { ($0.port("HOLDFAST_PORT"), $0.secretFile("HOLDFAST_KEY_FILE")) },
            body: { _, _ in Issue.record("the body ran") })
    }

    @Test func `shows its settings for --help, whatever else is wrong`() throws {
        #expect(run(["--nonsense", "--help"]) == ExitCode.success)
        let page = try #require(output.all.first)
        for text in [
            "usage: test", "HOLDFAST_LOG_LEVEL  (default: info)", "HOLDFAST_PORT  (default: 8080)",
            "HOLDFAST_KEY_FILE  (path of a file with a secret)", "where to listen", "--version",
        ] {
            #expect(page.contains(text), "\(text)")
        }
        #expect(errors.all.isEmpty)
    }

    @Test func `tells its version`() {
        #expect(run(["--version"]) == ExitCode.success)
        #expect(output.all == ["test 1.0\n"])
    }

    @Test func `refuses unknown arguments with 64`() {
        #expect(run(["--nonsense"]) == 64)
        #expect(errors.all.first?.contains("unknown argument '--nonsense'") == true)
    }

    @Test func `refuses bad settings with 78, one line each`() {
        #expect(run([], ["HOLDFAST_PORT": "x", "HOLDFAST_LOG_LEVEL": "loud"]) == 78)
        #expect(errors.all.count == 3)
        for name in ["HOLDFAST_PORT", "HOLDFAST_KEY_FILE", "HOLDFAST_LOG_LEVEL"] {
            let lines = errors.all.filter { $0.contains("\"setting\":\"\(name)\"") }
            #expect(lines.count == 1, "\(name)")
        }
    }
}

@Suite struct `A running program` {
    @Test(arguments: [SIGTERM, SIGINT])
    func `drains on a signal and tells its supervisor`(signal: Int32) throws {
        let folder = try TemporaryFolder()
        let supervisor = try Supervisor(path: folder.path + "/notify")
        let key = try folder.write("key", "hunter2", mode: 0o600)
        let fixture = try Fixture([
            "NOTIFY_SOCKET": supervisor.path, "HOLDFAST_FIXTURE_KEY_FILE": key,
            "HOLDFAST_TYPO": "1",
        ])
        let ready = try fixture.line(of: "ready")
        #expect(ready["private"] as? Bool == true)
        let port = try #require(ready["port"] as? Int)
        let url = "http://127.0.0.1:\(port)/readyz"
        #expect(try Transport().send(ClientRequest(method: "GET", url: url)).status == 200)
        #expect(supervisor.receive() == "READY=1")
        fixture.send(signal)
        #expect(try fixture.line(of: "drained")["loopEnded"] as? Bool == true)
        #expect(fixture.exitCode() == 0)
        #expect(supervisor.receive() == "STOPPING=1")
        let events = fixture.lines.compactMap { $0["event"] as? String }
        #expect(events == ["starting", "setting", "ready", "stopping", "drained", "stopped"])
        #expect(fixture.lines.first?["HOLDFAST_FIXTURE_KEY_FILE"] as? String == key)
        #expect(!fixture.lines.description.contains("hunter2"))
    }

    @Test func `that fails says why and exits with 1`() throws {
        let fixture = try Fixture(["HOLDFAST_FIXTURE_FAILS": "true"])
        #expect(try fixture.line(of: "failed")["error"] as? String == "told to fail")
        #expect(fixture.exitCode() == 1)
        #expect(fixture.lines.last?["event"] as? String == "stopped")
    }
}
