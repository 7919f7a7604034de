package import FoundationEssentials

/// What Apple signed about the next renewal, as of `signedDate`. It has no bundleId.
///
/// Apple's page: appstoreserverapi/jwsrenewalinfodecodedpayload
package struct RenewalFact: Equatable, Sendable {
    /// What follows on a 12-month commitment.
    package struct Commitment: Equatable, Sendable {
        package var autoRenewProductId: String?
        package var autoRenewStatus: AutoRenewStatus?
        package var billingPlan: BillingPlanType?
        package var renewalDate: Instant?
        package var renewalPriceMilliunits: Int64?

        package init() {}
    }

    package let originalTransactionId: String
    package let signedDate: Instant
    package let environment: String

    package var productId: String?
    package var autoRenewProductId: String?
    package var autoRenewStatus: AutoRenewStatus?
    package var isInBillingRetryPeriod: Bool?
    package var gracePeriodExpiresDate: Instant?
    package var expirationIntent: ExpirationIntent?
    package var priceIncreaseStatus: PriceIncreaseStatus?
    package var offer: OfferMark?
    package var recentSubscriptionStartDate: Instant?
    package var renewalDate: Instant?
    package var currency: String?
    package var renewalPriceMilliunits: Int64?
    package var billingPlan: BillingPlanType?
    /// The best first.
    package var eligibleWinBackOfferIds: [String] = []
    package var appAccountToken: UUID?
    package var appTransactionId: String?
    package var commitment: Commitment?

    package init(originalTransactionId: String, signedDate: Instant, environment: String) {
        self.originalTransactionId = originalTransactionId
        self.signedDate = signedDate
        self.environment = environment
    }
}
