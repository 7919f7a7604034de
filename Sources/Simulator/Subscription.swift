/// One subscription of one customer: what was paid, what will be, and what of that the customer
/// and the App Store have changed. `SubscriptionEvents` moves it.
///
/// ```
///            ┌───────────── renew ─────────────┐
///  buy ─► active ─► billing retry ─► recovered ┘
///            │  └─► grace ─► billing retry ─► expired ─► resubscribe, win-back ─► active
///            ├─────────────────────────────► expired
///            └─► revoked (refund, family) ─► active again (reversal)
/// ```
struct Subscription: Sendable {
    enum Phase: Sendable, Equatable {
        case active
        /// The App Store tries to collect; there is no access.
        case billingRetry
        /// The App Store tries to collect, and the customer keeps access until then.
        case gracePeriod(until: Int64)
        case expired(ExpirationIntent)
        case revoked
    }

    /// `appstoreserverapi/expirationintent`.
    enum ExpirationIntent: Int64, Sendable {
        case cancelled = 1
        case billingError = 2
        case priceIncrease = 3
        case productUnavailable = 4
        case other = 5
    }

    struct PriceIncrease: Sendable {
        var price: Int64
        var isAccepted: Bool
    }

    /// Transaction ids are numbered within the subscription, so that those of one do not depend on
    /// what happens to others.
    static let transactionsLimit = 10_000
    static let extensionsLimit = 2
    static let extensionYear: Int64 = 365 * 86_400_000

    let number: Int
    var purchaser: Purchaser
    /// In the order of purchase; the last one is the current one.
    var transactions: [StoreTransaction]
    var phase: Phase
    var autoRenews = true
    /// What the next renewal buys.
    var renewalProductId: String
    var renewalPlanType: String?
    /// Begins with the next renewal.
    var renewalOffer: StoreTransaction.Offer?
    var priceIncrease: PriceIncrease?
    /// The price of renewals where it is not the product's, after an increase.
    var ownPrice: Int64?
    /// Of the present unbroken run of periods.
    var recentStartDate: Int64
    /// When the renewal date was extended.
    var extensions: [Int64] = []
    /// A refund is asked for in the app: the transaction.
    var refundRequest: String?
    /// What the phase was before the last refund, for a reversal.
    var phaseBeforeRefund: Phase?
    /// Events come in their order.
    var lastEventAt: Int64
    /// How many notifications there were, from which theirs get their identifiers.
    var notices = 0

    var current: StoreTransaction { transactions[transactions.count - 1] }

    var expiresDate: Int64 { current.expiresDate ?? current.purchaseDate }

    /// 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked
    /// (`appstoreserverapi/status`).
    var status: Int64 {
        switch phase {
        case .active: 1
        case .expired: 2
        case .billingRetry: 3
        case .gracePeriod: 4
        case .revoked: 5
        }
    }

    /// Whether Apple has a subscription page with a button to cancel.
    var isActive: Bool {
        switch phase {
        case .active, .gracePeriod: true
        case .billingRetry, .expired, .revoked: false
        }
    }

    var isCommitted: Bool {
        guard let commitment = current.commitment else { return false }
        return commitment.periodNumber < StoreTransaction.Commitment.billingPeriods
    }

    /// Whether the next period will be bought.
    var willRenew: Bool { autoRenews || isCommitted }

    var isFree: Bool { current.price == 0 }
}

/// What a driver of the control API sees of a subscription.
package struct SubscriptionView: Codable, Sendable, Equatable {
    package var originalTransactionId: String
    package var appTransactionId: String
    package var productId: String
    package var renewalProductId: String
    package var storefront: String
    /// Apple's number: 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.
    package var status: Int64
    package var autoRenews: Bool
    package var expiresDate: Int64
    package var gracePeriodExpiresDate: Int64?
    package var isFamilyShared: Bool
    /// Oldest first.
    package var transactionIds: [String]

    init(_ subscription: Subscription) {
        originalTransactionId = subscription.purchaser.originalTransactionId
        appTransactionId = subscription.purchaser.appTransactionId
        productId = subscription.current.productId
        renewalProductId = subscription.renewalProductId
        storefront = subscription.purchaser.storefront
        status = subscription.status
        autoRenews = subscription.autoRenews
        expiresDate = subscription.expiresDate
        if case .gracePeriod(let until) = subscription.phase { gracePeriodExpiresDate = until }
        isFamilyShared = subscription.purchaser.isFamilyShared
        transactionIds = subscription.transactions.map(\.transactionId)
    }
}
