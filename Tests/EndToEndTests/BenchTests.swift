import Foundation
import Operator
import TestSupport
import Testing

/// The benchmark from beginning to end, far too short to measure anything.
@Suite struct BenchTests {
    private struct Report: Decodable {
        struct Gate: Decodable {
            let name: String
            let values: [Double]
        }

        struct Round: Decodable {
            let messages: Load
            let offers: Load
            let alone: Alone
            let verificationsPerSecond: Double
        }

        struct Alone: Decodable {
            let load: Phase
        }

        struct Load: Decodable {
            let closed: Phase
            let open: Phase
        }

        struct Phase: Decodable {
            let good: Int
            let answers: [String: Int]
            let refusals: [String: Int]
            let malformed: Int
            let broken: Int
            let cpuMicrosecondsPerAnswer: Double?
        }

        struct Outage: Decodable {
            let load: Phase
        }

        let build: String
        let gates: [Gate]
        let rounds: [Round]
        let outages: [Outage]
    }

    @Test func `every answer of a short run is Apple's, and the figures reach the document`() throws
    {
        let folder = try TemporaryFolder()
        let document = folder.path + "/performance.md"
        let marks = "before\n<!-- figures: begin -->\nold\n<!-- figures: end -->\nafter\n"
        try marks.write(toFile: document, atomically: true, encoding: .utf8)
        let deploy = PackageRoot.path + "/deploy"
        let (_, text) = try Programs.run(
            "holdfast",
            [
                "bench", "gates", "--rounds", "1", "--seconds", "1", "--bodies", "200",
                "--document", document, "--output", "json", "--commit", "abc1234",
            ], environment: ["HOLDFAST_DEPLOY_DIRECTORY": deploy])
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("{") }, "\(text)")
        let report = try JSONDecoder().decode(Report.self, from: Data(line.utf8))
        let round = try #require(report.rounds.first)
        for (load, kind) in [(round.messages, "message"), (round.offers, "promotionalOffer")] {
            for phase in [load.closed, load.open] {
                #expect(phase.answers == [kind: phase.good])
                #expect(phase.good > 0)
                #expect(phase.refusals.isEmpty)
                #expect(phase.malformed == 0)
                #expect(phase.broken == 0)
            }
        }
        #expect(round.alone.load.good > 0)
        #expect(round.verificationsPerSecond > 0)
        #expect(report.gates.count == 8)
        // PostgreSQL was lost twice, and the longest answer and the share of 200 were found.
        #expect(report.gates.suffix(2).allSatisfy { $0.values.count == 1 })
        #expect(report.outages.count == 2)
        for outage in report.outages {
            #expect(outage.load.good > 0)
            #expect(outage.load.malformed == 0)
        }
        let written = try String(contentsOfFile: document, encoding: .utf8)
        #expect(written.hasPrefix("before\n<!-- figures: begin -->\nWritten by `deploy/bench`"))
        #expect(written.hasSuffix("<!-- figures: end -->\nafter\n"))
        #expect(written.contains("commit abc1234, **\(report.build)** build"))
        #expect(!written.contains("old"))
    }

    @Test func `what cannot be measured is refused at once`() throws {
        let folder = try TemporaryFolder()
        let bodies = folder.path + "/bodies"
        try "{}\n".write(toFile: bodies, atomically: true, encoding: .utf8)
        let (end, text) = try Programs.run(
            "holdfast",
            ["bench", "realtime", "--url", "http://192.0.2.1:80/realtime/a", "--bodies", bodies])
        #expect(end == .exited(64))
        #expect(text.contains("load goes to 127.0.0.1 alone"))
        let (other, words) = try Programs.run(
            "app-store-simulator", ["corpus", "--app-apple-id", "seven"])
        #expect(other == .exited(64))
        #expect(words.contains("app-store-simulator corpus --help"))
    }
}
