package import FoundationEssentials

/// Where a subscription stands by all that the App Store signed about it. It is a function of the
/// set of these facts and of nothing else: no clock, no order of arrival. What depends on the time
/// takes it as a parameter. `docs/subscriptions.md` has each member's definition.
package struct SubscriptionState: Equatable, Sendable {
    /// Of the newest, of each list; totals are of all.
    package static let periodsLimit = 64
    package static let offersLimit = 64
    package static let changesLimit = 64
    package static let refundRequestsLimit = 64

    /// Apple tries to bill for so long.
    package static let billingRetryLimitMilliseconds: Int64 = 60 * 86_400_000
    /// A renewal that is due and of which nothing was heard yet.
    package static let awaitedRenewalLimitMilliseconds: Int64 = 86_400_000
    /// Apple tells of a declined request only where the app asked for it.
    package static let refundRequestLimitMilliseconds: Int64 = 30 * 86_400_000

    /// What Apple wants to know before it decides on money back.
    package struct RefundRequest: Equatable, Sendable {
        package let transactionId: String
        package let at: Instant
        package let reason: ConsumptionRequestReason?
    }

    /// From then on the subscriber wanted this.
    package struct RenewalChange: Equatable, Sendable {
        package let at: Instant
        package let autoRenewing: Bool?
        package let productId: String?
    }

    package struct Commitment: Equatable, Sendable {
        package let now: TransactionFact.Commitment?
        package let next: RenewalFact.Commitment?
    }

    package struct NextRenewal: Equatable, Sendable {
        package let productId: String?
        package let billingPlan: BillingPlanType?
        package let date: Instant?
        package let price: SubscriberProfile.Money?
    }

    package var originalTransactionId: String?
    /// The date of the newest fact.
    package var asOf: Instant?
    package var subscribedAt: Instant?
    /// Apple's word: the start of the present series, short lapses left out.
    package var recentStartAt: Instant?

    package var productId: String?
    package var subscriptionGroup: String?
    package var billingPlan: BillingPlanType?
    package var storefront: String?
    package var ownership: OwnershipType?
    package var currency: String?
    package var expiresAt: Instant?
    package var revocation: SubscriptionPeriod.Revocation?
    /// Of the current period.
    package var offer: OfferMark?
    package var appAccountToken: UUID?
    package var previousOriginalTransactionId: String?
    package var migratedAt: Instant?

    package var autoRenewing: Bool?
    package var next: NextRenewal?
    /// What the next renewal changes to.
    package var pendingProductId: String?
    package var pendingBillingPlan: BillingPlanType?
    package var isInBillingRetry = false
    package var graceEndsAt: Instant?
    package var expirationIntent: ExpirationIntent?
    package var priceIncrease: PriceIncreaseStatus?
    package var eligibleWinBackOfferIds: [String] = []
    package var commitment: Commitment?
    /// In Apple's newest word; `status(at:)` is ours.
    package var statusAtApple: SubscriptionStatus?

    package var paidPeriods: Int64 = 0
    /// Net of refunds, by currency in the order of their letters.
    package var spend: [SubscriberProfile.Money] = []
    package var refunds: Int64 = 0
    package var returns: Int64 = 0
    package var lastReturnedAt: Instant?
    package var extensions: Int64 = 0
    package var lastExtendedAt: Instant?
    package var offersTakenCount: Int64 = 0
    package var lastOfferAt: Instant?

    /// Each list has the oldest first.
    package var periods: [SubscriptionPeriod] = []
    package var offersTaken: [TakenOffer] = []
    package var renewalChanges: [RenewalChange] = []
    package var refundRequests: [RefundRequest] = []

    package init() {}

    /// Any order, any number of each. Further facts: `SubscriptionHistory`.
    package static func fold(_ facts: some Sequence<SignedFact>) -> SubscriptionState {
        SubscriptionHistory(facts).state
    }
}

// What a time makes of it.
extension SubscriptionState {
    /// `nil` where no transaction, or none with an end, is known.
    package func status(at now: Instant) -> SubscriptionStatus? {
        if revocation != nil { return .revoked }
        guard let expiresAt else { return nil }
        if now < expiresAt { return .active }
        if isInBillingRetry {
            if let graceEndsAt, now < graceEndsAt { return .gracePeriod }
            let end = expiresAt.advanced(by: Self.billingRetryLimitMilliseconds)
            return now < end ? .billingRetry : .expired
        }
        let isAwaited = autoRenewing == true && expirationIntent == nil
        let end = expiresAt.advanced(by: Self.awaitedRenewalLimitMilliseconds)
        return isAwaited && now < end ? .active : .expired
    }

    /// Those that may still be answered.
    package func openRefundRequests(at now: Instant) -> [RefundRequest] {
        refundRequests.filter { now < $0.at.advanced(by: Self.refundRequestLimitMilliseconds) }
    }

    /// All instants at which something that is asked by time changes; others may be among them.
    var turningPoints: [Instant] {
        var points = refundRequests.map {
            $0.at.advanced(by: Self.refundRequestLimitMilliseconds)
        }
        if let graceEndsAt { points.append(graceEndsAt) }
        if let expiresAt {
            points += [
                expiresAt, expiresAt.advanced(by: Self.billingRetryLimitMilliseconds),
                expiresAt.advanced(by: Self.awaitedRenewalLimitMilliseconds),
            ]
        }
        return points
    }

    /// - Parameter escalationLevel: it is not Apple's to say.
    package func governorCounters(escalationLevel: Int32) -> GovernorCounters {
        GovernorCounters(
            offersTaken: Int32(clamping: offersTakenCount), lastOfferAt: lastOfferAt,
            escalationLevel: escalationLevel)
    }
}

extension Instant {
    /// Stops at the end of what can be said.
    package func advanced(by milliseconds: Int64) -> Instant {
        let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
        guard overflow else { return Instant(milliseconds: sum) }
        return Instant(milliseconds: milliseconds > 0 ? .max : .min)
    }
}
