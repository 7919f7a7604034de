// Apple's words in signed data. All are open: a value that Apple adds later is kept as it came, can
// be shown, and is ignored by logic.
//
// Apple's pages: appstoreserverapi/jwstransactiondecodedpayload,
// appstoreserverapi/jwsrenewalinfodecodedpayload.

/// How an offer came about. 5 exists in the wild and not yet in Apple's own libraries.
package struct OfferType: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    package static let introductory = OfferType(rawValue: 1)
    package static let promotional = OfferType(rawValue: 2)
    package static let offerCode = OfferType(rawValue: 3)
    package static let winBack = OfferType(rawValue: 4)
    package static let retention = OfferType(rawValue: 5)
}

package struct OfferDiscountType: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let freeTrial = OfferDiscountType(rawValue: "FREE_TRIAL")
    /// A lower price for several periods, each a transaction of its own.
    package static let payAsYouGo = OfferDiscountType(rawValue: "PAY_AS_YOU_GO")
    package static let payUpFront = OfferDiscountType(rawValue: "PAY_UP_FRONT")
}

package struct TransactionType: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let autoRenewable = TransactionType(rawValue: "Auto-Renewable Subscription")
}

package struct TransactionReason: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let purchase = TransactionReason(rawValue: "PURCHASE")
    package static let renewal = TransactionReason(rawValue: "RENEWAL")
}

/// Apple's `inAppOwnershipType`.
package struct OwnershipType: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let purchased = OwnershipType(rawValue: "PURCHASED")
    /// Somebody of the family pays.
    package static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
}

package struct RevocationType: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let fullRefund = RevocationType(rawValue: "REFUND_FULL")
    package static let proratedRefund = RevocationType(rawValue: "REFUND_PRORATED")
    package static let family = RevocationType(rawValue: "FAMILY_REVOKE")
}

/// 0 another reason, 1 a fault of the app.
package struct RevocationReason: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

package struct AutoRenewStatus: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    package static let off = AutoRenewStatus(rawValue: 0)
    package static let on = AutoRenewStatus(rawValue: 1)

    /// `nil` for a value that is not known.
    package var isOn: Bool? {
        switch self {
        case .off: false
        case .on: true
        default: nil
        }
    }
}

/// Why a subscription ended.
package struct ExpirationIntent: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    package static let cancelled = ExpirationIntent(rawValue: 1)
    package static let billingError = ExpirationIntent(rawValue: 2)
    package static let noConsentToPrice = ExpirationIntent(rawValue: 3)
    package static let productUnavailable = ExpirationIntent(rawValue: 4)
    package static let other = ExpirationIntent(rawValue: 5)
}

package struct PriceIncreaseStatus: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    package static let pending = PriceIncreaseStatus(rawValue: 0)
    /// Agreed to, or only told where no consent is needed.
    package static let accepted = PriceIncreaseStatus(rawValue: 1)
}

/// Apple's `status` of a subscription.
package struct SubscriptionStatus: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    package static let active = SubscriptionStatus(rawValue: 1)
    package static let expired = SubscriptionStatus(rawValue: 2)
    package static let billingRetry = SubscriptionStatus(rawValue: 3)
    package static let gracePeriod = SubscriptionStatus(rawValue: 4)
    package static let revoked = SubscriptionStatus(rawValue: 5)
}
