import Foundation
import Retention

/// A rule set's JSON, as it lies in the database and comes with a snapshot.
struct RulesTarget: Target {
    func run(_ bytes: [UInt8]) {
        guard let rules = try? JSONDecoder().decode(RuleSet.self, from: Data(bytes)) else { return }
        guard let written = try? JSONEncoder().encode(rules),
            let again = try? JSONDecoder().decode(RuleSet.self, from: written)
        else { Fuzzer.found("rules that were read cannot be written and read again") }
        if again != rules { Fuzzer.found("rules change when they are written and read") }
        if rules.rules.count > RuleSet.rulesLimit { Fuzzer.found("too many rules were read") }
        let areBounded = rules.experiments.allSatisfy { experiment in
            (1...Experiment.armsLimit).contains(experiment.arms.count)
                && experiment.arms.allSatisfy { $0.weight >= 0 }
                && experiment.arms.reduce(0) { $0 + $1.weight } == Int32(Buckets.count)
        }
        if !areBounded { Fuzzer.found("an experiment without bounds was read") }
        judge(rules)
    }

    private static let now = Instant(milliseconds: 1_796_040_000_000)
    private static let products = ["p", "y"].map {
        Product(productId: $0, subscriptionGroup: "g", period: "P1M", billingPlans: [.monthly])
    }

    /// Whatever can be read can be looked through, given its buckets and answered from.
    private func judge(_ rules: RuleSet) {
        let allocated = rules.allocated(after: rules.experiments)
        _ = RuleSetFinding.all(
            in: rules, products: Self.products, environment: .production, now: Self.now)
        var profile = SubscriberProfile()
        profile.subscribedAt = Self.now
        profile.lifetimeSpend = .init(amountMilliunits: .max, currency: "EUR")
        let (tenant, app) = (TenantID(UUID()), AppID(UUID()))
        let serving = ServingSnapshot(
            Snapshot(
                tenant: tenant, app: app, environment: .production, number: 1, bundleId: "b",
                appAppleId: 1, defaultLocale: "en-US", endpointTokenHashes: [],
                products: Self.products, offers: [], messages: [], defaults: [],
                ruleSet: allocated, signingKey: nil))
        let inputs = DecisionInputs(
            request: DecisionRequest(
                productId: "p", languages: ["en"], environment: .production),
            localeChain: [],
            subscriber: .known(
                KeptProfile(profile), asOf: Self.now,
                GovernorCounters(offersTaken: .max, lastOfferAt: Self.now, escalationLevel: .max)),
            canSignOffers: true, now: Self.now, bucket: { $0.utf8.count % Buckets.count })
        if serving.explain(inputs).0 != serving.decide(inputs) {
            Fuzzer.found("an answer differs from its explanation")
        }
    }

    var seeds: Seeds {
        get throws {
            let id = "00000000000000000000000001"
            func rule(_ when: String, _ treatment: String) -> String {
                """
                {"id":"rule_\(id)","name":"a","when":{\(when)},"treatment":{\(treatment)}}
                """
            }
            let message = "\"messageId\":\"msg_\(id)\""
            let rules = [
                rule("", "\"kind\":\"fallback\""),
                rule("\"productIds\":[\"p\"]", "\"kind\":\"message\",\(message)"),
                rule(
                    "\"languages\":[\"ja\"],\"environments\":[\"Sandbox\"]",
                    "\"kind\":\"switchPlan\",\(message),\"productId\":\"y\","
                        + "\"billingPlanType\":\"MONTHLY\""),
                rule(
                    "",
                    "\"kind\":\"promotionalOffer\",\(message),\"productId\":\"y\","
                        + "\"offerIdentifier\":\"o\""),
            ]
            let all = [[], rules] + rules.map { [$0] }
            let files = all.enumerated().map { place, rules in
                (
                    "set-\(place)",
                    "{\"schemaVersion\":1,\"rules\":[\(rules.joined(separator: ","))]}"
                )
            }
            return Seeds(
                files: Dictionary(uniqueKeysWithValues: files).mapValues { Array($0.utf8) })
        }
    }
}
