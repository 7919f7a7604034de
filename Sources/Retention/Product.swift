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

/// What a storefront asks, in thousandths of the currency.
package struct Price: Hashable, Sendable {
    /// ISO 3166-1 alpha-3: `DEU`.
    package let storefront: String
    package let amountMilliunits: Int64
    /// ISO 4217: `EUR`.
    package let currency: String

    package init(storefront: String, amountMilliunits: Int64, currency: String) {
        self.storefront = storefront
        self.amountMilliunits = amountMilliunits
        self.currency = currency
    }
}

/// What a billing plan of a product costs in one storefront.
package struct BillingPlanPrice: Hashable, Sendable {
    package let plan: BillingPlanType
    package let price: Price

    package init(plan: BillingPlanType, price: Price) {
        self.plan = plan
        self.price = price
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

/// What an offer gives, as far as it was said: no answer needs it, people and reports do.
package struct OfferTerms: Hashable, Sendable {
    /// Apple's word, open: `FREE_TRIAL`, `PAY_AS_YOU_GO`, `PAY_UP_FRONT`.
    package let offerMode: String?
    /// ISO 8601 duration of one period.
    package let period: String?
    package let periodCount: Int32?
    /// Apple's words, open: `NEW`, `EXISTING`, `EXPIRED`.
    package let customerEligibilities: [String]
    package let prices: [Price]

    package static let unknown = OfferTerms(
        offerMode: nil, period: nil, periodCount: nil, customerEligibilities: [], prices: [])

    package init(
        offerMode: String?, period: String?, periodCount: Int32?, customerEligibilities: [String],
        prices: [Price]
    ) {
        self.offerMode = offerMode
        self.period = period
        self.periodCount = periodCount
        self.customerEligibilities = customerEligibilities
        self.prices = prices
    }
}
