/// What is known of a subscriber ahead of time. Every part may be missing, and a missing one is
/// unknown, not zero.
package struct SubscriberProfile: Equatable, Sendable {
    /// What the app's own server told.
    package struct ClientFact: Equatable, Sendable {
        package let name: String
        package let value: FactValue
        package let toldAt: Instant

        package init(name: String, value: FactValue, toldAt: Instant) {
            self.name = name
            self.value = value
            self.toldAt = toldAt
        }
    }

    package struct Money: Equatable, Sendable {
        package let amountMilliunits: Int64
        /// ISO 4217.
        package let currency: String

        package init(amountMilliunits: Int64, currency: String) {
            self.amountMilliunits = amountMilliunits
            self.currency = currency
        }
    }

    package static let clientFactsLimit = 16
    /// Of a text, in bytes.
    package static let textBytesLimit = 64

    /// When the subscription began.
    package var subscribedAt: Instant?
    package var renewsAt: Instant?
    package var lastActiveAt: Instant?
    package var paidPeriods: Int64?
    package var lifetimeSpend: Money?
    /// ISO 3166-1 alpha-3.
    package var storefront: String?
    package var billingPlan: String?
    package var inTrial: Bool?
    package var inIntroOffer: Bool?
    package var inOffer: Bool?
    package var billingIssue: Bool?
    package var pageViews: Int64?
    package var refunds: Int64?
    package var openRefundRequests: Int64?
    package var cancelReason: String?
    package var clientFacts: [ClientFact] = []

    package init() {}
}

/// What a look for a subscriber brought.
package enum KnownSubscriber: Equatable, Sendable {
    /// No rule asks.
    case notNeeded
    /// Nobody could be asked in time: nothing may be concluded.
    case unavailable
    /// Asked, and nothing is there: no profile, and no offer was ever taken.
    case absent
    case known(SubscriberProfile?, asOf: Instant?, GovernorCounters)

    /// `nil` where it is not known what was taken.
    package var counters: GovernorCounters? {
        switch self {
        case .notNeeded, .unavailable: nil
        case .absent: .zero
        case .known(_, _, let counters): counters
        }
    }
}
