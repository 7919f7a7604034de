/// What a condition can ask about a request or a subscriber.
package enum Fact: Hashable, Sendable {
    // Of the request: always known, never old.
    case productId, subscriptionGroup, locale, language, environment
    // Of the profile, folded from Apple's signed data.
    case billingPlan, storefront, tenureDays, paidPeriods, lifetimeSpend, inTrial, inIntroOffer
    case inOffer, daysToRenewal, pageViews, refunds, openRefundRequests, billingIssue
    case daysSinceActive, cancelReason
    // Of the governor's counters.
    case offersTaken, daysSinceOfferTaken
    /// What the app's own server told of the subscriber, under a name of its choice.
    case client(String)

    /// What kind of test a fact takes.
    package enum Form: Sendable {
        case text, number, flag, money
        /// Text, number, flag or version, as the client gave it.
        case open
    }

    /// Where it comes from, and so what must be there for it to be known.
    package enum Source: Sendable {
        case request, profile, counters
    }

    /// All but those of clients, in the order of the documentation.
    package static let fixed: [Fact] = [
        .productId, .subscriptionGroup, .locale, .language, .environment, .billingPlan, .storefront,
        .tenureDays, .paidPeriods, .lifetimeSpend, .inTrial, .inIntroOffer, .inOffer,
        .daysToRenewal, .pageViews, .refunds, .openRefundRequests, .billingIssue, .daysSinceActive,
        .cancelReason, .offersTaken, .daysSinceOfferTaken,
    ]
    static let clientPrefix = "client."
    /// Of a client's fact, after the prefix, in bytes.
    package static let clientNameBytesLimit = 32

    private static let byName = Dictionary(
        fixed.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// As JSON has it: `tenureDays`, `client.appVersion`. `nil` for a name that is none.
    package init?(name: String) {
        if let fact = Self.byName[name] {
            self = fact
            return
        }
        guard name.hasPrefix(Self.clientPrefix) else { return nil }
        let own = String(name.dropFirst(Self.clientPrefix.count))
        guard Self.isClientName(own) else { return nil }
        self = .client(own)
    }

    package var name: String {
        if case .client(let own) = self { return Self.clientPrefix + own }
        return "\(self)"
    }

    /// A letter, then letters, digits, `_` and `-`.
    package static func isClientName(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        guard let first = bytes.first, bytes.count <= clientNameBytesLimit, isLetter(first) else {
            return false
        }
        return bytes.allSatisfy {
            isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5f || $0 == 0x2d
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x61...0x7a).contains(byte | 0x20)
    }

    package var form: Form {
        switch self {
        case .productId, .subscriptionGroup, .locale, .language, .environment, .billingPlan,
            .storefront, .cancelReason:
            .text
        case .tenureDays, .paidPeriods, .daysToRenewal, .pageViews, .refunds, .openRefundRequests,
            .daysSinceActive, .offersTaken, .daysSinceOfferTaken:
            .number
        case .inTrial, .inIntroOffer, .inOffer, .billingIssue: .flag
        case .lifetimeSpend: .money
        case .client: .open
        }
    }

    package var source: Source {
        switch self {
        case .productId, .subscriptionGroup, .locale, .language, .environment: .request
        case .offersTaken, .daysSinceOfferTaken: .counters
        default: .profile
        }
    }

    /// How old it may be where a condition says nothing of its own, in hours; `nil` for what has no
    /// age. What a renewal or a tap can change counts for two days, the rest for a week.
    package var defaultAgeLimitHours: Int64? {
        switch source {
        case .request, .counters: return nil
        case .profile: break
        }
        return switch self {
        case .inTrial, .inIntroOffer, .inOffer, .daysToRenewal, .openRefundRequests, .billingIssue,
            .daysSinceActive:
            48
        default: 168
        }
    }
}

/// What is known of a fact.
package enum FactValue: Equatable, Sendable {
    case text(String)
    /// Every code that names the same language.
    case texts([String])
    case number(Int64)
    case flag(Bool)
    /// In thousandths of the currency.
    case money(Int64, currency: String)
}

extension FactValue: CustomStringConvertible {
    package var description: String {
        switch self {
        case .text(let text): text
        case .texts(let texts): texts.joined(separator: ", ")
        case .number(let number): String(number)
        case .flag(let flag): String(flag)
        case .money(let milliunits, let currency): "\(milliunits) milliunits \(currency)"
        }
    }
}
