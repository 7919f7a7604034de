internal import FoundationEssentials
internal import Retention
internal import RetentionStore

// What builds before this one wrote: versions 1 and 2, whose values were in a form of the spool's
// own. Read only, so that an update ships what it finds.

extension SpooledDecision {
    init?(earlier body: ArraySlice<UInt8>, version: UInt8) {
        guard (1...2).contains(version) else { return nil }
        var reader = CompactReader(body.dropFirst())
        guard let tenant = reader.uuid(), let app = reader.uuid(),
            let environment = reader.byte(), let signedDate = reader.integer(),
            let decidedAt = reader.integer(), let snapshotNumber = reader.integer(),
            let duration = reader.integer(), let requestIdentifier = reader.uuid(),
            let transaction = reader.text(), let product = reader.text(),
            let locale = reader.text(), let decision = reader.decision(version: version),
            let basis = version == 1 ? .some(nil) : reader.optional({ $0.basis() }),
            reader.isAtEnd
        else { return nil }
        self.init(
            tenant: TenantID(tenant),
            record: DecisionRecord(
                key: AppEnvironment(
                    app: AppID(app), environment: environment == 1 ? .production : .sandbox),
                signedDate: Instant(milliseconds: signedDate),
                requestIdentifier: requestIdentifier,
                decidedAt: Instant(milliseconds: decidedAt), originalTransactionId: transaction,
                productId: product, localeAsked: locale, decision: decision,
                snapshotNumber: snapshotNumber, durationMicroseconds: duration, basis: basis))
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
            let inputs = block().flatMap({ RecordedInputs(Array($0)) }), let verify = integer(),
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
