/// What the App Store knows of one app in one environment: what its developer has uploaded, what
/// review has said of it, and what is set in App Store Connect.
///
/// The state is handed in whole and replaced whole. `AppStateRules` says which states Apple's own
/// calls could not have led to.
package struct AppState: Codable, Sendable, Equatable {
    package var appAppleId: Int64
    package var environment: Environment
    package var bundleId: String
    /// Where real-time requests go; nil where the developer has set none in this environment.
    /// Begins with `https://`, at most 256 characters.
    package var realtimeURL: String?
    package var products: [Product]
    package var images: [Image]
    package var messages: [Message]
    package var defaults: [DefaultMessage]
    package var appStoreConnectMessages: [AppStoreConnectMessage]
    package var offerKeys: [OfferKey]
    package var promotionalOffers: [PromotionalOffer]
    /// What the performance test may be given; looked at in the sandbox alone.
    package var transactions: [Transaction]
    /// False: Apple has not given this developer access to the Retention Messaging API.
    package var hasRetentionMessagingAccess: Bool
    /// A performance test of the app has passed, so that its production URL may be set. True in
    /// either environment is enough; a passing test sets it in the sandbox.
    package var hasPassingTest: Bool

    package init(
        appAppleId: Int64, environment: Environment, bundleId: String, realtimeURL: String? = nil,
        products: [Product] = [], images: [Image] = [], messages: [Message] = [],
        defaults: [DefaultMessage] = [], appStoreConnectMessages: [AppStoreConnectMessage] = [],
        offerKeys: [OfferKey] = [], promotionalOffers: [PromotionalOffer] = [],
        transactions: [Transaction] = [], hasRetentionMessagingAccess: Bool = true,
        hasPassingTest: Bool = false
    ) {
        self.appAppleId = appAppleId
        self.environment = environment
        self.bundleId = bundleId
        self.realtimeURL = realtimeURL
        self.products = products
        self.images = images
        self.messages = messages
        self.defaults = defaults
        self.appStoreConnectMessages = appStoreConnectMessages
        self.offerKeys = offerKeys
        self.promotionalOffers = promotionalOffers
        self.transactions = transactions
        self.hasRetentionMessagingAccess = hasRetentionMessagingAccess
        self.hasPassingTest = hasPassingTest
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        func list<T: Decodable>(_ key: CodingKeys) throws -> [T] {
            try fields.decodeIfPresent([T].self, forKey: key) ?? []
        }
        self.init(
            appAppleId: try fields.decode(Int64.self, forKey: .appAppleId),
            environment: try fields.decode(Environment.self, forKey: .environment),
            bundleId: try fields.decode(String.self, forKey: .bundleId),
            realtimeURL: try fields.decodeIfPresent(String.self, forKey: .realtimeURL),
            products: try list(.products), images: try list(.images),
            messages: try list(.messages), defaults: try list(.defaults),
            appStoreConnectMessages: try list(.appStoreConnectMessages),
            offerKeys: try list(.offerKeys), promotionalOffers: try list(.promotionalOffers),
            transactions: try list(.transactions),
            hasRetentionMessagingAccess: try fields.decodeIfPresent(
                Bool.self, forKey: .hasRetentionMessagingAccess) ?? true,
            hasPassingTest: try fields.decodeIfPresent(Bool.self, forKey: .hasPassingTest)
                ?? false)
    }
}

extension AppState {
    /// An auto-renewable subscription.
    package struct Product: Codable, Sendable, Equatable {
        package var productId: String
        package var subscriptionGroup: String
        /// Apple's values are `MONTHLY` and `BILLED_UPFRONT`; the list is open.
        package var billingPlans: [String]?
        /// The rank within the group, 1 the highest: what makes a switch an up- or a downgrade.
        package var level: Int?
        /// `P1M` where nothing is said.
        package var period: String?
        package var prices: [Price]?
        package var offers: [ProductOffer]?

        package init(
            productId: String, subscriptionGroup: String, billingPlans: [String]? = nil,
            level: Int? = nil, period: String? = nil, prices: [Price]? = nil,
            offers: [ProductOffer]? = nil
        ) {
            self.productId = productId
            self.subscriptionGroup = subscriptionGroup
            self.billingPlans = billingPlans
            self.level = level
            self.period = period
            self.prices = prices
            self.offers = offers
        }
    }

    /// `PENDING`, `APPROVED` or `REJECTED`; message and image are reviewed apart from one another.
    package enum ReviewState: String, Codable, Sendable {
        case pending = "PENDING"
        case approved = "APPROVED"
        case rejected = "REJECTED"
    }

