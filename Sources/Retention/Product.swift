/// How a period is paid, in Apple's words. Open: a value Apple adds later is kept as it came.
///
/// Source: developer.apple.com/documentation/retentionmessaging/billingplantype
package struct BillingPlanType: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Monthly payments with a 12-month commitment.
    package static let monthly = BillingPlanType(rawValue: "MONTHLY")
    /// The whole period paid at its start.
    package static let billedUpfront = BillingPlanType(rawValue: "BILLED_UPFRONT")

    package init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// An auto-renewable subscription of an app.
package struct Product: Codable, Hashable, Sendable {
    package let productId: String
    /// A plan switch may only lead to another product of the same group.
    package let subscriptionGroup: String
    /// ISO 8601 duration of one period: `P1M`, `P1Y`.
    package let period: String
    package let billingPlans: [BillingPlanType]

    package init(
        productId: String, subscriptionGroup: String, period: String,
        billingPlans: [BillingPlanType]
    ) {
        self.productId = productId
        self.subscriptionGroup = subscriptionGroup
        self.period = period
        self.billingPlans = billingPlans
    }
}

/// What kind of offer it is; only promotional ones may be named in a real-time answer.
package enum OfferKind: String, Codable, Sendable, CaseIterable {
    case promotional, retention, winBack
}

/// A discount set up in App Store Connect for one product.
package struct Offer: Codable, Hashable, Sendable {
    package let offerIdentifier: String
    package let productId: String
    package let kind: OfferKind

    package init(offerIdentifier: String, productId: String, kind: OfferKind) {
        self.offerIdentifier = offerIdentifier
        self.productId = productId
        self.kind = kind
    }
}
