/// A purchase or a renewal as the App Store keeps it; refunds and extensions change it.
struct StoreTransaction: Sendable {
    /// Apple's names of what is sold.
    enum ProductType: String, Sendable, CaseIterable {
        case autoRenewable = "Auto-Renewable Subscription"
        case nonRenewing = "Non-Renewing Subscription"
        case consumable = "Consumable"
        case nonConsumable = "Non-Consumable"

        /// As the query of the transaction history names it.
        var filterName: String {
            switch self {
            case .autoRenewable: "AUTO_RENEWABLE"
            case .nonRenewing: "NON_RENEWABLE"
            case .consumable: "CONSUMABLE"
            case .nonConsumable: "NON_CONSUMABLE"
            }
        }
    }

    enum Reason: String, Sendable {
        case purchase = "PURCHASE"
        case renewal = "RENEWAL"
    }

    struct Revocation: Sendable {
        enum Kind: String, Sendable {
            case fullRefund = "REFUND_FULL"
            case proratedRefund = "REFUND_PRORATED"
            case family = "FAMILY_REVOKE"
        }

        var at: Int64
        /// 0 other, 1 an issue within the app.
        var reason: Int64
        var kind: Kind
        /// Thousandths of a percent; of refunds.
        var percentage: Int64?
    }

    /// The offer under which a period was or will be paid.
    struct Offer: Sendable {
        var type: Int
        var identifier: String?
        var discountType: String
        /// The whole of the offer, as `P3M`.
        var period: SubscriptionPeriod
        /// For each transaction under it.
        var price: Int64
        /// Transactions under it that are still to come: more than one only where it is paid as
        /// one goes.
        var remaining: Int
    }

    /// A year paid by the month (`commitmentInfo`).
    struct Commitment: Sendable {
        static let billingPeriods: Int64 = 12

        var periodNumber: Int64
        var expiresDate: Int64
        var price: Int64
    }

    var transactionId: String
    var webOrderLineItemId: String?
    var productId: String
    var type = ProductType.autoRenewable
    var purchaseDate: Int64
    /// Of subscriptions.
    var expiresDate: Int64?
    var reason: Reason
    var price: Int64
    var offer: Offer?
    var billingPlanType: String?
    var commitment: Commitment?
    var isUpgraded = false
    var revocation: Revocation?
    /// The ledger's count when it was last changed.
    var modified: Int64 = 0

    init(
        transactionId: String, productId: String, purchaseDate: Int64, expiresDate: Int64?,
        reason: Reason, price: Int64
    ) {
        self.transactionId = transactionId
        self.productId = productId
        self.purchaseDate = purchaseDate
        self.expiresDate = expiresDate
        self.reason = reason
        self.price = price
    }
}

/// Who bought, and where; the same for all transactions of one subscription.
struct Purchaser: Sendable {
    var originalTransactionId: String
    /// The customer in this app: one for all that is bought in it.
    var appTransactionId: String
    var appAccountToken: String?
    var storefront: String
    var currency: String
    var isFamilyShared: Bool
    var originalPurchaseDate: Int64
    var subscriptionGroup: String?
    /// Before a migration to Advanced Commerce.
    var previousOriginalTransactionId: String?

    var ownership: String { isFamilyShared ? "FAMILY_SHARED" : "PURCHASED" }
}
