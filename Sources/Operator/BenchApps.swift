internal import Retention
internal import RetentionStore
internal import Signing

/// The apps of a benchmark: each answers the monthly product with a message and the annual one
/// with a freshly signed offer, both approved at Apple.
struct BenchApp: Sendable {
    let tenant: TenantID
    let id: AppID
    let appAppleId: Int64
    let bundleId: String
    /// Of the real-time URL in production.
    let path: String

    /// The product whose answer is a message.
    var messageProduct: String { bundleId + ".monthly" }
    /// The product whose answer carries an offer.
    var offerProduct: String { bundleId + ".annual" }

    fileprivate static let offer = "half_price_three_months"
    fileprivate static let locales = ["en-US", "ja", "es-MX"]
    private static let firstAppleId: Int64 = 7_000_000_000

    /// Makes an agency with so many apps; they are numbered on from `after`.
    static func make(
        _ count: Int, after: Int = 0, in store: RetentionStore, sealedTo platformKey: PublicKey,
        now: Instant
    ) throws -> [BenchApp] {
        let scope = Scope.operatorCommand(tenant: .make(at: now))
        let client = Client(id: .make(at: now), name: "Bench")
        try store.transaction(scope, at: now) { transaction in
            try transaction.createTenant(name: "Bench")
            try transaction.createClient(client)
        }
        return try (after..<after + count).map { number in
            try store.transaction(scope, at: now) { transaction in
                try make(number, scope.tenant, client.id, sealedTo: platformKey, transaction)
            }
        }
    }

    private static func make(
        _ number: Int, _ tenant: TenantID, _ client: ClientID, sealedTo platformKey: PublicKey,
        _ transaction: TenantTransaction
    ) throws -> BenchApp {
        let now = transaction.now
        let id = AppID.make(at: now)
        let place = AppEnvironment(app: id, environment: .production)
        let (bundleId, appleId) = ("com.example.bench\(number)", firstAppleId + Int64(number))
        try transaction.createApp(
            App(
                id: id, client: client, name: "Bench \(number)", bundleId: bundleId,
                appAppleId: appleId, defaultLocale: locales[0]))
        let app = BenchApp(
            tenant: tenant, id: id, appAppleId: appleId, bundleId: bundleId, path: "")
        for (product, period) in [(app.messageProduct, "P1M"), (app.offerProduct, "P1Y")] {
            try transaction.createProduct(
                Product(
                    productId: product, subscriptionGroup: bundleId, period: period,
                    billingPlans: []), of: id)
        }
        try transaction.createOffer(
            Offer(offerIdentifier: offer, productId: app.offerProduct, kind: .promotional),
            of: id)
        try transaction.storeCredential(
            InAppPurchaseKey(
                keyId: "BENCH\(number)", issuerId: SampleApp.issuerId,
                key: try PrivateKey.generate()),
            id: .make(at: now), of: id, sealedTo: platformKey)
        try app.publishRules(at: place, transaction)
        let token = try transaction.createEndpoint(.make(at: now), at: place, sealedTo: platformKey)
        return BenchApp(
            tenant: app.tenant, id: id, appAppleId: appleId, bundleId: bundleId,
            path: "/realtime/\(token)")
    }

    private func publishRules(
        at place: AppEnvironment, _ transaction: TenantTransaction
    ) throws {
        let text = try makeMessage("What is new", .text, at: place, transaction)
        let half = try makeMessage("Half price", .promotionalOffer, at: place, transaction)
        let treatment = Treatment.promotionalOffer(
            half, productId: offerProduct, offerIdentifier: Self.offer)
        let rules = RuleSet(rules: [
            Rule(
                id: .make(at: transaction.now), name: "annual: half price",
                when: .of(productIds: [offerProduct]), treatment: treatment),
            Rule(
                id: .make(at: transaction.now), name: "who was here for a month: what is new",
                when: .fact(FactCondition(.tenureDays, .number(atLeast: 30, below: nil))),
                treatment: .message(text)),
            Rule(
                id: .make(at: transaction.now), name: "what is new", when: .always,
                treatment: .message(text)),
        ])
        let version = try transaction.createRuleSet(rules, of: id)
        _ = try transaction.publishRuleSet(version: version, at: place)
    }

    private func makeMessage(
        _ name: String, _ kind: MessageKind, at place: AppEnvironment,
        _ transaction: TenantTransaction
    ) throws -> MessageID {
        let message = MessageID.make(at: transaction.now)
        try transaction.createMessage(message, name: name, kind: kind, of: id)
        for locale in Self.locales {
            try transaction.createLocalization(
                Localization(
                    locale: locale, header: "\(name) (\(locale))",
                    body: "Your subscription keeps every article and every list you saved."),
                of: message, app: id)
            _ = try transaction.placeMessage(message, locale: locale, at: place, state: .approved)
        }
        return message
    }
}
