package import Operator
package import Retention
package import RetentionStore
package import Signing

extension SampleAgency {
    /// The sample agency straight through the store, for tests that need one and no admin API.
    ///
    /// - Parameter placing: called in each app's transaction, so that there is one snapshot for
    ///   each of its environments.
    package static func load(
        into store: RetentionStore, platformKey: PublicKey, now: Instant,
        placing: (BuiltApp, TenantTransaction) throws -> Void = { _, _ in }
    ) throws -> SampleAgency {
        let scope = Scope.operatorCommand(tenant: .make(at: now))
        let clients = try store.transaction(scope, at: now) { transaction in
            try transaction.createTenant(name: name)
            var clients: [String: ClientID] = [:]
            for name in Set(SampleApp.all.map(\.client)).sorted() {
                let client = Client(id: .make(at: now), name: name)
                try transaction.createClient(client)
                clients[name] = client.id
            }
            return clients
        }
        let apps = try SampleApp.all.compactMap { app -> BuiltApp? in
            guard let client = clients[app.client] else { return nil }
            return try store.transaction(scope, at: now) { transaction in
                let built = try SampleAppLoader(
                    app: app, platformKey: platformKey, now: now
                ).load(for: client, transaction)
                try placing(built, transaction)
                return built
            }
        }
        return SampleAgency(scope, apps)
    }
}

/// Stores one sample app.
private struct SampleAppLoader {
    let app: SampleApp
    let platformKey: PublicKey
    let now: Instant

    func load(for client: ClientID, _ transaction: TenantTransaction) throws -> BuiltApp {
        let id = AppID.make(at: now)
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
        let rules = app.ruleSet(messages, at: now)
        let version = try transaction.createRuleSet(rules, of: id)
        var endpoints: [StoreEnvironment: String] = [:]
        for environment in StoreEnvironment.allCases {
            let place = AppEnvironment(app: id, environment: environment)
            try transaction.publishRuleSet(version: version, at: place)
            let token = try transaction.createEndpoint(
                .make(at: now), at: place, sealedTo: platformKey)
            endpoints[environment] = "/realtime/\(token)"
        }
        let built = BuiltApp(
            sample: app, id: id, images: images, messages: messages, offerKey: key, rules: rules,
            version: version, endpoints: endpoints)
        try built.setDefaults(in: .sandbox, transaction)
        return built
    }

    private func storeKey(
        _ id: AppID, _ transaction: TenantTransaction
    ) throws -> SimulatorApp.OfferKey {
        let key = try PrivateKey.generate()
        try transaction.storeCredential(
            InAppPurchaseKey(keyId: app.keyId, issuerId: SampleApp.issuerId, key: key),
            id: .make(at: now), of: id, sealedTo: platformKey)
        return SimulatorApp.OfferKey(
            keyId: app.keyId, issuerId: SampleApp.issuerId,
            publicKeyPEM: String(decoding: key.publicKey.pem(), as: UTF8.self))
    }

    private func storeImages(
        _ id: AppID, _ transaction: TenantTransaction
    ) throws -> SampleImages {
        let fullSize = NewImage(
            id: .make(at: now), size: .fullSize, png: SampleImages.fullSizePNG,
            width: 3_840, height: 1_080)
        let bulletPoint = NewImage(
            id: .make(at: now), size: .bulletPoint, png: SampleImages.bulletPointPNG,
            width: 1_024, height: 1_024)
        return SampleImages(
            fullSize: try transaction.storeImage(fullSize, of: id),
            bulletPoint: try transaction.storeImage(bulletPoint, of: id))
    }

    private func storeMessages(
        _ id: AppID, _ images: SampleImages, _ transaction: TenantTransaction
    ) throws -> [SampleMessage: MessageID] {
        var messages: [SampleMessage: MessageID] = [:]
        for message in SampleMessage.allCases {
            let messageId = MessageID.make(at: now)
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
}

extension BuiltApp {
    func setDefaults(
        in environment: StoreEnvironment, _ transaction: TenantTransaction
    ) throws {
        guard let thanks = messages[.thanks] else { return }
        let place = AppEnvironment(app: id, environment: environment)
        for product in sample.products {
            for locale in SampleMessage.thanks.locales {
                try transaction.setDefaultMessage(
                    thanks, product: product.productId, locale: locale, at: place)
            }
        }
    }
}
