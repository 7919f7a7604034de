import Retention
import Testing

@Suite struct AppVersionTests {
    @Test func `versions are in the order of their numbers`() throws {
        let rising = [
            "0", "1.2.3.4", "2.0.9", "2.1.0-beta.9", "2.1.0-beta.10", "2.1.0-rc", "2.1", "2.1.1",
            "9.0.0", "10.0.0", "2147483648.0",
        ].map { AppVersion($0) }
        let versions = try rising.map { try #require($0) }
        for (index, lower) in versions.enumerated() {
            for (other, higher) in versions.enumerated() {
                #expect((lower < higher) == (index < other), "\(lower) \(higher)")
                #expect((lower == higher) == (index == other), "\(lower) \(higher)")
            }
        }
    }

    @Test(arguments: [
        ("2.1", "2.1.0"), ("2.01", "2.1"), ("2.1.0+7", "2.1"), ("2.1.0-beta.9+x", "2.1-beta.9"),
        ("0.0", "0"),
    ])
    func `spellings of one version are equal`(one: String, other: String) {
        #expect(AppVersion(one) != nil)
        #expect(AppVersion(one) == AppVersion(other))
    }

    @Test(arguments: [
        "", "dev", "1.", ".1", "1..2", "v1", "1.x", "-1", "1.2-", "1.2-beta..1", "１.２", "1 ", "+1",
        "1.2.3.4.5.6.7.8.9", "99999999999999999999",
    ])
    func `what is no version is unknown, and opens no gate`(text: String) {
        #expect(AppVersion(text) == nil)
        let test = FactTest.version(atLeast: AppVersion("0"), below: nil)
        #expect(test.verdict(.text(text)) == .unknown)
    }
}
