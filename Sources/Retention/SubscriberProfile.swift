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

/// A profile with its row form, as it was read or as it would be written: with a decision is kept
/// what was there, not what this build makes of it, and nothing is encoded on the way of an answer.
/// An object, since many hold it for the time of one answer, and a copy of all its parts costs more
/// than it.
package final class KeptProfile: Equatable, Sendable {
    package let profile: SubscriberProfile
    package let body: [UInt8]

    package init(_ profile: SubscriberProfile) {
        self.profile = profile
        body = profile.encoded()
    }

    /// `nil` for a form that this build does not read: such a profile is as good as none.
    package init?(body: [UInt8]) {
        guard let profile = SubscriberProfile(body: body) else { return nil }
        self.profile = profile
        self.body = body
    }

    package static func == (left: KeptProfile, right: KeptProfile) -> Bool {
        left.body == right.body
    }
}

/// What a look for a subscriber brought.
package enum KnownSubscriber: Equatable, Sendable {
    /// No rule asks.
    case notNeeded
    /// Nobody could be asked in time: nothing may be concluded.
    case unavailable
    /// Asked, and nothing is there: no profile, and no offer was ever taken.
    case absent
    case known(KeptProfile?, asOf: Instant?, GovernorCounters)

    /// `nil` where it is not known what was taken.
    package var counters: GovernorCounters? {
        switch self {
        case .notNeeded, .unavailable: nil
        case .absent: .zero
        case .known(_, _, let counters): counters
        }
    }
}
