internal import FoundationEssentials
internal import Operator
internal import Retention
internal import RetentionStore

/// What one sample app has at Apple in one environment without any sync: placed through the store,
/// and told to the simulator with the same identifiers and review states.
struct PlacedContent {
    private var images: [SimulatorApp.Image] = []
    private var messages: [String: SimulatorApp.Message] = [:]
    private var defaults: [SimulatorApp.DefaultMessage] = []

    init(
        _ app: BuiltApp, at key: AppEnvironment, _ transaction: TenantTransaction
    ) throws {
        let (sample, images) = (app.sample, app.images)
        let fullSize = try transaction.placeImage(images.fullSize, at: key, state: .approved)
        let bulletPoint = try transaction.placeImage(
            images.bulletPoint, at: key, state: .approved)
        self.images = [
            Self.image(fullSize, .fullSize), Self.image(bulletPoint, .bulletPoint),
        ]
        for (message, id) in app.messages {
            for locale in message.locales {
                let isPending = sample.pending[message]?.contains(locale) ?? false
                let state: ReviewState = isPending ? .pending : .approved
                let appleId = try transaction.placeMessage(
                    id, locale: locale, at: key, state: state)
                let text = message.localization(locale, app: sample.name, images)
                let placed = Self.message(
                    appleId, text, state, fullSize: fullSize, bulletPoint: bulletPoint)
                self.messages[placed.messageIdentifier] = placed
                guard message == .thanks else { continue }
                defaults += sample.products.map {
                    SimulatorApp.DefaultMessage(
                        productId: $0.productId, locale: locale,
                        messageIdentifier: placed.messageIdentifier)
                }
            }
        }
    }

    /// The app with it, as if the sync had brought it there.
    func simulatorApp(_ app: BuiltApp, in environment: StoreEnvironment) -> SimulatorApp {
        var state = SimulatorApp(
            app.sample, in: environment.rawValue, offerKey: app.offerKey)
        state.realtimeURL = app.endpoints[environment].map { SampleAgency.publicOrigin + $0 }
        state.images = images
        state.messages = Array(messages.values)
        state.defaults = defaults
        return state
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
