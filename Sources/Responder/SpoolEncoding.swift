internal import FoundationEssentials
internal import Retention

extension CompactWriter {
    mutating func append(_ decision: Decision) {
        append(decision.rule?.uuid)
        append(decision.localeServed)
        append(decision.answer.kind.rawValue)
        switch decision.answer {
        case .message(let id), .defaultMessage(let id):
            append(id)
        case .alternateProduct(let id, let productId, let plan):
            append(id)
            append(productId)
            append(plan?.rawValue)
        case .promotionalOffer(let id, let productId, let offerIdentifier):
            append(id)
            append(productId)
            append(offerIdentifier)
        case .fallback(let reason):
            append(reason.rawValue)
        }
    }
}

extension CompactReader {
    mutating func decision() -> Decision? {
        guard let rule = optional({ $0.uuid() }), let locale = optional({ $0.text() }),
            let kind = text().flatMap(AnswerKind.init(rawValue:)), let answer = answer(kind)
        else { return nil }
        return Decision(answer: answer, rule: rule.map { RuleID($0) }, localeServed: locale)
    }

    private mutating func answer(_ kind: AnswerKind) -> Answer? {
        if kind == .fallback {
            return text().flatMap(FallbackReason.init(rawValue:)).map(Answer.fallback)
        }
        guard let id = uuid() else { return nil }
        switch kind {
        case .message: return .message(id)
        case .defaultMessage: return .defaultMessage(id)
        case .switchPlan:
            guard let productId = text(), let plan = optional({ $0.text() }) else { return nil }
            return .alternateProduct(
                id, productId: productId, billingPlanType: plan.map(BillingPlanType.init(rawValue:))
            )
        case .promotionalOffer:
            guard let productId = text(), let offer = text() else { return nil }
            return .promotionalOffer(id, productId: productId, offerIdentifier: offer)
        case .fallback: return nil
        }
    }
}
