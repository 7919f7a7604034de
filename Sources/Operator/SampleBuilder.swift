internal import FoundationEssentials
package import Retention
internal import Signing

/// One sample app as it was made, by what its parts are called.
package struct BuiltApp: Sendable {
    package let sample: SampleApp
    package let id: AppID
    package let images: SampleImages
    package let messages: [SampleMessage: MessageID]
    package let offerKey: SimulatorApp.OfferKey
    package let rules: RuleSet
    /// Of the frozen rules.
    package let version: Int32
    /// The paths of the real-time URLs.
    package let endpoints: [StoreEnvironment: String]

    package init(
        sample: SampleApp, id: AppID, images: SampleImages,
        messages: [SampleMessage: MessageID], offerKey: SimulatorApp.OfferKey, rules: RuleSet,
        version: Int32, endpoints: [StoreEnvironment: String]
    ) {
        self.sample = sample
        self.id = id
        self.images = images
        self.messages = messages
        self.offerKey = offerKey
        self.rules = rules
        self.version = version
        self.endpoints = endpoints
    }

    /// The path of it in the admin API.
    var path: String { "/v1/apps/\(id)" }

    /// Puts the rules in force. Apple must have approved what they name there.
    func publish(in environment: StoreEnvironment, over api: AdminClient) throws {
        let _: Publication = try api.post(
            "\(path)/rule-sets/\(version)/publications?environment=\(environment.rawValue)",
            NoMembers())
    }
}

/// Builds one sample app over the admin API, call by call as an agency's script would. Content is
/// wanted in the sandbox alone; production gets it by the promotion. The rules are frozen, and put
/// in force once Apple has approved what they name.
struct SampleBuilder {
    let sample: SampleApp
    let api: AdminClient
    let now: Instant

    func build(for client: ClientID) throws -> BuiltApp {
        let app: Made<AppID> = try api.post(
            "/v1/apps",
            NewApp(
                clientId: client, name: sample.name, bundleId: sample.bundleId,
                appAppleId: sample.appAppleId, defaultLocale: "en-US"))
        let path = "/v1/apps/\(app.id)"
        try makeProducts(path)
        let offerKey = try makeCredential(path)
        let images = SampleImages(
            fullSize: try upload(path, .fullSize, SampleImages.fullSizePNG),
            bulletPoint: try upload(path, .bulletPoint, SampleImages.bulletPointPNG))
        let messages = try makeMessages(path, images)
        let rules = sample.ruleSet(messages, at: now)
        let version = try freeze(rules, path)
        for message in messages.values {
            try api.put("\(path)/messages/\(message)/targets/\(StoreEnvironment.sandbox.rawValue)")
        }
        try makeDefaults(
            "\(path)/defaults?environment=\(StoreEnvironment.sandbox.rawValue)", messages)
        var endpoints: [StoreEnvironment: String] = [:]
        for environment in StoreEnvironment.allCases {
            let query = "?environment=\(environment.rawValue)"
            let endpoint: Endpoint = try api.post("\(path)/endpoints\(query)", NoMembers())
            endpoints[environment] = endpoint.path
        }
        return BuiltApp(
            sample: sample, id: app.id, images: images, messages: messages, offerKey: offerKey,
            rules: rules, version: version, endpoints: endpoints)
    }

    // MARK: Catalogue

    private func makeProducts(_ path: String) throws {
        for product in sample.products {
            let plans = product.billingPlans.map {
                BillingPlan(billingPlanType: $0.rawValue, prices: Self.prices(of: product))
            }
            let _: Product = try api.post(
                path + "/products",
                NewProduct(
                    productId: product.productId, subscriptionGroup: product.subscriptionGroup,
                    period: product.period, billingPlans: plans))
        }
        try api.put(
            "\(path)/products/\(sample.monthly)/offers/\(sample.offerIdentifier)",
            NewOffer(
                kind: OfferKind.promotional.rawValue, offerMode: "PAY_AS_YOU_GO", period: "P1M",
                periodCount: 3, customerEligibilities: ["EXISTING"],
                prices: [
                    Price(storefront: "USA", amountMilliunits: 4_990, currency: "USD"),
                    Price(storefront: "JPN", amountMilliunits: 750_000, currency: "JPY"),
                ]))
    }

    private static func prices(of product: Retention.Product) -> [Price] {
        let months: Int64 = product.period.utf8.elementsEqual("P1Y".utf8) ? 10 : 1
        return [
            Price(storefront: "USA", amountMilliunits: 9_990 * months, currency: "USD"),
            Price(storefront: "JPN", amountMilliunits: 1_500_000 * months, currency: "JPY"),
            Price(storefront: "ESP", amountMilliunits: 9_990 * months, currency: "EUR"),
        ]
    }

    private func makeCredential(_ path: String) throws -> SimulatorApp.OfferKey {
        let key = try PrivateKey.generate()
        let (keyId, issuerId) = (sample.keyId, SampleApp.issuerId)
        let _: Credential = try api.post(
            path + "/credentials",
            NewCredential(
                keyId: keyId, issuerId: issuerId,
                privateKey: String(decoding: key.pem(), as: UTF8.self)))
        return SimulatorApp.OfferKey(
            keyId: keyId, issuerId: issuerId,
            publicKeyPEM: String(decoding: key.publicKey.pem(), as: UTF8.self))
    }

