import AppleSync
import Retention
import RetentionStore
import Signing
import Simulator
import TestSupport
import Testing

/// An agency with one app: here, and at the simulator with the same keys and products. A tenant of
/// its own for each, so that many may be tried at one time.
struct SyncedApp: Sendable {
    static let products = ["com.example.monthly", "com.example.annual"]

    let stage: SyncStage
    let scope: Scope
    let app: AppID
    let appAppleId: Int64
    let bundleId: String
    let picture: ImageID
    let bullet: ImageID
    /// A text with a picture and a bullet, in two locales.
    let welcome: MessageID
    /// A plain text, in one.
    let thanks: MessageID

    init(_ number: Int64, on stage: SyncStage) throws {
        self.stage = stage
        let now = SyncStage.now
        let scope = Scope.operatorCommand(tenant: .make(at: now))
        let app = AppID.make(at: now)
        let key = try PrivateKey.generate()
        self.scope = scope
        self.app = app
        appAppleId = number
        bundleId = "com.example.app\(number)"
        let bundle = bundleId
        let pictures = (ImageID.make(at: now), ImageID.make(at: now))
        let messages = (MessageID.make(at: now), MessageID.make(at: now))
        (picture, bullet) = pictures
        (welcome, thanks) = messages
        try stage.store.transaction(scope, at: now) { transaction in
            try transaction.createTenant(name: "Agency \(number)")
            let client = Client(id: .make(at: now), name: "Client")
            try transaction.createClient(client)
            try transaction.createApp(
                App(
                    id: app, client: client.id, name: "App", bundleId: bundle,
                    appAppleId: number, defaultLocale: "en-US"))
            for product in Self.products {
                try transaction.createProduct(
                    Product(
                        productId: product, subscriptionGroup: "g", period: "P1M",
                        billingPlans: []), of: app)
            }
            try transaction.storeCredential(
                InAppPurchaseKey(keyId: "KEY\(number)", issuerId: "issuer", key: key),
                id: .make(at: now), of: app, sealedTo: stage.platformKey.publicKey)
            let full = PlainPicture(note: "\(number)")
            let small = PlainPicture(width: 1_024, height: 1_024, note: "\(number)")
            _ = try transaction.storeImage(
                NewImage(
                    id: pictures.0, size: .fullSize, png: full.png, width: 3_840, height: 160),
                of: app)
            _ = try transaction.storeImage(
                NewImage(
                    id: pictures.1, size: .bulletPoint, png: small.png, width: 1_024,
                    height: 1_024), of: app)
            try transaction.createMessage(messages.0, name: "Welcome", kind: .text, of: app)
            try transaction.createMessage(messages.1, name: "Thanks", kind: .text, of: app)
            for locale in ["en-US", "de-DE"] {
                try transaction.createLocalization(
                    Self.text(locale, "Stay \(locale)", picture: pictures.0, bullet: pictures.1),
                    of: messages.0, app: app)
            }
            try transaction.createLocalization(
                Localization(locale: "en-US", header: "Thanks", body: "For all of it."),
                of: messages.1, app: app)
            let sandbox = AppEnvironment(app: app, environment: .sandbox)
            for product in Self.products {
                try transaction.setDefaultMessage(
                    messages.1, product: product, locale: "en-US", at: sandbox)
            }
            _ = try transaction.createEndpoint(
                .make(at: now), at: sandbox, sealedTo: stage.platformKey.publicKey)
        }
        try tellSimulator(of: key)
    }

    private func tellSimulator(of key: PrivateKey) throws {
        for environment in [Environment.sandbox, .production] {
            try stage.simulator.set(
                AppState(
                    appAppleId: appAppleId, environment: environment, bundleId: bundleId,
                    products: Self.products.map {
                        AppState.Product(productId: $0, subscriptionGroup: "g")
                    },
                    offerKeys: [
                        AppState.OfferKey(
                            keyId: "KEY\(appAppleId)", issuerId: "issuer",
                            publicKeyPEM: String(decoding: key.publicKey.pem(), as: UTF8.self))
                    ]))
        }
    }

    static func text(
        _ locale: String, _ header: String, picture: ImageID, bullet: ImageID
    ) -> Localization {
        Localization(
            locale: locale, header: header, body: "You have come far.",
            headerPosition: .aboveImage, image: PlacedImage(image: picture, altText: "Picture"),
            bullets: [Bullet(text: "One", image: PlacedImage(image: bullet, altText: "Dot"))])
    }

