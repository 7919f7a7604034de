internal import Foundation
internal import Retention
internal import RetentionStore

/// What a decision answered, taken apart: of a stored one and of one made just now alike, so that
/// the two can be compared and shown.
struct DecidedAnswer: Equatable {
    let kind: AnswerKind
    let fallbackReason: String?
    let rule: RuleID?
    let localeServed: String?
    let messageIdentifier: UUID?
    let productId: String?
    let billingPlanType: String?
    let offerIdentifier: String?
    let signatureVersion: Int64?
    let assignment: Assignment?
    let isHoldout: Bool

    init(_ decision: Decision) {
        kind = decision.answer.kind
        rule = decision.rule
        localeServed = decision.localeServed
        assignment = decision.assignment
        isHoldout = decision.isHoldout
        let parts = AnswerParts(decision.answer)
        fallbackReason = parts.fallbackReason?.rawValue
        messageIdentifier = parts.messageIdentifier
        productId = parts.productId
        billingPlanType = parts.billingPlanType?.rawValue
        offerIdentifier = parts.offerIdentifier
        signatureVersion = parts.signature.map { Int64($0.rawValue) }
    }

    init(_ stored: StoredDecision) {
        kind = stored.kind
        fallbackReason = stored.fallbackReason
        rule = stored.rule
        localeServed = stored.localeServed
        messageIdentifier = stored.messageIdentifier
        productId = stored.alternateProductId
        billingPlanType = stored.billingPlanType
        offerIdentifier = stored.offerIdentifier
        signatureVersion = stored.signatureVersion.map { Int64($0) }
        assignment = stored.assignment
        isHoldout = stored.isHoldout
    }

    var members: [String: JSONTree] {
        [
            "kind": .string(kind.rawValue), "fallbackReason": .text(fallbackReason),
            "ruleId": .optional(rule, JSONTree.id), "localeServed": .text(localeServed),
            "messageIdentifier": .optional(messageIdentifier, JSONTree.appleId),
            "alternateProductId": .text(productId), "billingPlanType": .text(billingPlanType),
            "offerIdentifier": .text(offerIdentifier),
            "signatureVersion": .optional(signatureVersion, JSONTree.integer),
            "experimentId": .optional(assignment?.experiment, JSONTree.id),
            "arm": .text(assignment?.arm), "isHoldout": .boolean(isHoldout),
        ]
    }
}
