extension Rule {
    /// Every product it asks for or leads to.
    package var productIds: [String] { when.productIds + treatments.flatMap(\.productIds) }

    /// Every message it may say.
    package var messageIds: [MessageID] { treatments.flatMap(\.messageIds) }

    /// Whether it asks for the product, or leads to it.
    package func names(product: String) -> Bool {
        productIds.contains { isSame($0, product) }
    }

    package func names(offer: String, of product: String) -> Bool {
        treatments.contains { treatment in
            guard case .promotionalOffer(_, let named, let identifier, _) = treatment else {
                return false
            }
            return isSame(named, product) && isSame(identifier, offer)
        }
    }
}
