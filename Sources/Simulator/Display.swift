/// What the customer sees in "From the developer" after a tap on Cancel Subscription.
package struct Display: Codable, Sendable, Equatable {
    /// Which of the four layers it comes from.
    package enum Layer: String, Codable, Sendable, CaseIterable {
        case realtime, appStoreConnect, apiDefault, nothing
    }

    package enum Kind: String, Codable, Sendable {
        case message, switchPlan, promotionalOffer, retentionOffer, nothing
    }

    package var layer: Layer
    package var kind: Kind
    package var messageIdentifier: String?
    package var header: String?
    package var body: String?
    package var headerPosition: AppState.HeaderPosition?
    package var hasImage: Bool
    package var imageIdentifier: String?
    package var bulletPoints: [String]
    /// The product to switch to, or the product of the offer.
    package var productId: String?
    package var billingPlanType: String?
    package var offerIdentifier: String?

    package static let nothing = Display(.nothing, .nothing)

    init(_ layer: Layer, _ kind: Kind) {
        self.layer = layer
        self.kind = kind
        hasImage = false
        bulletPoints = []
    }

    init(_ layer: Layer, _ kind: Kind, _ message: AppState.Message) {
        self.init(layer, kind)
        messageIdentifier = message.messageIdentifier.lowercased()
        header = message.header
        body = message.body
        headerPosition = message.headerPosition
        hasImage = message.image != nil
        imageIdentifier = message.image?.imageIdentifier.lowercased()
        bulletPoints = message.bulletPoints?.map(\.text) ?? []
    }
}