    // MARK: Content

    private func upload(_ path: String, _ size: ImageSize, _ png: [UInt8]) throws -> ImageID {
        let image: Made<ImageID> = try api.upload(
            "\(path)/images?imageSize=\(size.rawValue)", png: png)
        return image.id
    }

    /// Most texts one by one; the longest list, that of the defaults, as one import.
    private func makeMessages(
        _ path: String, _ images: SampleImages
    ) throws -> [SampleMessage: MessageID] {
        var messages: [SampleMessage: MessageID] = [:]
        for message in SampleMessage.allCases {
            let made: Made<MessageID> = try api.post(
                path + "/messages", NewMessage(name: message.name, kind: message.kind.rawValue))
            messages[message] = made.id
            guard message != .thanks else { continue }
            for locale in message.locales {
                let text = message.localization(locale, app: sample.name, images)
                try api.put(
                    "\(path)/messages/\(made.id)/localizations/\(locale)", LocalizationForm(text))
            }
        }
        let rows = SampleMessage.thanks.locales.map { locale in
            let text = SampleMessage.thanks.localization(locale, app: sample.name, images)
            return ImportRow(
                message: SampleMessage.thanks.name, locale: locale, header: text.header,
                body: text.body)
        }
        let report: ImportReport = try api.runJob(
            path + "/localization-imports", ImportForm(rows: rows))
        guard report.counts.created == rows.count else {
            throw DemoError(
                description: "of \(rows.count) rows \(report.counts.created) were imported")
        }
        return messages
    }

    private func makeDefaults(_ path: String, _ messages: [SampleMessage: MessageID]) throws {
        guard let thanks = messages[.thanks] else { return }
        let _: Defaults = try api.post(
            path, NewDefaults(messageId: thanks, productIds: sample.products.map(\.productId)),
            expecting: 200)
    }

    // MARK: Rules

    /// - Returns: the version's number.
    private func freeze(_ rules: RuleSet, _ path: String) throws -> Int32 {
        try api.put(path + "/rule-set-draft", RuleSetForm(rules))
        let version: Version = try api.post(path + "/rule-sets", NoMembers())
        return version.version
    }
}

// MARK: - Shapes of the admin API, as far as the demo needs them

struct Made<Kind: Decodable>: Decodable {
    let id: Kind
}

struct NoMembers: Codable {}

private struct NewApp: Encodable {
    let clientId: ClientID
    let name: String
    let bundleId: String
    let appAppleId: Int64
    let defaultLocale: String
}

private struct Price: Encodable {
    let storefront: String
    let amountMilliunits: Int64
    let currency: String
}

private struct BillingPlan: Encodable {
    let billingPlanType: String
    let prices: [Price]
}

private struct NewProduct: Encodable {
    let productId: String
    let subscriptionGroup: String
    let period: String
    let billingPlans: [BillingPlan]
}

private struct Product: Decodable {
    let productId: String
}

private struct NewOffer: Encodable {
    let kind: String
    let offerMode: String
    let period: String
    let periodCount: Int
    let customerEligibilities: [String]
    let prices: [Price]
}

private struct NewCredential: Encodable {
    let keyId: String
    let issuerId: String
    let privateKey: String
}

private struct Credential: Decodable {
    let fingerprint: String
}

private struct NewMessage: Encodable {
    let name: String
    let kind: String
}

private struct LocalizationForm: Encodable {
    struct Image: Encodable {
        let imageId: ImageID
        let altText: String
    }

    struct BulletPoint: Encodable {
        let text: String
        let imageId: ImageID
        let altText: String
    }

    let header: String
    let body: String
    let headerPosition: HeaderPosition?
    let image: Image?
    let bulletPoints: [BulletPoint]

    init(_ text: Localization) {
        header = text.header
        body = text.body
        headerPosition = text.headerPosition
        image = text.image.map { Image(imageId: $0.image, altText: $0.altText) }
        bulletPoints = text.bullets.map {
            BulletPoint(text: $0.text, imageId: $0.image.image, altText: $0.image.altText)
        }
    }
}

private struct ImportRow: Encodable {
    let message: String
    let locale: String
    let header: String
    let body: String
}

private struct ImportForm: Encodable {
    let rows: [ImportRow]
}

private struct ImportReport: Decodable {
    struct Counts: Decodable {
        let created: Int
    }

    let counts: Counts
}

private struct NewDefaults: Encodable {
    let messageId: MessageID
    let productIds: [String]
}

private struct Defaults: Decodable {
    struct Default: Decodable {
        let locale: String
    }

    let data: [Default]
}

/// As far as the sample's rules go: without schedules, shares and experiments, whose forms are
/// others outside.
private struct RuleSetForm: Encodable {
    struct NoHoldout: Encodable {
        let percent = 0
        let confirmNoHoldout = true
    }

    let schemaVersion: Int
    // So few page views are played that a share of them would show nothing.
    let holdout = NoHoldout()
    let rules: [Rule]

    init(_ ruleSet: RuleSet) {
        schemaVersion = ruleSet.schemaVersion
        rules = ruleSet.rules
    }
}

private struct Version: Decodable {
    let version: Int32
}

private struct Publication: Decodable {
    let snapshotNumber: Int64
}

private struct Endpoint: Decodable {
    let path: String
}
