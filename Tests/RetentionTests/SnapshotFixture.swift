import FoundationEssentials
import Retention

/// A snapshot with two groups of products, messages of every kind, and whatever rules a test sets.
struct SnapshotFixture {
    let text = MessageID(UUID())
    let switchPlan = MessageID(UUID())
    let offer = MessageID(UUID())
    let english = UUID()
    let japanese = UUID()
    let switchText = UUID()
    let offerText = UUID()
    let englishDefault = UUID()
    let japaneseDefault = UUID()

    var rules: [Rule] = []
    var defaultLocale = "en-US"
    var products = [
        Product(productId: "monthly", subscriptionGroup: "one", period: "P1M", billingPlans: []),
        Product(
            productId: "yearly", subscriptionGroup: "one", period: "P1Y",
            billingPlans: [.monthly, .billedUpfront]),
        Product(productId: "stranger", subscriptionGroup: "two", period: "P1M", billingPlans: []),
    ]
    var offers = [
        Offer(offerIdentifier: "half", productId: "monthly", kind: .promotional),
        Offer(offerIdentifier: "half", productId: "yearly", kind: .promotional),
        Offer(offerIdentifier: "back", productId: "monthly", kind: .winBack),
        Offer(offerIdentifier: "keep", productId: "monthly", kind: .retention),
        Offer(offerIdentifier: "half", productId: "stranger", kind: .promotional),
    ]

    var snapshot: Snapshot {
        Snapshot(
            tenant: TenantID(UUID()), app: AppID(UUID()), environment: .production, number: 1,
            bundleId: "com.example.app", appAppleId: 1, defaultLocale: defaultLocale,
            endpointTokenHashes: [], products: products, offers: offers,
            messages: [
                ServedMessage(
                    id: text, kind: .text, placements: ["en-US": english, "ja": japanese]),
                ServedMessage(
                    id: switchPlan, kind: .switchPlan, placements: ["en-US": switchText]),
                ServedMessage(
                    id: offer, kind: .promotionalOffer, placements: ["en-US": offerText]),
            ],
            defaults: [
                ServedDefault(
                    productId: "monthly", locale: "en-US", messageIdentifier: englishDefault),
                ServedDefault(
                    productId: "monthly", locale: "ja", messageIdentifier: japaneseDefault),
            ],
            ruleSet: RuleSet(rules: rules), signingKey: nil)
    }

    func with(_ treatments: Treatment...) -> SnapshotFixture {
        var copy = self
        copy.rules = treatments.map {
            Rule(id: RuleID(UUID()), name: "rule", when: .always, treatment: $0)
        }
        return copy
    }

    func decide(
        product: String = "monthly", languages: [String] = ["en"], chain: [String] = ["en-US"],
        environment: StoreEnvironment = .production, canSignOffers: Bool = true
    ) -> Decision {
        ServingSnapshot(snapshot).decide(
            DecisionRequest(productId: product, languages: languages, environment: environment),
            localeChain: chain, canSignOffers: canSignOffers)
    }
}
