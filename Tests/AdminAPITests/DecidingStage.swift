import AdminAPI
import Foundation
import Postgres
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

/// An app with rules in force in production and decisions that were taken from their snapshot, as
/// a responder would have taken and kept them.
struct DecidingStage {
    let app: TestApp
    let key: AppEnvironment
    /// Of the experiment of the rules.
    static let experiment = "exp_01KB9S3A001HJG5B8YR0ZTPE4C"

    init() throws {
        app = try GatewayStage().makeAgency().makeTestApp()
        key = AppEnvironment(app: app.id, environment: .production)
        try app.place([app.text, app.plan, app.discount], in: ["en-US", "de-DE"])
    }

    /// Long-time subscribers are told something else than the rest; all of it without a holdout.
    func rules() -> JSONTree {
        let arms: [JSONTree] = [
            ["key": "control", "weight": 50, "treatment": app.says(app.text)],
            ["key": "yearly", "weight": 50, "treatment": app.switches(to: app.yearly)],
        ]
        return TestApp.body([
            TestApp.rule(
                0,
                when: [
                    "all": [
                        ["fact": "tenureDays", "atLeast": 365],
                        ["not": ["fact": "inTrial", "is": true]],
                    ]
                ], ["treatment": app.switches(to: app.yearly)]),
            TestApp.rule(
                1, when: TestApp.products(app.monthly),
                [
                    "experiment": [
                        "id": .string(Self.experiment), "name": "e", "arms": .array(arms),
                    ]
                ]),
        ]).merging(["holdout": ["percent": 0, "confirmNoHoldout": true]])
    }

    func publish(_ rules: JSONTree) throws -> Int64 {
        let frozen = try app.freeze(rules)
        let version = try #require(frozen.json["version"]?.number, "\(frozen.text)")
        let published = try app.publish(Int(version), .production)
        return try #require(published.json["snapshotNumber"]?.number, "\(published.text)")
    }

    func subscriber(days: Int64, storefront: String = "DEU") -> KnownSubscriber {
        let now = app.agency.stage.now
        var profile = SubscriberProfile()
        profile.subscribedAt = Instant(milliseconds: now.milliseconds - days * 86_400_000)
        profile.inTrial = false
        profile.storefront = storefront
        return .known(KeptProfile(profile), asOf: now, .zero)
    }

    /// What was answered is what a preview of the same subscriber says.
    @discardableResult
    func decide(
        _ subscriber: KnownSubscriber?, of transaction: String, locale: String = "de-AT",
        product: String? = nil, snapshot: Int64, at milliseconds: Int64 = 0,
        as decision: Decision, budget: BudgetReading = .unknown
    ) throws -> String {
        let now = Instant(milliseconds: app.agency.stage.now.milliseconds - milliseconds)
        let basis = subscriber.map {
            DecisionBasis(
                source: .memory,
                inputs: RecordedInputs(
                    subscriber: $0, budget: budget, mode: .full, canSignOffers: true),
                timings: DecisionTimings(verify: 1, lookup: 2, decide: 3, sign: 4))
        }
        let record = DecisionRecord(
            key: key, signedDate: now, requestIdentifier: UUID(), decidedAt: now,
            originalTransactionId: transaction, productId: product ?? app.monthly,
            localeAsked: locale, decision: decision, snapshotNumber: snapshot,
            durationMicroseconds: 10, basis: basis)
        _ = try app.change { try $0.recordDecisions([record]) }
        let listed = try app.agency.all("\(app.path)/decisions")
        let request = record.requestIdentifier.uuidString.lowercased()
        let found = listed.first { $0["requestIdentifier"]?.text == request }
        return try #require(found?["id"]?.text)
    }

    /// So many decisions like the one that is there, of as many subscribers; four have one instant.
    func multiplyDecisions(by count: Int32) throws {
        try app.agency.stage.database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                insert into holdfast.decision
                select made.*
                from holdfast.decision d cross join generate_series(1, \(count)) n
                cross join lateral jsonb_populate_record(d, jsonb_build_object(
                  'request_identifier', gen_random_uuid(),
                  'original_transaction_id', 'many-' || n,
                  'signed_date', d.signed_date - (n / 4) * interval '1 millisecond')) made
                """)
        }
    }

    /// The identifier at Apple of a message's text.
    func placed(_ message: MessageID, _ locale: String) throws -> UUID {
        let snapshot = try app.change {
            try $0.prospectiveSnapshot(at: key, RuleSet(rules: []))
        }
        return try #require(
            snapshot.messages.first { $0.id == message }?.placements[locale])
    }

    func rule(_ index: Int) throws -> RuleID { try #require(RuleID(TestApp.ruleId(index))) }
}
