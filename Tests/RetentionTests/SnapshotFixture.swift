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

    let app = AppID(UUID())

    var rules: [Rule] = []
    var holdout = Holdout.nobody
    var governor = Governor.none
    var environment = StoreEnvironment.production
    var zone = ZoneOffsets.utc
    var appStoreConnectMessages: [UUID] = []
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
            tenant: TenantID(UUID()), app: app, environment: environment, number: 1,
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
            ruleSet: RuleSet(rules: rules, holdout: holdout, governor: governor),
            signingKey: nil, zone: zone, appStoreConnectMessages: appStoreConnectMessages)
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
        var asked = Asked()
        asked.product = product
        asked.languages = languages
        asked.chain = chain
        asked.environment = environment
        asked.canSignOffers = canSignOffers
        return decide(asked)
    }

    func decide(_ asked: Asked) -> Decision { ServingSnapshot(snapshot).decide(asked.inputs) }

    func explain(_ asked: Asked) -> (Decision, DecisionTrace) {
        ServingSnapshot(snapshot).explain(asked.inputs)
    }
}

/// What a request brings, with a value for everything.
struct Asked {
    static let now = Instant(milliseconds: 1_796_040_000_000)

    var product = "monthly"
    var languages = ["en"]
    var locales = ["en-US"]
    var chain = ["en-US"]
    var environment = StoreEnvironment.production
    var canSignOffers = true
    var subscriber = KnownSubscriber.absent
    var budget = BudgetReading.nothing
    var mode = ServingMode.full
    var now = Asked.now
    var bucket: @Sendable (String) -> Int = { _ in 0 }

    var inputs: DecisionInputs {
        DecisionInputs(
            request: DecisionRequest(
                productId: product, locales: locales, languages: languages,
                environment: environment),
            localeChain: chain, subscriber: subscriber, budget: budget, mode: mode,
            canSignOffers: canSignOffers, now: now, bucket: bucket)
    }

    /// With a profile that was made just now.
    static func known(
        _ counters: GovernorCounters = .zero, _ fill: (inout SubscriberProfile) -> Void = { _ in }
    ) -> Asked {
        var profile = SubscriberProfile()
        fill(&profile)
        var asked = Asked()
        asked.subscriber = .known(KeptProfile(profile), asOf: now, counters)
        return asked
    }
}
