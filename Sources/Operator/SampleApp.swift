package import Retention
internal import RetentionStore

/// One app of the sample agency, before it is made.
package struct SampleApp: Sendable {
    package static let issuerId = "57246542-96fe-1a63-e053-0824d011072a"

    package let name: String
    package let client: String
    package let bundleId: String
    package let appAppleId: Int64
    /// Texts left PENDING by review in production: their readers get another locale's, and never
    /// what Apple has not approved.
    package let pending: [SampleMessage: Set<String>]
    /// Whether App Store Connect holds a message with an offer of its own: Apple's second layer.
    let hasAppStoreConnectMessage: Bool
    private let rules:
        @Sendable (SampleApp, [SampleMessage: MessageID]) -> [(String, Condition, Treatment)]

    package var keyId: String { "DEMO\(appAppleId)" }
    var group: String { bundleId + ".plus" }
    package var monthly: String { bundleId + ".plus.monthly" }
    var annual: String { bundleId + ".plus.annual" }
    package var offerIdentifier: String { "half_price_three_months" }

    /// Of a tester's subscription in the sandbox.
    var testerTransactionId: String { "200000\(appAppleId)" }

    package var products: [Product] {
        [
            Product(
                productId: monthly, subscriptionGroup: group, period: "P1M", billingPlans: []),
            // Paid at once, or month by month with a commitment of twelve months.
            Product(
                productId: annual, subscriptionGroup: group, period: "P1Y",
                billingPlans: [.billedUpfront, .monthly]),
        ]
    }

    package static let all: [SampleApp] = [
        SampleApp(
            name: "Tideline News", client: "Harbour Media", bundleId: "com.example.tideline",
            appAppleId: 6_500_000_001, pending: [:], hasAppStoreConnectMessage: false, rules: news),
        SampleApp(
            name: "Tideline Kids", client: "Harbour Media", bundleId: "com.example.tidelinekids",
            appAppleId: 6_500_000_002, pending: [:], hasAppStoreConnectMessage: true, rules: kids),
        SampleApp(
            name: "Summit Fit", client: "Summit Health", bundleId: "com.example.summitfit",
            appAppleId: 6_500_000_003, pending: [.highlights: ["ja"]],
            hasAppStoreConnectMessage: false, rules: fit),
    ]

    /// Its rules, given the identifiers of its messages.
    package func ruleSet(_ messages: [SampleMessage: MessageID], at now: Instant) -> RuleSet {
        RuleSet(
            rules: rules(self, messages).map { name, when, treatment in
                Rule(id: .make(at: now), name: name, when: when, treatment: treatment)
            })
    }

    private static func news(
        _ app: SampleApp, _ messages: [SampleMessage: MessageID]
    ) -> [(String, Condition, Treatment)] {
        guard let highlights = messages[.highlights], let commitment = messages[.commitment],
            let halfPrice = messages[.halfPrice]
        else { return [] }
        return [
            (
                "monthly readers of Japanese: the annual plan, paid monthly",
                Condition.of(productIds: [app.monthly], languages: ["ja"]),
                .switchPlan(commitment, productId: app.annual, billingPlanType: .monthly)
            ),
            (
                "monthly readers of Spanish: half price",
                Condition.of(productIds: [app.monthly], languages: ["es"]),
                .promotionalOffer(
                    halfPrice, productId: app.monthly, offerIdentifier: app.offerIdentifier)
            ),
            (
                "everybody else who pays monthly: what is new",
                Condition.of(productIds: [app.monthly]), .message(highlights)
            ),
        ]
    }

    private static func kids(
        _ app: SampleApp, _ messages: [SampleMessage: MessageID]
    ) -> [(String, Condition, Treatment)] {
        guard let halfPrice = messages[.halfPrice] else { return [] }
        return [
            (
                "annual: leave it to App Store Connect", Condition.of(productIds: [app.annual]),
                .fallback
            ),
            (
                "monthly: half price", .always,
                .promotionalOffer(
                    halfPrice, productId: app.monthly, offerIdentifier: app.offerIdentifier)
            ),
        ]
    }

    private static func fit(
        _ app: SampleApp, _ messages: [SampleMessage: MessageID]
    ) -> [(String, Condition, Treatment)] {
        guard let highlights = messages[.highlights], let commitment = messages[.commitment] else {
            return []
        }
        return [
            (
                "monthly: the annual plan, paid monthly", Condition.of(productIds: [app.monthly]),
                .switchPlan(commitment, productId: app.annual, billingPlanType: .monthly)
            ),
            (
                "everybody else: what is new, where Apple has approved it", .always,
                .message(highlights)
            ),
        ]
    }
}
