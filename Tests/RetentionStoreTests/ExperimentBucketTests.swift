import Foundation
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// Who has which arm, from version to version.
@Suite(.database) struct ExperimentBucketTests {
    private let id = ExperimentID(UUID())

    private func ruleSet(_ weights: [(String, Int32)]) -> RuleSet {
        let arms = weights.map {
            Experiment.Arm(key: $0.0, weight: $0.1, treatment: .fallback)
        }
        let outcome: Rule.Outcome =
            arms.isEmpty
            ? .treatment(.fallback)
            : .experiment(Experiment(id: id, name: "\(weights.count) arms", arms: arms))
        return RuleSet(
            rules: [Rule(id: RuleID(UUID()), name: "r", when: .always, outcome: outcome)])
    }

    private func owners(_ ruleSet: RuleSet) -> [String] {
        var owners = [String](repeating: "", count: Buckets.count)
        for arm in ruleSet.experiments.first?.arms ?? [] {
            for bucket in arm.buckets.flatMap(\.buckets) { owners[bucket] = arm.key }
        }
        return owners
    }

    @Test func `a change of weights moves the fewest, also from versions before`() throws {
        let agencies = try Agencies()
        let app = agencies.first.keys[0].app
        func store(_ ruleSet: RuleSet) throws -> [String] {
            let stored = try agencies.change(agencies.first) { transaction in
                let version = try transaction.createRuleSet(ruleSet, of: app)
                return try transaction.findRuleSet(version: version, of: app)
            }
            return owners(try #require(stored).ruleSet)
        }
        let even = try store(ruleSet([("a", 5_000), ("b", 5_000)]))
        #expect(!even.contains(""))
        // A version without it in between forgets nothing.
        _ = try store(ruleSet([]))
        let shifted = try store(ruleSet([("b", 4_000), ("a", 6_000)]))
        #expect(zip(even, shifted).count { $0 != $1 } == 1_000)
        #expect(shifted.count { $0 == "a" } == 6_000)
        let again = try store(ruleSet([("a", 6_000), ("b", 4_000)]))
        #expect(again == shifted)
    }
}
