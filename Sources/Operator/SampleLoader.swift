internal import FoundationEssentials
internal import Retention
internal import RetentionStore
internal import Signing

/// Stores one sample app through the same functions that everything else uses, and notes what the
/// simulator must hold to be the same App Store.
struct SampleLoader {
    let app: SampleApp
    let platformKey: PublicKey
    let now: Instant

    private static let issuerId = "57246542-96fe-1a63-e053-0824d011072a"

    func load(for client: ClientID, _ transaction: TenantTransaction) throws -> [LoadedApp] {
        var random = SystemRandomNumberGenerator()
        let id = AppID.make(at: now, using: &random)
        try transaction.createApp(
            App(
                id: id, client: client, name: app.name, bundleId: app.bundleId,
                appAppleId: app.appAppleId, defaultLocale: "en-US"))
        for product in app.products { try transaction.createProduct(product, of: id) }
        let offer = Offer(
            offerIdentifier: app.offerIdentifier, productId: app.monthly, kind: .promotional)
        try transaction.createOffer(offer, of: id)
        let key = try storeKey(id, transaction)
        let images = try storeImages(id, transaction)
        let messages = try storeMessages(id, images, transaction)
        let (ruleSet, ruleNames) = rules(messages)
        let version = try transaction.createRuleSet(ruleSet, of: id)
        return try app.environments.map { environment in
            let place = AppEnvironment(app: id, environment: environment)
            try transaction.publishRuleSet(version: version, at: place)
            let token = try transaction.createEndpoint(
                .make(at: now, using: &random), at: place, sealedTo: platformKey)
            let state = try PlacedContent(
                app: app, images: images, messages: messages, at: place, transaction)
            return LoadedApp(
                key: place,
                simulatorState: state.simulatorApp(
                    app, environment: environment, offerKey: key,
                    realtimeURL: "\(SampleAgency.publicOrigin)/realtime/\(token)"),
                ruleNames: ruleNames)
        }
    }

    private func storeKey(
        _ id: AppID, _ transaction: TenantTransaction
    ) throws -> SimulatorApp.OfferKey {
        var random = SystemRandomNumberGenerator()
        let key = try PrivateKey.generate()
        let keyId = "DEMO\(app.appAppleId)"
        try transaction.storeCredential(
            InAppPurchaseKey(keyId: keyId, issuerId: Self.issuerId, key: key),
            id: .make(at: now, using: &random), of: id, sealedTo: platformKey)
        return SimulatorApp.OfferKey(
            keyId: keyId, issuerId: Self.issuerId,
            publicKeyPEM: String(decoding: key.publicKey.pem(), as: UTF8.self))
    }

    private func storeImages(
        _ id: AppID, _ transaction: TenantTransaction
    ) throws -> SampleImages {
        let fullSize = NewImage(
            id: .make(at: now), size: .fullSize, png: PackageResources.full_size_png,
            width: 3_840, height: 1_080)
        let bulletPoint = NewImage(
            id: .make(at: now), size: .bulletPoint, png: PackageResources.bullet_point_png,
            width: 1_024, height: 1_024)
        return SampleImages(
            fullSize: try transaction.storeImage(fullSize, of: id),
            bulletPoint: try transaction.storeImage(bulletPoint, of: id))
    }

    private func storeMessages(
        _ id: AppID, _ images: SampleImages, _ transaction: TenantTransaction
    ) throws -> [SampleMessage: MessageID] {
        var random = SystemRandomNumberGenerator()
        var messages: [SampleMessage: MessageID] = [:]
        for message in SampleMessage.allCases {
            let messageId = MessageID.make(at: now, using: &random)
            try transaction.createMessage(
                messageId, name: message.name, kind: message.kind, of: id)
            for locale in message.locales {
                try transaction.createLocalization(
                    message.localization(locale, app: app.name, images), of: messageId, app: id)
            }
            messages[message] = messageId
        }
        return messages
    }

    private func rules(
        _ messages: [SampleMessage: MessageID]
    ) -> (RuleSet, [(RuleID, String)]) {
        var random = SystemRandomNumberGenerator()
        let rules = app.rules(app, messages).map { name, when, treatment in
            Rule(id: .make(at: now, using: &random), name: name, when: when, treatment: treatment)
        }
        return (RuleSet(rules: rules), rules.map { ($0.id, $0.name) })
    }
}

struct SampleImages {
    let fullSize: ImageID
    let bulletPoint: ImageID
}

extension SampleMessage {
    var kind: MessageKind {
        switch self {
        case .thanks, .highlights: .text
        case .commitment: .switchPlan
        case .halfPrice: .promotionalOffer
        }
    }

    func localization(_ locale: String, app: String, _ images: SampleImages) -> Localization {
        let text = text(in: locale, app: app)
        guard self == .highlights else {
            return Localization(locale: locale, header: text.header, body: text.body)
        }
        return Localization(
            locale: locale, header: text.header, body: text.body, headerPosition: .aboveImage,
            image: PlacedImage(image: images.fullSize, altText: app),
            bullets: [
                Bullet(
                    text: text.header,
                    image: PlacedImage(image: images.bulletPoint, altText: app))
            ])
    }
}
