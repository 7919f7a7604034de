internal import Retention

/// One app in one environment as the simulator is told of it and tells of it: what App Store
/// Connect knows, and what was brought there over the Retention Messaging API.
package struct SimulatorApp: Codable, Sendable {
    package struct Product: Codable, Sendable {
        package let productId: String
        package let subscriptionGroup: String
        package let billingPlans: [String]
    }

    package struct Image: Codable, Sendable {
        package let imageIdentifier: String
        package let imageState: String
        package let imageSize: String

        package init(imageIdentifier: String, imageState: String, imageSize: String) {
            self.imageIdentifier = imageIdentifier
            self.imageState = imageState
            self.imageSize = imageSize
        }
    }

    package struct MessageImage: Codable, Sendable {
        package let imageIdentifier: String
        package let altText: String

        package init(imageIdentifier: String, altText: String) {
            self.imageIdentifier = imageIdentifier
            self.altText = altText
        }
    }

    package struct BulletPoint: Codable, Sendable {
        package let text: String
        package let imageIdentifier: String
        package let altText: String

        package init(text: String, imageIdentifier: String, altText: String) {
            self.text = text
            self.imageIdentifier = imageIdentifier
            self.altText = altText
        }
    }

    package struct Message: Codable, Sendable {
        package let messageIdentifier: String
        package let messageState: String
        package let header: String
        package let body: String
        package let headerPosition: String?
        package let image: MessageImage?
        package let bulletPoints: [BulletPoint]?

        package init(
            messageIdentifier: String, messageState: String, header: String, body: String,
            headerPosition: String?, image: MessageImage?, bulletPoints: [BulletPoint]?
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

    package struct DefaultMessage: Codable, Sendable {
        package let productId: String
        package let locale: String
        package let messageIdentifier: String

        package init(productId: String, locale: String, messageIdentifier: String) {
            self.productId = productId
            self.locale = locale
            self.messageIdentifier = messageIdentifier
        }
    }

    package struct RetentionOffer: Codable, Sendable {
        package let offerIdentifier: String
        package let worth: Int
    }

    package struct AppStoreConnectMessage: Codable, Sendable {
        package let subscriptionGroup: String
        package let header: String
        package let body: String
        package let hasImage: Bool
        package let retentionOffers: [RetentionOffer]
    }

    package struct OfferKey: Codable, Sendable {
        package let keyId: String
        package let issuerId: String
        package let publicKeyPEM: String

        package init(keyId: String, issuerId: String, publicKeyPEM: String) {
            self.keyId = keyId
            self.issuerId = issuerId
            self.publicKeyPEM = publicKeyPEM
        }
    }

    package struct PromotionalOffer: Codable, Sendable {
        package let productId: String
        package let offerIdentifier: String
    }

    /// A subscription bought in the sandbox.
    package struct Transaction: Codable, Sendable {
        package let originalTransactionId: String
        package let productId: String?
    }

    package let appAppleId: Int64
    package let environment: String
    package let bundleId: String
    package let products: [Product]
    package let appStoreConnectMessages: [AppStoreConnectMessage]
    package let offerKeys: [OfferKey]
    package let promotionalOffers: [PromotionalOffer]
    package let transactions: [Transaction]
    // What only the API brings there.
    package var realtimeURL: String?
    package var images: [Image] = []
    package var messages: [Message] = []
    package var defaults: [DefaultMessage] = []
}

extension SimulatorApp {
    /// As App Store Connect knows it, with nothing of Holdfast's.
    package init(_ app: SampleApp, in environment: String, offerKey: OfferKey) {
        appAppleId = app.appAppleId
        self.environment = environment
        bundleId = app.bundleId
        products = app.products.map {
            Product(
                productId: $0.productId, subscriptionGroup: $0.subscriptionGroup,
                billingPlans: $0.billingPlans.map(\.rawValue))
        }
        appStoreConnectMessages =
            app.hasAppStoreConnectMessage ? [AppStoreConnectMessage(app)] : []
        offerKeys = [offerKey]
        promotionalOffers = [
            PromotionalOffer(productId: app.monthly, offerIdentifier: app.offerIdentifier)
        ]
        transactions =
            environment == "Sandbox"
            ? [
                Transaction(
                    originalTransactionId: app.testerTransactionId, productId: app.monthly)
            ] : []
    }
}

extension SimulatorApp.AppStoreConnectMessage {
    fileprivate init(_ app: SampleApp) {
        self.init(
            subscriptionGroup: app.group, header: "Before you go",
            body: "A second year of \(app.name) for less.", hasImage: true,
            retentionOffers: [
                SimulatorApp.RetentionOffer(offerIdentifier: "second_year_less", worth: 30),
                SimulatorApp.RetentionOffer(offerIdentifier: "second_year_half", worth: 50),
            ])
    }
}
