/// One period of a subscription: what one transaction paid for, or gave away.
package struct SubscriptionPeriod: Equatable, Sendable {
    /// How it came to begin.
    package enum Beginning: String, Sendable, CaseIterable {
        /// The first that is known.
        case first
        case renewal
        /// Bought while another was running: an upgrade, or a crossgrade at once.
        case change
        /// Bought after all before it had ended: the subscriber came back.
        case returned
    }

    package struct Revocation: Equatable, Sendable {
        package enum Kind: String, Sendable, CaseIterable {
            case refund
            /// The purchaser no longer shares, or got the money back.
            case family
        }

        package let kind: Kind
        package let at: Instant
        /// Of the price, in thousandths of a percent; 100,000 is all of it.
        package let share: Int64
        package let reason: RevocationReason?

        package static let wholeShare: Int64 = 100_000

        package var isFullRefund: Bool { kind == .refund && share == Self.wholeShare }
    }

    package let transactionId: String
    package let productId: String
    package let billingPlan: BillingPlanType?
    package let storefront: String?
    package let startsAt: Instant
    /// As last signed, extensions included; a revocation ends it earlier.
    package let expiresAt: Instant?
    package let beginning: Beginning
    package let offer: OfferMark?
    /// As signed, and not a promise of revenue: Apple says not to account by it.
    package let price: SubscriberProfile.Money?
    package let isShared: Bool
    /// Another product was bought over it.
    package let isUpgraded: Bool
    package let revocation: Revocation?

    /// When it was over, or will be; `nil` where Apple says no end.
    package var endsAt: Instant? {
        guard let revocation else { return expiresAt }
        return expiresAt.map { min($0, revocation.at) } ?? revocation.at
    }

    /// Nothing was asked for it.
    package var isFree: Bool {
        price.map { $0.amountMilliunits <= 0 } ?? (offer?.discountType == .freeTrial)
    }

    /// Paid by this subscriber, and not all given back.
    package var isPaid: Bool { !isShared && !isFree && revocation?.isFullRefund != true }

    /// What is left of the price after a refund; `nil` where no price is known. What a refund gives
    /// back is cut to whole thousandths.
    package var net: SubscriberProfile.Money? {
        guard let price else { return nil }
        guard !isShared, price.amountMilliunits > 0 else {
            return SubscriberProfile.Money(amountMilliunits: 0, currency: price.currency)
        }
        guard let revocation, revocation.kind == .refund else { return price }
        let whole = Revocation.wholeShare
        // Both are at most 100,000 here, so that the quotient is no more than the price.
        let (back, _) = whole.dividingFullWidth(
            price.amountMilliunits.multipliedFullWidth(by: revocation.share))
        return SubscriberProfile.Money(
            amountMilliunits: price.amountMilliunits - back, currency: price.currency)
    }
}

/// An offer that a subscriber took, once, however many periods it was for.
package struct TakenOffer: Equatable, Sendable {
    package let offer: OfferMark
    /// When it was redeemed, as far as that was signed; else when it began.
    package let at: Instant
    package let productId: String?
    /// Of the first period with it; `nil` while it waits for the next renewal.
    package let transactionId: String?

    /// Those that the governor counts: an introductory offer is everybody's.
    package var isCounted: Bool { offer.type != .introductory }
}
