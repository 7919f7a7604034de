import Foundation
import Operator
import Retention
import RetentionStore
import Signing
import TestSupport
import Testing

/// `holdfast load-profiles`: from a file or made up, the same again changes nothing.
@Suite(.database) struct LoadProfilesTests {
    private struct Figures: Decodable {
        let read: Int
        let written: Int
    }

    private func agency() throws -> SampleAgency {
        try PlacedAgency.load(
            into: RetentionStore(pool: try Database.current().operator),
            platformKey: try PrivateKey.generate().publicKey, now: Self.now
        ).agency
    }

    private static let now = Instant(milliseconds: 1_800_000_000_000)

    private func run(
        _ agency: SampleAgency, _ words: [String], app: AppID? = nil
    ) throws -> (end: ChildProcess.End, text: String) {
        let key = agency.keys[0]
        return try Programs.run(
            "holdfast",
            [
                "load-profiles", "--tenant", agency.scope.tenant.description, "--app",
                (app ?? key.app).description, "--environment", key.environment.rawValue,
                "--output", "json",
            ] + words,
            environment: [
                "HOLDFAST_DATABASE_URL": try Database.current().url(role: "holdfast_operator")
            ])
    }

    /// The figures are the last line; what came before is progress.
    private func figures(_ agency: SampleAgency, _ words: [String]) throws -> Figures {
        let (end, text) = try run(agency, words)
        #expect(end == .exited(0), "\(text)")
        let line = try #require(text.split(separator: "\n").last)
        return try JSONDecoder().decode(Figures.self, from: Data(line.utf8))
    }

    private func profile(_ id: String, _ agency: SampleAgency) throws -> StoredProfile? {
        try RetentionStore(pool: Database.current().operator).transaction(
            agency.scope, at: Self.now
        ) { try $0.findProfile(of: id, at: agency.keys[0]) }
    }

    private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.path + "/holdfast-\(UUID()).jsonl"
        try Data(text.utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    private func line(_ id: String, _ body: String, _ asOf: String = "2026-11-30T04:05:06Z")
        -> String
    {
        #"{"originalTransactionId":"\#(id)","bodyBase64":"\#(body)","asOf":"\#(asOf)"}"#
    }

    @Test func `made-up profiles are loaded once, and the same for the same seed`() throws {
        let agency = try agency()
        let words = ["--generate", "12000", "--seed", "7"]
        let first = try figures(agency, words)
        #expect(first.read == 12_000 && first.written == 12_000)
        let again = try figures(agency, words)
        #expect(again.read == 12_000 && again.written == 0)
        let one = try #require(try profile("2000000000000000", agency))
        #expect(one.body.first == 1 && one.body.count == 120)
    }

    @Test func `a file is loaded, of a subscriber who stands there twice the newer line`() throws {
        let agency = try agency()
        let text = [
            line("1", "AQI="), "", line("2", "AQM=", "2026-11-30T04:05:06.5+01:00"),
            line("1", "AQQ=", "2026-11-30T04:05:07Z"), "  " + line("3", "AQU=") + "\r",
        ].joined(separator: "\n")
        try withFile(text) { (path: String) throws in
            #expect(try figures(agency, ["--file", path]).written == 3)
            #expect(try figures(agency, ["--file", path]).written == 0)
        }
        #expect(try profile("1", agency)?.body == [1, 4])
        #expect(
            try profile("2", agency)
                == StoredProfile(
                    body: [1, 3], asOf: Instant(milliseconds: 1_796_007_906_500)))
        #expect(try profile("3", agency)?.body == [1, 5])
    }

    @Test(arguments: [
        "{}", "not JSON", #"{"originalTransactionId":"1","bodyBase64":"*","asOf":"x"}"#,
        #"{"originalTransactionId":"","bodyBase64":"AQ==","asOf":"2026-11-30T04:05:06Z"}"#,
        #"{"originalTransactionId":"1","bodyBase64":"","asOf":"2026-11-30T04:05:06Z"}"#,
        #"{"originalTransactionId":"1","bodyBase64":"AQ==","asOf":"yesterday"}"#,
        #"],["#, String(repeating: "x", count: 5_000),
    ])
    func `a bad line is named, and none of its batch is loaded`(bad: String) throws {
        let agency = try agency()
        try withFile([line("1", "AQI="), bad, line("2", "AQI=")].joined(separator: "\n")) {
            (path: String) throws in
            let (end, text) = try run(agency, ["--file", path])
            #expect(end == .exited(1))
            #expect(text.contains("line 2 of"), "\(text)")
        }
        #expect(try profile("1", agency) == nil)
    }

    @Test func `an app that is not there, and a wrong order, are told`() throws {
        let agency = try agency()
        let (end, text) = try run(agency, ["--generate", "1"], app: AppID(UUID()))
        #expect(end == .exited(1))
        #expect(text.contains("the tenant has no app"))
        for words in [
            [], ["--generate", "0"], ["--generate", "1", "--file", "x"],
            ["--generate", "1", "--seed", "-1"],
        ] {
            #expect(try run(agency, words).end == .exited(64), "\(words)")
        }
    }
}
