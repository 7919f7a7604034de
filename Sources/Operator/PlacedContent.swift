internal import FoundationEssentials
package import Retention
package import RetentionStore

/// What one sample app has at Apple in one environment: placed through the store, as long as no
/// sync does it, and told to the simulator with the same identifiers and review states.
package struct PlacedContent {
    private var images: [SimulatorApp.Image] = []
    private var messages: [String: SimulatorApp.Message] = [:]
    private var defaults: [SimulatorApp.DefaultMessage] = []

    package init(
        app: SampleApp, images: SampleImages, messages: [SampleMessage: MessageID],
        at key: AppEnvironment, _ transaction: TenantTransaction
    ) throws {
        let fullSize = try transaction.placeImage(images.fullSize, at: key, state: .approved)
        let bulletPoint = try transaction.placeImage(
            images.bulletPoint, at: key, state: .approved)
        self.images = [
            Self.image(fullSize, .fullSize), Self.image(bulletPoint, .bulletPoint),
        ]
        for (message, id) in messages {
            let state: ReviewState = app.pending.contains(message) ? .pending : .approved
            for locale in message.locales {
                let appleId = try transaction.placeMessage(
                    id, locale: locale, at: key, state: state)
                let text = message.localization(locale, app: app.name, images)
                let placed = Self.message(
                    appleId, text, state, fullSize: fullSize, bulletPoint: bulletPoint)
                self.messages[placed.messageIdentifier] = placed
                guard message == .thanks else { continue }
                defaults += app.products.map {
                    SimulatorApp.DefaultMessage(
                        productId: $0.productId, locale: locale,
                        messageIdentifier: placed.messageIdentifier)
                }
            }
        }
    }

    package func simulatorApp(
        _ app: SampleApp, environment: StoreEnvironment, offerKey: SimulatorApp.OfferKey,
        realtimeURL: String
    ) -> SimulatorApp {
        SimulatorApp(
            appAppleId: app.appAppleId, environment: environment.rawValue, bundleId: app.bundleId,
            realtimeURL: realtimeURL,
            products: app.products.map {
                SimulatorApp.Product(
                    productId: $0.productId, subscriptionGroup: $0.subscriptionGroup,
                    billingPlans: $0.billingPlans.map(\.rawValue))
            },
            images: images, messages: Array(messages.values), defaults: defaults,
            appStoreConnectMessages: app.hasAppStoreConnectMessage
                ? [Self.connectMessage(app)] : [],
            offerKeys: [offerKey],
            promotionalOffers: [
                SimulatorApp.PromotionalOffer(
                    productId: app.monthly, offerIdentifier: app.offerIdentifier)
            ])
    }

    private static func connectMessage(_ app: SampleApp) -> SimulatorApp.AppStoreConnectMessage {
        SimulatorApp.AppStoreConnectMessage(
            subscriptionGroup: app.group, header: "Before you go",
            body: "A second year of \(app.name) for less.", hasImage: true,
            retentionOffers: [
                SimulatorApp.RetentionOffer(offerIdentifier: "second_year_less", worth: 30),
                SimulatorApp.RetentionOffer(offerIdentifier: "second_year_half", worth: 50),
            ])
    }

    private static func image(_ id: UUID, _ size: ImageSize) -> SimulatorApp.Image {
        SimulatorApp.Image(
            imageIdentifier: id.uuidString.lowercased(),
            imageState: ReviewState.approved.rawValue, imageSize: size.rawValue)
    }

    private static func message(
        _ id: UUID, _ text: Localization, _ state: ReviewState, fullSize: UUID, bulletPoint: UUID
    ) -> SimulatorApp.Message {
        let bullets = text.bullets.map {
            SimulatorApp.BulletPoint(
                text: $0.text, imageIdentifier: bulletPoint.uuidString.lowercased(),
                altText: $0.image.altText)
        }
        return SimulatorApp.Message(
            messageIdentifier: id.uuidString.lowercased(), messageState: state.rawValue,
            header: text.header, body: text.body, headerPosition: text.headerPosition?.rawValue,
            image: text.image.map {
                SimulatorApp.MessageImage(
                    imageIdentifier: fullSize.uuidString.lowercased(), altText: $0.altText)
            },
            bulletPoints: bullets.isEmpty ? nil : bullets)
    }
}
