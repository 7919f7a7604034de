/// How an answer came about, rule by rule. Made by the same code that answers, on request only.
package struct DecisionTrace: Equatable, Sendable {
    package struct HoldoutStep: Equatable, Sendable {
        package let bucket: Int
        package let percent: Int32
        package let isHeldOut: Bool
    }

    package struct TreatmentStep: Equatable, Sendable {
        package let kind: Treatment.Kind
        /// `nil` for the one that was answered.
        package let dead: DeadReason?
    }

    package struct RuleStep: Equatable, Sendable {
        package enum Result: String, Sendable, CaseIterable {
            case notScheduled, notMatched, unknown, dead, answered
        }

        package let rule: RuleID
        package let name: String
        package let result: Result
        /// `nil` where the schedule already said no.
        package let condition: ConditionTrace?
        /// The bucket in the experiment and the arm it lies in.
        package let bucket: Int?
        package let arm: String?
        /// Why it has no treatment to try; of those that were tried each says its own.
        package let dead: DeadReason?
        package let treatments: [TreatmentStep]
    }

    package var holdout: HoldoutStep?
    package var rules: [RuleStep] = []
    /// The locales that were tried, in order.
    package var localeChain: [String] = []

    package init() {}
}

/// A condition with what was found.
package struct ConditionTrace: Equatable, Sendable {
    package let condition: Condition
    package let verdict: Verdict
    /// Of a fact: what was known; `nil` for missing or too old. Of a share: the bucket.
    package let value: FactValue?
    package let parts: [ConditionTrace]

    /// Looks at every part, also where the verdict stands already.
    init(_ condition: Condition, _ facts: FactReader) {
        self.condition = condition
        verdict = condition.verdict(facts)
        parts = condition.parts.map { ConditionTrace($0, facts) }
        value =
            switch condition {
            case .fact(let test): facts.value(of: test.fact, maxAgeHours: test.maxAgeHours)
            case .randomShare(let share): .number(Int64(facts.bucket(share.bucketSalt)))
            case .all, .any, .not: nil
            }
    }
}
