/// The order in which the App Store looks for something to show on Confirm Cancellation:
///
/// ```
/// gate: a default message exists for product x App Store locale, else nothing at all
///   1  real-time answer, where it was timely and right
///   2  App Store Connect message of the product, else of its group; the best eligible retention
///      offer takes the place of its image
///   3  default message of the Retention Messaging API, where it and its images are APPROVED
///   4  nothing
/// ```
/// From "Explore Retention Messaging in App Store Connect" (WWDC26) and the API's overview.
/// Whether an App Store Connect message alone lifts the gate is not documented; here it does not.
package struct FallbackLayers: Sendable {
    package var catalog: AppCatalog
    package var behaviour: Behaviour

    package init(catalog: AppCatalog, behaviour: Behaviour = .init()) {
        self.catalog = catalog
        self.behaviour = behaviour
    }

    /// - Parameter locale: the App Store locale of the customer, nil where there is none.
    package func display(
        realtime: Display?, originalTransactionId: String, productId: String, locale: String?
    ) -> Display {
        guard let locale,
            let message = catalog.defaultMessage(productId: productId, locale: locale)
        else { return .nothing }
        return realtime
            ?? appStoreConnect(originalTransactionId, productId)
            ?? apiDefault(message)
            ?? .nothing
    }

    private func appStoreConnect(_ originalTransactionId: String, _ productId: String) -> Display? {
        guard behaviour.appStoreConnectLayer, let message = message(for: productId) else {
            return nil
        }
        let offer = (message.retentionOffers ?? [])
            .filter { $0.isEligible(originalTransactionId) }
            .reduce(nil) { (best: AppState.RetentionOffer?, next) in
                guard let best, best.worth >= next.worth else { return next }
                return best
            }
        var display = Display(.appStoreConnect, offer == nil ? .message : .retentionOffer)
        display.header = message.header
        display.body = message.body
        display.hasImage = message.hasImage && offer == nil
        display.offerIdentifier = offer?.offerIdentifier
        return display
    }

    private func message(for productId: String) -> AppState.AppStoreConnectMessage? {
        let messages = catalog.state.appStoreConnectMessages
        let ofProduct = messages.first { $0.productId.map { sameBytes($0, productId) } ?? false }
        if let ofProduct { return ofProduct }
        guard let group = catalog.product(productId)?.subscriptionGroup else { return nil }
        return messages.first { $0.subscriptionGroup.map { sameBytes($0, group) } ?? false }
    }

    private func apiDefault(_ message: AppState.Message) -> Display? {
        guard behaviour.apiDefaultLayer, message.messageState == .approved,
            catalog.unapprovedImages(of: message).isEmpty
        else { return nil }
        return Display(.apiDefault, .message, message)
    }
}
