/// Something in a rule set that can only be a mistake.
package struct RuleSetFinding: Equatable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Nobody can meet its conditions, or its schedule is over or empty.
        case neverMatches
        /// It answers everybody whom a later rule could match.
        case hidesLaterRules
    }

    package let rule: Int
    package let kind: Kind

    package init(rule: Int, kind: Kind) {
        self.rule = rule
        self.kind = kind
    }

    /// - Parameters:
    ///   - products: all of the app.
    ///   - now: a schedule that ended before it never matches.
    package static func all(
        in ruleSet: RuleSet, products: [Product], environment: StoreEnvironment, now: Instant
    ) -> [RuleSetFinding] {
        let reaches = products.map { RuleReach(product: $0, environment: environment) }
        return ruleSet.rules.enumerated().flatMap { index, rule -> [RuleSetFinding] in
            if rule.schedule.isOver(at: now) || !reaches.contains(where: { $0.mayMatch(rule) }) {
                return [RuleSetFinding(rule: index, kind: .neverMatches)]
            }
            let later = ruleSet.rules[(index + 1)...]
            // For each product that a later rule can match, this one has answered already.
            let hides =
                !later.isEmpty && rule.alwaysAnswers
                && reaches.allSatisfy { reach in
                    reach.surelyMatches(rule) || !later.contains(where: reach.mayMatch)
                }
            return hides ? [RuleSetFinding(rule: index, kind: .hidesLaterRules)] : []
        }
    }
}

extension Schedule {
    fileprivate func isOver(at now: Instant) -> Bool {
        if let to, to <= now { return true }
        if let from, let to, to <= from { return true }
        return daily.map { $0.fromMinute == $0.toMinute } ?? false
    }
}

extension Rule {
    /// Whether a match leaves nothing to later rules: an offer may be refused by the governor and
    /// a switch fits one group only, but a text is published with its approval, and a fallback is
    /// one.
    fileprivate var alwaysAnswers: Bool {
        let whole: [Treatment] =
            switch outcome {
            case .treatment(let treatment): [treatment]
            case .experiment(let experiment): experiment.arms.map(\.treatment)
            }
        return whole.allSatisfy { treatment in
            switch treatment.steps[0] {
            case .message, .fallback: true
            default: false
            }
        }
    }
}
