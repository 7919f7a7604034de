import Foundation
import Operator
import TestSupport
import Testing

/// `holdfast demo`, the program itself.
@Suite struct DemoTests {
    private static let environment = ["HOLDFAST_DEPLOY_DIRECTORY": PackageRoot.path + "/deploy"]

    private struct Line: Decodable {
        let cancellations: Int
        let answered: Int
        let shown_realtime: Int
        let shown_fallback: Int
        let wrong: Int
        let decisions: Int
        let p50_ms: Double
        let p99_ms: Double
        let performance_test: String
        let sync: Sync
        let api: API

        struct Sync: Decodable {
            let writes: Int
            let reads: Int
        }

        struct API: Decodable {
            let calls: Int
            let failures: Int
        }
    }

    @Test func `played once, every cancellation is answered and none wrongly`() throws {
        let (end, text) = try Programs.run(
            "holdfast", ["demo", "--once"], environment: Self.environment)
        #expect(end == .exited(0))
        let last = try #require(text.split(separator: "\n").last)
        let line = try JSONDecoder().decode(Line.self, from: Data(last.utf8))
        #expect(line.cancellations >= 300)
        #expect(line.answered == line.cancellations)
        #expect(line.decisions == line.cancellations)
        #expect(line.wrong == 0)
        #expect(line.shown_realtime > 0 && line.shown_fallback > 0)
        #expect(line.p50_ms > 0 && line.p99_ms >= line.p50_ms)
        #expect(line.performance_test == "PASS")
        // Three apps in two environments, each with 16 texts, 2 images, 16 defaults and a URL; and
        // a test.
        #expect(line.sync.writes == 3 * (2 * 35 + 1) && line.sync.reads > 0)
        #expect(line.api.calls > 100 && line.api.failures == 0)
        // Each kind of answer, and a text in each language, was seen.
        for shown in [
            "image, bullets", "switch, MONTHLY", "half_price_three_months", "second_year_half",
            "ありがとう", "Gracias", "感謝", "1 of them left in review",
        ] { #expect(text.contains(shown)) }
    }

    @Test(arguments: [[], ["roles.sql"], ["haproxy.cfg"]])
    func `a deploy folder that lacks something is refused before anything starts`(
        files: [String]
    ) throws {
        let parent = try TemporaryFolder()
        let deploy = try TemporaryFolder()
        for file in files {
            try FileManager.default.copyItem(
                atPath: PackageRoot.path + "/deploy/" + file, toPath: "\(deploy.path)/\(file)")
        }
        let (end, text) = try Programs.run(
            "holdfast", ["demo", "--once"],
            environment: [
                "HOLDFAST_DEPLOY_DIRECTORY": deploy.path,
                "HOLDFAST_DEMO_PARENT_DIRECTORY": parent.path,
            ])
        #expect(end == .exited(78))
        #expect(text.contains("HOLDFAST_DEPLOY_DIRECTORY"))
        for file in ["roles.sql", "haproxy.cfg"] {
            #expect(text.contains(file) != files.contains(file))
        }
        #expect(!text.contains("starting"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path).isEmpty)
    }

    @Test(arguments: [["--help"], ["-h"], ["--once", "--help"]])
    func `the script's help installs and builds nothing`(arguments: [String]) throws {
        let output = try TemporaryFolder().path + "-help"
        defer { try? FileManager.default.removeItem(atPath: output) }
        var plan = ChildProcess.Plan(
            "/bin/bash", [PackageRoot.path + "/deploy/demo"] + arguments)
        plan.output = .file(output)
        let end = try ChildProcess.start(plan).wait(for: .seconds(30))
        #expect(end == .exited(0))
        let text = String(
            decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
        #expect(text.contains("--once") && !text.contains("building"))
    }

    @Test(arguments: [ChildProcess.Signal.interrupt, .terminate, .kill])
    func `it stays up until told to end, and leaves no process`(signal: ChildProcess.Signal) throws
    {
        let demo = try Running("holdfast", ["demo"], environment: Self.environment)
        #expect(becomesTrue(within: Programs.endLimit) { demo.text.contains("until Ctrl-C") })
        let children = Descendants.pids(of: demo.process.pid)
        #expect(children.count >= 6, "PostgreSQL, HAProxy, simulator, gateway, responder and sync")
        demo.process.send(signal)
        let end = demo.process.wait(for: .seconds(30))
        if signal != .kill { #expect(end == .exited(0)) }
        let areGone = becomesTrue(within: .seconds(30)) {
            children.allSatisfy { !Descendants.isRunning($0) }
        }
        #expect(areGone)
    }

    @Test func `what a killed demo left is removed by the next one`() throws {
        let parent = try TemporaryFolder()
        // PostgreSQL's own user must reach the folder it is given.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: parent.path)
        let environment = Self.environment.merging(
            ["HOLDFAST_DEMO_PARENT_DIRECTORY": parent.path]) { $1 }
        let killed = try Running("holdfast", ["demo"], environment: environment)
        #expect(becomesTrue { killed.text.contains("starting apple-sync") })
        killed.process.terminate(.kill, within: .seconds(10))
        let left = try FileManager.default.contentsOfDirectory(atPath: parent.path)
        #expect(left.contains { $0.hasPrefix("holdfast-demo-") })
        let next = try Running("holdfast", ["demo"], environment: environment)
        #expect(becomesTrue { next.text.contains("starting apple-sync") })
        for name in left {
            #expect(!FileManager.default.fileExists(atPath: parent.path + "/" + name))
        }
        // Told to end in the middle, it leaves nothing either.
        next.process.send(.interrupt)
        #expect(next.process.wait(for: .seconds(30)) == .exited(1))
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path).isEmpty)
    }
}
