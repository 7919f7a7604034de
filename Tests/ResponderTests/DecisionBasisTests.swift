import Foundation
import HTTPClient
import Operator
import Responder
import Retention
import RetentionStore
import Service
import Signing
import Synchronization
import TestSupport
import Testing

/// What an answer was taken from: asked for only where it matters, and kept with the decision.
@Suite(.database) struct DecisionBasisTests {
    private static let transaction = "2000000000000001"

    private static func rule(_ when: Condition, _ treatment: Treatment = .fallback) -> Rule {
        Rule(id: RuleID(UUID()), name: "r", when: when, treatment: treatment)
    }

    /// Answers with one profile, and counts who asked.
    private final class Subscribers: Sendable {
        private let asked = Mutex<[String]>([])
        private let reading: KnownSubscriber

        init(_ reading: KnownSubscriber) {
            self.reading = reading
        }

        var transactions: [String] { asked.withLock { $0 } }

        var sources: DecisionSources {
            DecisionSources(
                subscriber: { [self] _, _, transaction, _, _ in
                    asked.withLock { $0.append(transaction) }
                    return (reading, .database)
                }, budget: { _, _ in .unknown })
        }
    }

    @Test func `a rule on a profile is answered from it, and the decision says from what`() throws {
        var profile = SubscriberProfile()
        profile.inTrial = true
        let counters = GovernorCounters(offersTaken: 1, lastOfferAt: nil, escalationLevel: 0)
        let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        let subscribers = Subscribers(.known(KeptProfile(profile), asOf: now, counters))
        let stage = try Stage(sources: subscribers.sources)
        let app = try stage.app(news)
        let asks = Self.rule(.fact(FactCondition(.inTrial, .flag(true))))
        try stage.publish(RuleSet(rules: [asks]))
        #expect(try stage.send(Asked(app), to: app).status == 503)
        #expect(subscribers.transactions == [Self.transaction])
        let stored = try #require(try stage.shipped().first)
        #expect(stored.rule == asks.id)
        #expect(stored.profileSource == "database")
        let inputs = try #require(stored.inputs.flatMap { RecordedInputs($0) })
        #expect(inputs.subscriber == .known(KeptProfile(profile), asOf: now, counters))
        #expect(inputs.mode == .full)
        let timings = try #require(stored.timings)
        let steps = timings.verify + timings.lookup + timings.decide + timings.sign
        #expect(steps <= stored.durationMicroseconds + 4)
        #expect(timings.verify > 0)
    }

    @Test func `nobody is looked up where no rule asks`() throws {
        let subscribers = Subscribers(.absent)
        let stage = try Stage(sources: subscribers.sources)
        let app = try stage.app(news)
        _ = try stage.send(Asked(app), to: app)
        #expect(subscribers.transactions.isEmpty)
        #expect(try stage.shipped().first?.profileSource == "notNeeded")
    }

    @Test func `an unavailable subscriber leaves the rules that ask nothing of them`() throws {
        let stage = try Stage()
        let app = try stage.app(news)
        let asks = Self.rule(.not(.fact(FactCondition(.inTrial, .flag(true)))))
        let plain = Self.rule(.of(productIds: [app.products[0].productId]))
        try stage.publish(RuleSet(rules: [asks, plain]))
        _ = try stage.send(Asked(app), to: app)
        let stored = try #require(try stage.shipped().first)
        #expect(stored.rule == plain.id)
        #expect(stored.profileSource == "unavailable")
    }

    /// The arm by the document: sha256 of salt, zero byte and transaction.
    @Test func `an arm is the bucket's, the same at every look, and is recorded`() throws {
        let stage = try Stage()
        let app = try stage.app(news)
        let experiment = Experiment(
            id: ExperimentID(UUID()), name: "e",
            arms: [
                .init(key: "a", weight: 5_000, treatment: .fallback),
                .init(key: "b", weight: 5_000, treatment: .fallback),
            ])
        let rule = Rule(
            id: RuleID(UUID()), name: "r", when: .always, outcome: .experiment(experiment))
        try stage.publish(RuleSet(rules: [rule]))
        var wanted: [String: String] = [:]
        for number in 0..<24 {
            let transaction = "30000000000\(number)"
            let digest = SHA256.digest(
                Array("experiment:\(experiment.id)".utf8) + [0] + Array(transaction.utf8))
            let bucket = digest.prefix(8).reduce(UInt64(0)) { $0 * 256 + UInt64($1) } % 10_000
            wanted[transaction] = bucket < 5_000 ? "a" : "b"
            for _ in 0..<2 {
                let asked = Asked(app).with("originalTransactionId", transaction)
                #expect(try stage.send(asked, to: app).status == 503)
            }
        }
        #expect(Set(wanted.values) == ["a", "b"])
        let stored = try stage.shipped()
        #expect(stored.count == 48)
        for decision in stored {
            let arm = try #require(wanted[decision.originalTransactionId])
            #expect(decision.assignment == Assignment(experiment: experiment.id, arm: arm))
        }
    }

    @Test func `the held out get the default, and the decision says so`() throws {
        let stage = try Stage()
        let app = try stage.app(news)
        try stage.publish(
            RuleSet(
                rules: [Self.rule(.always)],
                holdout: Holdout(percent: 20, answer: .defaultMessage)))
        for number in 0..<40 {
            let asked = Asked(app).with("originalTransactionId", "4000000000\(number)")
            _ = try stage.send(asked, to: app)
        }
        let stored = try stage.shipped()
        let salt = Array("holdout:\(stage.agency.keys[0].app)".utf8)
        for decision in stored {
            let digest = SHA256.digest(salt + [0] + Array(decision.originalTransactionId.utf8))
            let bucket = digest.prefix(8).reduce(UInt64(0)) { $0 * 256 + UInt64($1) } % 10_000
            #expect(decision.isHoldout == (bucket < 2_000))
            #expect(decision.kind == (decision.isHoldout ? .defaultMessage : .fallback))
        }
        #expect(Set(stored.map(\.isHoldout)) == [true, false])
    }
}
