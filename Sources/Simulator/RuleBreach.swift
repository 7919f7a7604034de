/// A rule of Apple's that a complete, timely 200 answer broke. In production the customer would
/// see a fallback and nobody would be told: here it counts as wrong, with the reason.
package struct RuleBreach: Error, Codable, Sendable, Equatable {
    package enum Rule: String, Codable, Sendable, CaseIterable {
        // The answer as such
        case answerTooLarge, contentType, charset, notJSON, notAnObject
        case notExactlyOneKind, unknownField, nullValue, missingField, wrongType
        // What it names
        case messageUnknown, messageNotApproved, imageNotApproved, messageHasImage
        case messageHasBullets
        case productUnknown, productOfAnotherGroup, productIsCurrent, billingPlanUnknown
        case advancedCommerceNotAvailable
        // The signature of an offer
        case signatureMalformed, signatureHeader, signatureKeyUnknown, signatureInvalid
        case signatureVersion, claimMissing, claimUnknown, claimExpiry, claimAudience
        case claimBundle, claimIssuer, claimNonce, nonceUsed, claimIssuedAt
        case claimTransaction, offerUnknown
    }

    package var rule: Rule
    /// A sentence that says what was found and what Apple wants.
    package var message: String

    init(_ rule: Rule, _ message: String) {
        self.rule = rule
        self.message = message
    }
}
