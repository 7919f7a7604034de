internal import Retention

/// How an answer came about, as the API shows it: rule by rule, each condition with what was known
/// and what followed from it.
enum DecisionWalk {
    static func form(_ trace: DecisionTrace) -> JSONTree {
        [
            "holdout": .optional(trace.holdout) { step in
                [
                    "bucket": .integer(Int64(step.bucket)),
                    "percent": .integer(Int64(step.percent)),
                    "isHeldOut": .boolean(step.isHeldOut),
                ]
            },
            "localeChain": .texts(trace.localeChain),
            "rules": .array(trace.rules.map(form)),
        ]
    }

    private static func form(_ step: DecisionTrace.RuleStep) -> JSONTree {
        [
            "id": .id(step.rule), "name": .string(step.name),
            "result": .string(step.result.rawValue),
            "condition": .optional(step.condition, form),
            "bucket": .optional(step.bucket) { .integer(Int64($0)) }, "arm": .text(step.arm),
            "dead": .text(step.dead?.rawValue),
            "treatments": .array(
                step.treatments.map {
                    [
                        "kind": .string($0.kind.rawValue),
                        "dead": .text($0.dead?.rawValue),
                    ]
                }),
        ]
    }

    /// The condition as rule sets have it, and in each node its verdict and, where it has no parts,
    /// its value.
    private static func form(_ trace: ConditionTrace) -> JSONTree {
        var members = ConditionBody.members(trace.condition, parts: trace.parts.map(form))
        members["verdict"] = .string(trace.verdict.rawValue)
        if trace.parts.isEmpty { members["value"] = .optional(trace.value, form) }
        return .object(members)
    }

    private static func form(_ value: FactValue) -> JSONTree {
        switch value {
        case .text(let text): .string(text)
        case .texts(let texts): .texts(texts)
        case .number(let number): .integer(number)
        case .flag(let flag): .boolean(flag)
        case .money(let milliunits, let currency):
            ["amountMilliunits": .integer(milliunits), "currency": .string(currency)]
        }
    }
}
