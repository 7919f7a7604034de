/// A promotional offer as an answer names it.
struct Offer: Sendable {
    var productId: String
    var offerIdentifier: String

    /// The same or another product of the customer's group, and an offer it has.
    func breaches(_ catalog: AppCatalog, _ request: RealtimeRequest) -> [RuleBreach] {
        guard catalog.product(productId) != nil else {
            return [.init(.productUnknown, "The app has no product that the offer names.")]
        }
        guard catalog.isSameGroup(productId, request.productId) else {
            return [
                .init(
                    .productOfAnotherGroup,
                    "The offer's product is of another subscription group than the customer's.")
            ]
        }
        guard catalog.hasOffer(offerIdentifier, on: productId) else {
            return [.init(.offerUnknown, "The product has no promotional offer of this name.")]
        }
        return []
    }
}
