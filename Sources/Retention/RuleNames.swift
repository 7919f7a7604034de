extension Rule {
    /// Whether it asks for the product, or leads to it.
    package func names(product: String) -> Bool {
        if when.productIds?.contains(where: { isSame($0, product) }) ?? false { return true }
        return switch treatment {
        case .switchPlan(_, let named, _), .promotionalOffer(_, let named, _):
            isSame(named, product)
        case .message, .fallback: false
        }
    }

    package func names(offer: String, of product: String) -> Bool {
        guard case .promotionalOffer(_, let named, let identifier) = treatment else { return false }
        return isSame(named, product) && isSame(identifier, offer)
    }
}
