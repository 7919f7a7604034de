internal import FoundationEssentials
internal import Retention
internal import RetentionStore

extension CompactWriter {
    mutating func append(_ decision: Decision) {
        append(decision.rule?.uuid)
        append(decision.localeServed)
        append(decision.assignment) { writer, assignment in
            writer.append(assignment.experiment.uuid)
            writer.append(assignment.arm)
        }
        append(decision.isHoldout)
        append(decision.answer.kind.rawValue)
        switch decision.answer {
        case .message(let id), .defaultMessage(let id), .appStoreConnectMessage(let id):
            append(id)
        case .alternateProduct(let id, let productId, let plan):
            append(id)
            append(productId)
            append(plan?.rawValue)
        case .promotionalOffer(let id, let productId, let offerIdentifier, let signature):
            append(id)
            append(productId)
            append(offerIdentifier)
            append(UInt8(signature.rawValue))
        case .fallback(let reason):
            append(reason.rawValue)
        }
    }

    mutating func append(_ basis: DecisionBasis) {
        append(basis.source.rawValue)
        append(bytes: basis.inputs.encoded())
        append(basis.timings.verify)
        append(basis.timings.lookup)
        append(basis.timings.decide)
        append(basis.timings.sign)
    }
}

extension CompactReader {
    /// - Parameter version: of the record.
    mutating func decision(version: UInt8) -> Decision? {
        guard let rule = optional({ $0.uuid() }), let locale = optional({ $0.text() })
        else { return nil }
        let isFirst = version == 1
        guard let assignment = isFirst ? .some(nil) : optional({ $0.assignment() }),
            let isHoldout = isFirst ? false : flag(),
            let kind = text().flatMap(AnswerKind.init(rawValue:)),
            let answer = answer(kind, version: version)
        else { return nil }
        return Decision(
            answer: answer, rule: rule.map { RuleID($0) }, localeServed: locale,
            assignment: assignment, isHoldout: isHoldout)
    }

    mutating func basis() -> DecisionBasis? {
        guard let source = text().flatMap(ProfileSource.init(rawValue:)),
            let inputs = block().flatMap({ RecordedInputs($0) }), let verify = integer(),
            let lookup = integer(), let decide = integer(), let sign = integer()
        else { return nil }
        return DecisionBasis(
            source: source, inputs: inputs,
            timings: DecisionTimings(verify: verify, lookup: lookup, decide: decide, sign: sign))
    }

    private mutating func assignment() -> Assignment? {
        guard let experiment = uuid(), let arm = text() else { return nil }
        return Assignment(experiment: ExperimentID(experiment), arm: arm)
    }

    private mutating func answer(_ kind: AnswerKind, version: UInt8) -> Answer? {
        if kind == .fallback {
            return text().flatMap(FallbackReason.init(rawValue:)).map(Answer.fallback)
        }
        guard let id = uuid() else { return nil }
        switch kind {
        case .message: return .message(id)
        case .defaultMessage: return .defaultMessage(id)
        case .appStoreConnectMessage: return .appStoreConnectMessage(id)
        case .switchPlan:
            guard let productId = text(), let plan = optional({ $0.text() }) else { return nil }
            return .alternateProduct(
                id, productId: productId, billingPlanType: plan.map(BillingPlanType.init(rawValue:))
            )
        case .promotionalOffer:
            guard let productId = text(), let offer = text(),
                let signature = version == 1
                    ? .v2 : byte().flatMap({ OfferSignatureVersion(rawValue: Int($0)) })
            else { return nil }
            return .promotionalOffer(
                id, productId: productId, offerIdentifier: offer, signature: signature)
        case .fallback: return nil
        }
    }
}
