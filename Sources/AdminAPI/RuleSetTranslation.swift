internal import Retention
internal import RetentionStore

/// Rules of one app in the words of another: its messages have the same names and other
/// identifiers. Names of Apple's (products, offers, messages of App Store Connect) stay; freezing
/// looks whether they exist. An experiment's arms get their buckets there anew.
struct RuleSetTranslation {
    private let transaction: TenantTransaction
    private let source: AppID
    private let target: AppID

    init(_ transaction: TenantTransaction, from source: AppID, to target: AppID) {
        self.transaction = transaction
        self.source = source
        self.target = target
    }

    /// - Returns: the rules, and a problem for each message that is not there.
    func translated(_ ruleSet: RuleSet) throws -> (RuleSet, [FieldProblem]) {
        let ids = Array(Set(ruleSet.rules.flatMap(\.messageIds)))
        let names = try transaction.messageNames(ids, of: source)
        let named = ids.filter { names[$0] != nil }
        let others = try transaction.messageIds(named: named.compactMap { names[$0] }, of: target)
        let pairs = zip(named, others).compactMap { old, new in new.map { (old, $0) } }
        let translation = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        var problems: [FieldProblem] = []
        for (index, rule) in ruleSet.rules.enumerated() {
            for (place, treatment) in rule.placedTreatments(at: "/rules/\(index)") {
                for old in treatment.messageIds where translation[old] == nil {
                    let name = names[old].map { "“\($0)”" } ?? "of the name that \(old) had"
                    problems.append(
                        FieldProblem(
                            .pointer("\(place)/messageId"), .unknownReference,
                            "That app has no message \(name); copy it there first."))
                }
            }
        }
        let rules = ruleSet.rules.map { rule in
            rule.mapTreatments { $0.saying { translation[$0] ?? $0 } }
        }
        return (
            RuleSet(rules: rules, holdout: ruleSet.holdout, governor: ruleSet.governor), problems
        )
    }
}

extension Treatment {
    /// The same with other messages.
    fileprivate func saying(_ other: (MessageID) -> MessageID) -> Treatment {
        switch self {
        case .message(let message): .message(other(message))
        case .switchPlan(let message, let productId, let plan):
            .switchPlan(other(message), productId: productId, billingPlanType: plan)
        case .promotionalOffer(let message, let productId, let offer, let signature):
            .promotionalOffer(
                other(message), productId: productId, offerIdentifier: offer,
                signature: signature)
        case .appStoreConnectMessage, .fallback, .escalation: self
        }
    }
}
