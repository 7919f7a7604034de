import Foundation
import Retention
import Testing

/// The switch that silences an app.
struct StoppedTests {
    private func stopped(_ fixture: SnapshotFixture) -> Snapshot {
        let snapshot = fixture.snapshot
        return Snapshot(
            tenant: snapshot.tenant, app: snapshot.app, environment: snapshot.environment,
            number: 2, bundleId: snapshot.bundleId, appAppleId: snapshot.appAppleId,
            defaultLocale: snapshot.defaultLocale, endpointTokenHashes: [Data([1])],
            products: snapshot.products, offers: snapshot.offers, messages: snapshot.messages,
            defaults: snapshot.defaults, ruleSet: snapshot.ruleSet, signingKey: nil,
            isStopped: true)
    }

    private var fixture: SnapshotFixture {
        let fixture = SnapshotFixture()
        return fixture.with(.message(fixture.text), .fallback)
    }

    private func decide(_ snapshot: Snapshot, product: String) -> Decision {
        var asked = Asked()
        asked.product = product
        return ServingSnapshot(snapshot).decide(asked.inputs)
    }

    @Test(arguments: ["monthly", "yearly", "unknown"])
    func `a stopped app says nothing, whatever its rules`(product: String) {
        let decision = decide(stopped(fixture), product: product)
        #expect(decision.answer == .fallback(.stopped))
        #expect(decision.rule == nil && decision.localeServed == nil)
    }

    /// What a responder sees that does not know the member: nothing to say.
    @Test func `a responder that does not know the switch is silent too`() throws {
        let body = try JSONEncoder().encode(stopped(fixture))
        var object = try #require(
            try JSONSerialization.jsonObject(with: body) as? [String: Any])
        #expect(object["schemaVersion"] as? Int == Snapshot.schemaVersion)
        #expect((object.removeValue(forKey: "stopped") as? Bool) == true)
        let known = try JSONDecoder().decode(
            Snapshot.self, from: JSONSerialization.data(withJSONObject: object))
        #expect(!known.isStopped)
        for product in ["monthly", "yearly"] {
            #expect(decide(known, product: product).answer == .fallback(.nothingToShow))
        }
        // Its requests are still known, verified and recorded.
        #expect(known.endpointTokenHashes == [Data([1])])
    }

    @Test func `the switch survives storing and renumbering, and is absent where it is off`() throws
    {
        let stopped = stopped(fixture)
        let back = try JSONDecoder().decode(
            Snapshot.self, from: JSONEncoder().encode(stopped.numbered(7)))
        #expect(back.isStopped && back.number == 7)
        let running = String(
            decoding: try JSONEncoder().encode(fixture.snapshot), as: UTF8.self)
        #expect(!running.contains("stopped"))
    }
}