    package struct Image: Codable, Sendable, Equatable {
        package enum Size: String, Codable, Sendable {
            case fullSize = "FULL_SIZE"
            case bulletPoint = "BULLET_POINT"
        }

        package var imageIdentifier: String
        package var imageState: ReviewState
        package var imageSize: Size
        /// Of the file, in hexadecimal; absent where the state was handed in without it.
        package var sha256: String?
        package var byteCount: Int?

        package init(
            imageIdentifier: String, imageState: ReviewState, imageSize: Size,
            sha256: String? = nil, byteCount: Int? = nil
        ) {
            self.imageIdentifier = imageIdentifier
            self.imageState = imageState
            self.imageSize = imageSize
            self.sha256 = sha256
            self.byteCount = byteCount
        }
    }

    /// A message has no locale, no product and no kind at Apple: what it may be used for follows
    /// from what it holds.
    package struct Message: Codable, Sendable, Equatable {
        package var messageIdentifier: String
        package var messageState: ReviewState
        package var header: String
        package var body: String
        package var headerPosition: HeaderPosition?
        package var image: MessageImage?
        package var bulletPoints: [BulletPoint]?

        package init(
            messageIdentifier: String, messageState: ReviewState, header: String, body: String,
            headerPosition: HeaderPosition? = nil, image: MessageImage? = nil,
            bulletPoints: [BulletPoint]? = nil
        ) {
            self.messageIdentifier = messageIdentifier
            self.messageState = messageState
            self.header = header
            self.body = body
            self.headerPosition = headerPosition
            self.image = image
            self.bulletPoints = bulletPoints
        }
    }

    package enum HeaderPosition: String, Codable, Sendable {
        case aboveBody = "ABOVE_BODY"
        case aboveImage = "ABOVE_IMAGE"
    }

    package struct MessageImage: Codable, Sendable, Equatable {
        package var imageIdentifier: String
        package var altText: String

        package init(imageIdentifier: String, altText: String) {
            self.imageIdentifier = imageIdentifier
            self.altText = altText
        }
    }

    package struct BulletPoint: Codable, Sendable, Equatable {
        package var text: String
        package var imageIdentifier: String
        package var altText: String

        package init(text: String, imageIdentifier: String, altText: String) {
            self.text = text
            self.imageIdentifier = imageIdentifier
            self.altText = altText
        }
    }

    /// What Configure Default Message has set for one product in one App Store locale.
    package struct DefaultMessage: Codable, Sendable, Equatable {
        package var productId: String
        package var locale: String
        package var messageIdentifier: String

        package init(productId: String, locale: String, messageIdentifier: String) {
            self.productId = productId
            self.locale = locale
            self.messageIdentifier = messageIdentifier
        }
    }

    /// The public half of a developer's In-App Purchase key: signs offers and bearer tokens.
    package struct OfferKey: Codable, Sendable, Equatable {
        package var keyId: String
        package var issuerId: String
        /// SubjectPublicKeyInfo, P-256.
        package var publicKeyPEM: String

        package init(keyId: String, issuerId: String, publicKeyPEM: String) {
            self.keyId = keyId
            self.issuerId = issuerId
            self.publicKeyPEM = publicKeyPEM
        }
    }

    package struct PromotionalOffer: Codable, Sendable, Equatable {
        package var productId: String
        package var offerIdentifier: String

        package init(productId: String, offerIdentifier: String) {
            self.productId = productId
            self.offerIdentifier = offerIdentifier
        }
    }

    /// A subscription bought in the sandbox, and every number that Apple has given it.
    package struct Transaction: Codable, Sendable, Equatable {
        package var originalTransactionId: String
        /// The app's first product where nothing is said.
        package var productId: String?
        /// True where nothing is said.
        package var isActive: Bool?
        /// False where nothing is said.
        package var isFamilyShared: Bool?
        /// Of renewals: right elsewhere, not for the performance test.
        package var transactionIds: [String]?
        package var appTransactionId: String?

        package init(
            originalTransactionId: String, productId: String? = nil, isActive: Bool? = nil,
            isFamilyShared: Bool? = nil, transactionIds: [String]? = nil,
            appTransactionId: String? = nil
        ) {
            self.originalTransactionId = originalTransactionId
            self.productId = productId
            self.isActive = isActive
            self.isFamilyShared = isFamilyShared
            self.transactionIds = transactionIds
            self.appTransactionId = appTransactionId
        }
    }
}