    func key(_ environment: StoreEnvironment) -> AppEnvironment {
        AppEnvironment(app: app, environment: environment)
    }

    func change<R>(_ body: (TenantTransaction) throws -> R) throws -> R {
        try stage.store.transaction(scope, at: SyncStage.now, body)
    }

    /// What Apple has of it.
    func apples(_ environment: StoreEnvironment) throws -> AppState {
        try #require(
            stage.simulator.state(
                appAppleId: appAppleId,
                environment: environment == .sandbox ? .sandbox : .production))
    }

    /// Every message and default, wanted in production too, with a URL.
    func promote() throws {
        try change { transaction in
            _ = try transaction.promote(nil, of: app, from: .sandbox, to: .production)
            _ = try transaction.createEndpoint(
                .make(at: SyncStage.now), at: key(.production),
                sealedTo: stage.platformKey.publicKey)
        }
    }

    /// Whether nothing is left to do, by the planner's word.
    func isConverged(_ environment: StoreEnvironment) throws -> Bool {
        try plan(environment).isConverged
    }

    /// Whether production has all but its URL, which waits for a performance test.
    func lacksOnlyATest() throws -> Bool {
        let plan = try plan(.production)
        return plan.problems == [.noPassingTest] && plan.pending.isEmpty
            && plan.placements.isEmpty && plan.uncertain.isEmpty
            && !plan.steps.contains { $0.reason == .doubt || $0.reason == .firstLook }
            && plan.steps.filter(\.operation.isWrite).allSatisfy { $0.wait == .performanceTest }
    }

    /// The plan, for whoever reads why an expectation failed.
    func comment(_ environment: StoreEnvironment = .sandbox) -> Comment {
        "\((try? plan(environment)).map { "\($0)" } ?? "gone")"
    }

    func plan(_ environment: StoreEnvironment) throws -> SyncPlan {
        try change { transaction in
            let desire = try transaction.syncDesire(at: key(environment), changeNumber: 0)
            return Retention.plan(
                desired: desire.state,
                observed: try transaction.observedState(at: key(environment)),
                limits: SyncStage.options.limits, now: SyncStage.now)
        }
    }

    /// Compares what Apple has with what the tables say, by content and not by anything that the
    /// sync believes.
    func expectAppleHasWhatIsWanted(
        _ environment: StoreEnvironment, urls: Int = 1, _ comment: String = ""
    ) throws {
        let state = try apples(environment)
        let wanted = try change { transaction in
            let desire = try transaction.syncDesire(at: key(environment), changeNumber: 0)
            return (desire.state, desire.contents)
        }
        let texts = Set(
            wanted.1.values.compactMap { content -> [String]? in
                guard case .text(let text, _) = content.source else { return nil }
                return [text.header, text.body] + text.bullets.map(\.text)
            })
        let there = state.messages.map { message in
            [message.header, message.body] + (message.bulletPoints ?? []).map(\.text)
        }
        #expect(Set(there) == texts, "\(comment)")
        #expect(there.count == texts.count, "one object each \(comment)")
        #expect(state.images.count == wanted.0.images.count, "\(comment)")
        let headers = Dictionary(
            state.messages.map { ($0.messageIdentifier.lowercased(), $0.header) },
            uniquingKeysWith: { a, _ in a })
        let defaults = Set(
            state.defaults.map {
                [$0.productId, $0.locale, headers[$0.messageIdentifier.lowercased()] ?? "?"]
            })
        let wantedDefaults = Set(
            wanted.0.defaults.compactMap { slot, place -> [String]? in
                guard let text = wanted.0.texts.first(where: { $0.place == place }),
                    case .text(let content, _) = wanted.1[text.appleId]?.source
                else { return nil }
                return [slot.productId, slot.locale, content.header]
            })
        #expect(defaults == wantedDefaults, "\(comment)")
        let urlCalls = calls(environment).filter { $0.path.hasSuffix("/realtime/url") }
        #expect((state.realtimeURL == nil ? 0 : 1) == urls, "\(comment): \(urlCalls)")
    }

    func calls(_ environment: StoreEnvironment? = nil) -> [APICall] {
        stage.simulator.apiCalls().filter { call in
            call.appAppleId == appAppleId
                && (environment == nil
                    || call.environment == (environment == .sandbox ? .sandbox : .production))
        }
    }

    func writes(_ environment: StoreEnvironment? = nil) -> [APICall] {
        calls(environment).filter { $0.method != "GET" }
    }
}
