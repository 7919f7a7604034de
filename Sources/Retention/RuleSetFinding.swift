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
        let rules = ruleSet.rules
        var reach = RuleReach(rules, products: products, environments: [environment])
        // By product: the last rule that can match.
        let lasts = products.indices.map { product in
            rules.indices.last {
                reach.mayMatch(rule: $0, product: product, in: environment)
            } ?? -1
        }
        return rules.enumerated().flatMap { index, rule -> [RuleSetFinding] in
            let isMet = products.indices.contains {
                reach.mayMatch(rule: index, product: $0, in: environment)
            }
            if rule.schedule.isOver(at: now) || !isMet {
                return [RuleSetFinding(rule: index, kind: .neverMatches)]
            }
            // For each product that a later rule can match, this one has answered already.
            let hides =
                index + 1 < rules.count && rule.alwaysAnswers
                && products.indices.allSatisfy {
                    lasts[$0] <= index
                        || reach.surelyMatches(rule: index, product: $0, in: environment)
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
