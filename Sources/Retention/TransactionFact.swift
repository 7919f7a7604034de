package import FoundationEssentials

/// One version of a transaction, as Apple signed it: a refund, an extension and an upgrade sign the
/// same `transactionId` anew. Optional members may be missing at any time.
///
/// Apple's page: appstoreserverapi/jwstransactiondecodedpayload
package struct TransactionFact: Equatable, Sendable {
    /// Where in a 12-month commitment the period is.
    package struct Commitment: Equatable, Sendable {
        /// From 1.
        package var billingPeriodNumber: Int64?
        package var totalBillingPeriods: Int64?
        package var expiresDate: Instant?
        package var priceMilliunits: Int64?

        package init() {}
    }

    package let originalTransactionId: String
    package let transactionId: String
    package let productId: String
    package let purchaseDate: Instant
    package let signedDate: Instant
    /// `Production` or `Sandbox` where it is to count; as it came.
    package let environment: String
    package let bundleId: String

    /// One purchase, whatever transactions were made of it.
    package var webOrderLineItemId: String?
    package var appTransactionId: String?
    package var subscriptionGroupIdentifier: String?
    package var type: TransactionType?
    package var originalPurchaseDate: Instant?
    package var expiresDate: Instant?
    package var quantity: Int64?
    package var appAccountToken: UUID?
    package var ownership: OwnershipType?
    package var revocationDate: Instant?
    package var revocationReason: RevocationReason?
    package var revocationType: RevocationType?
    /// Thousandths of a percent: 100,000 is all.
    package var revocationPercentage: Int64?
    package var isUpgraded: Bool?
    package var offer: OfferMark?
    /// ISO 3166-1 alpha-3.
    package var storefront: String?
    package var storefrontId: String?
    package var reason: TransactionReason?
    /// ISO 4217.
    package var currency: String?
    package var priceMilliunits: Int64?
    package var billingPlan: BillingPlanType?
    package var commitment: Commitment?
    /// What the subscription was called before it was migrated.
    package var previousOriginalTransactionId: String?

    package init(
        originalTransactionId: String, transactionId: String, productId: String,
        purchaseDate: Instant, signedDate: Instant, environment: String, bundleId: String
    ) {
        self.originalTransactionId = originalTransactionId
        self.transactionId = transactionId
        self.productId = productId
        self.purchaseDate = purchaseDate
        self.signedDate = signedDate
        self.environment = environment
        self.bundleId = bundleId
    }

    package var isShared: Bool { ownership == .familyShared }
}
