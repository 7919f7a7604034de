/// Something that a customer, a bank or the App Store does to one subscription.
package struct SubscriptionEvent: Codable, Sendable, Equatable {
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// The first; with `offerType` 1 or an offer code. Only where a subscription begins.
        case buy
        case renew, failRenewal, endGracePeriod, recover
        /// With `reason`: `VOLUNTARY`, `BILLING_RETRY`, `PRICE_INCREASE`, `PRODUCT_NOT_FOR_SALE`.
        case expire
        case disableAutoRenew, enableAutoRenew
        /// To `productId`.
        case upgrade, downgrade, crossgrade
        case revertDowngrade
        /// `offerType` 2, 3 or 5 on a subscription that runs, 2, 3 or 4 on one that has ended.
        case redeemOffer
        /// To `price`: the customer is asked; the customer agrees; the customer is only told.
        case proposePriceIncrease, acceptPriceIncrease, announcePriceIncrease
        /// In the app, with `reason` in Apple's words.
        case requestRefund
        /// In full, or by `percentage`.
        case refund
        case declineRefund, reverseRefund
        /// Of family access.
        case revoke
        /// By `days`.
        case extendRenewal
        case failExtension
        case resubscribe
        /// Of Advanced Commerce.
        case migrate, changeMetadata, changePrice
    }

    package var kind: Kind
    /// Milliseconds since 1970; now where nothing is said. Neither before the last event nor after
    /// the simulator's now.
    package var at: Int64?
    package var productId: String?
    /// `MONTHLY` is a year paid by the month.
    package var billingPlanType: String?
    package var offerType: Int?
    package var offerIdentifier: String?
    /// The current one where nothing is said.
    package var transactionId: String?
    package var reason: String?
    /// Of a refund, in thousandths of a percent: 100000 is all.
    package var percentage: Int64?
    /// Of an extension, 1 to 90; of the grace period after a renewal that failed.
    package var days: Int?
    /// In milliunits.
    package var price: Int64?

    package init(
        _ kind: Kind, at: Int64? = nil, productId: String? = nil, billingPlanType: String? = nil,
        offerType: Int? = nil, offerIdentifier: String? = nil, transactionId: String? = nil,
        reason: String? = nil, percentage: Int64? = nil, days: Int? = nil, price: Int64? = nil
    ) {
        self.kind = kind
        self.at = at
        self.productId = productId
        self.billingPlanType = billingPlanType
        self.offerType = offerType
        self.offerIdentifier = offerIdentifier
        self.transactionId = transactionId
        self.reason = reason
        self.percentage = percentage
        self.days = days
        self.price = price
    }
}

/// What Apple tells the developer of an event.
struct EventNotice: Sendable {
    var type: NotificationType
    var subtype: NotificationSubtype?
    /// Which of the subscription's transactions it is about.
    var transaction: Int
    /// Of a consumption request.
    var consumptionRequestReason: String?
}

extension ControlError {
    static func impossible(_ sentence: String) -> ControlError {
        ControlError(.impossibleEvent, sentence)
    }
}
