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

    /// A profile with one number in it.
    private func body(_ pageViews: Int64) -> [UInt8] {
        var profile = SubscriberProfile()
        profile.pageViews = pageViews
        return profile.encoded()
    }

    private func base64(_ pageViews: Int64) -> String {
        Data(body(pageViews)).base64EncodedString()
    }

    /// Made-up profiles are as of the last midnight (UTC): what a midnight falls into is done anew.
    private func withinOneDay<Value>(_ body: () throws -> Value) rethrows -> Value {
        func today() -> Int { Int(Date().timeIntervalSince1970) / 86_400 }
        while true {
            let day = today()
            let value = try body()
            if today() == day { return value }
        }
    }

    @Test func `made-up profiles are loaded once, and the same for the same seed`() throws {
        let words = ["--generate", "12000", "--seed", "7"]
        let (agency, first, again) = try withinOneDay {
            () throws -> (SampleAgency, Figures, Figures) in
            let agency = try self.agency()
            return (agency, try figures(agency, words), try figures(agency, words))
        }
        #expect(first.read == 12_000 && first.written == 12_000)
        #expect(again.read == 12_000 && again.written == 0)
        let one = try #require(try profile("2000000000000000", agency))
        let known = try #require(SubscriberProfile(body: one.body))
        #expect(known.subscribedAt != nil && known.storefront != nil)
    }

    @Test func `a file is loaded, of a subscriber who stands there twice the newer line`() throws {
        let agency = try agency()
        let text = [
            line("1", base64(2)), "", line("2", base64(3), "2026-11-30T04:05:06.5+01:00"),
            line("1", base64(4), "2026-11-30T04:05:07Z"), "  " + line("3", base64(5)) + "\r",
        ].joined(separator: "\n")
        try withFile(text) { (path: String) throws in
            #expect(try figures(agency, ["--file", path]).written == 3)
            #expect(try figures(agency, ["--file", path]).written == 0)
        }
        #expect(try profile("1", agency)?.body == body(4))
        #expect(
            try profile("2", agency)
                == StoredProfile(
                    body: body(3), asOf: Instant(milliseconds: 1_796_007_906_500)))
        #expect(try profile("3", agency)?.body == body(5))
    }

    @Test(arguments: [
        "{}", "not JSON", #"{"originalTransactionId":"1","bodyBase64":"*","asOf":"x"}"#,
        #"{"originalTransactionId":"","bodyBase64":"AQ==","asOf":"2026-11-30T04:05:06Z"}"#,
        #"{"originalTransactionId":"1","bodyBase64":"","asOf":"2026-11-30T04:05:06Z"}"#,
        #"{"originalTransactionId":"1","bodyBase64":"AQ==","asOf":"yesterday"}"#,
        // Another version, a part without an end, a number of one byte, a flag that is neither.
        #"{"originalTransactionId":"1","bodyBase64":"Ag==","asOf":"2026-11-30T04:05:06Z"}"#,
        #"{"originalTransactionId":"1","bodyBase64":"AQID","asOf":"2026-11-30T04:05:06Z"}"#,
        #"{"originalTransactionId":"1","bodyBase64":"AQQAAQM=","asOf":"2026-11-30T04:05:06Z"}"#,
        #"{"originalTransactionId":"1","bodyBase64":"AQgAAQI=","asOf":"2026-11-30T04:05:06Z"}"#,
        #"],["#, String(repeating: "x", count: 5_000),
    ])
    func `a bad line is named, and none of its batch is loaded`(bad: String) throws {
        let agency = try agency()
        try withFile([line("1", base64(2)), bad, line("2", base64(2))].joined(separator: "\n")) {
            (path: String) throws in
            let (end, text) = try run(agency, ["--file", path])
            #expect(end == .exited(1))
            #expect(text.contains("line 2 of"), "\(text)")
        }
        #expect(try profile("1", agency) == nil)
    }

    @Test func `the examples of the documents can be loaded, and say what stands beside them`()
        throws
    {
        let agency = try agency()
        for document in ["docs/operating.md", "docs/profiles.md"] {
            let text = String(decoding: try PackageRoot.bytes(of: document), as: UTF8.self)
            let lines = text.split(separator: "\n").filter {
                $0.hasPrefix(#"{"originalTransactionId""#)
            }
            #expect(lines.count == 1, "\(document)")
            try withFile(lines.joined(separator: "\n")) { (path: String) throws in
                #expect(try figures(agency, ["--file", path]).read == lines.count)
            }
        }
        let stored = try #require(try profile("2000000000000001", agency))
        let known = try #require(SubscriberProfile(body: stored.body))
        var expected = SubscriberProfile()
        expected.subscribedAt = Instant(milliseconds: 1_759_219_200_000)
        (expected.paidPeriods, expected.storefront, expected.inTrial) = (14, "USA", false)
        #expect(known == expected)
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
