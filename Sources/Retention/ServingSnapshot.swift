import FoundationEssentials

/// A snapshot arranged for look-up. Made once when the snapshot is taken in, then only read.
package struct ServingSnapshot: Sendable {
    package let snapshot: Snapshot
    /// Whether an answer may depend on who asks: where not, nobody is looked up.
    package let asksForSubscriber: Bool
    private let products: [ExactText: Product]
    private let offers: Set<PromotionalOffer>
    private let messages: [MessageID: ServedMessage]
    private let defaults: [ExactText: [String: UUID]]

    package init(_ snapshot: Snapshot) {
        self.snapshot = snapshot
        asksForSubscriber = snapshot.ruleSet.asksForSubscriber
        products = Dictionary(
            snapshot.products.map { (ExactText($0.productId), $0) },
            uniquingKeysWith: { first, _ in first })
        offers = Set(
            snapshot.offers.filter { $0.kind == .promotional }.map {
                PromotionalOffer($0.productId, $0.offerIdentifier)
            })
        messages = Dictionary(
            snapshot.messages.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        defaults = Dictionary(grouping: snapshot.defaults, by: { ExactText($0.productId) })
            .mapValues { rows in
                Dictionary(
                    rows.map { ($0.locale, $0.messageIdentifier) },
                    uniquingKeysWith: { first, _ in first })
            }
    }

    /// Every locale in which the app has approved text: what a reader's locale is matched against.
    package var locales: [String] {
        let placed = snapshot.messages.flatMap(\.placements.keys)
        return Set(placed + snapshot.defaults.map(\.locale)).sorted()
    }

    func message(_ id: MessageID) -> ServedMessage? { messages[id] }

    func product(_ productId: String) -> Product? { products[ExactText(productId)] }

    func hasPromotionalOffer(_ offerIdentifier: String, of productId: String) -> Bool {
        offers.contains(PromotionalOffer(productId, offerIdentifier))
    }

    /// Locale to `messageIdentifier`.
    func defaults(of productId: String) -> [String: UUID] { defaults[ExactText(productId)] ?? [:] }

    func isSameGroup(_ current: String, _ other: String) -> Bool {
        guard let current = product(current), let other = product(other) else { return false }
        return isSame(current.subscriptionGroup, other.subscriptionGroup)
    }
}

/// The two names that pick an offer.
private struct PromotionalOffer: Hashable {
    let productId: ExactText
    let offerIdentifier: ExactText

    init(_ productId: String, _ offerIdentifier: String) {
        self.productId = ExactText(productId)
        self.offerIdentifier = ExactText(offerIdentifier)
    }
}
