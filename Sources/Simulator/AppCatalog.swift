import FoundationEssentials
import Signing

/// One app's state, checked and indexed for look-ups. Identifiers are compared by their bytes.
/// `AppCatalogChanges` changes state and index together.
package struct AppCatalog: Sendable {
    package internal(set) var state: AppState
    private let products: [[UInt8]: AppState.Product]
    var images: [UUID: AppState.Image]
    var messages: [UUID: AppState.Message]
    var defaults: [DefaultPlace: UUID]
    private let offerKeys: [[UInt8]: KnownOfferKey]
    private let offers: Set<OfferPlace>

    struct DefaultPlace: Hashable, Sendable {
        var productId: [UInt8]
        var locale: [UInt8]

        init(_ productId: String, _ locale: String) {
            self.productId = Array(productId.utf8)
            self.locale = Array(locale.utf8)
        }
    }

    private struct OfferPlace: Hashable, Sendable {
        var productId: [UInt8]
        var offerIdentifier: [UInt8]

        init(_ productId: String, _ offerIdentifier: String) {
            self.productId = Array(productId.utf8)
            self.offerIdentifier = Array(offerIdentifier.utf8)
        }
    }

    struct KnownOfferKey: Sendable {
        var issuerId: String
        var key: PublicKey
    }

    /// Refuses a state that Apple's own calls could not have led to, with every problem in it.
    package init(_ state: AppState) throws(ControlError) {
        let rules = AppStateRules(state)
        let (keys, keyProblems) = AppCatalog.keys(of: state)
        let problems = rules.problems() + keyProblems
        guard problems.isEmpty else { throw ControlError(problems: problems) }
        self.state = state
        offerKeys = keys
        products = Dictionary(
            state.products.map { (Array($0.productId.utf8), $0) }, uniquingKeysWith: { $1 })
        images = Dictionary(
            state.images.compactMap { image in
                uuid(image.imageIdentifier).map { ($0, image) }
            }, uniquingKeysWith: { $1 })
        messages = Dictionary(
            state.messages.compactMap { message in
                uuid(message.messageIdentifier).map { ($0, message) }
            }, uniquingKeysWith: { $1 })
        defaults = Dictionary(
            state.defaults.compactMap { entry in
                let place = DefaultPlace(entry.productId, entry.locale)
                return uuid(entry.messageIdentifier).map { (place, $0) }
            }, uniquingKeysWith: { $1 })
        let withTerms = state.products.flatMap { product in
            ProductTerms(product).offers(ofType: 2).map {
                OfferPlace(product.productId, $0.offerIdentifier ?? "")
            }
        }
        offers = Set(
            state.promotionalOffers.map { OfferPlace($0.productId, $0.offerIdentifier) }
                + withTerms)
    }

    private static func keys(
        of state: AppState
    ) -> ([[UInt8]: KnownOfferKey], [ControlError.Problem]) {
        var keys: [[UInt8]: KnownOfferKey] = [:]
        var problems: [ControlError.Problem] = []
        for (index, key) in state.offerKeys.enumerated() {
            do {
                let parsed = try PublicKey(pem: Array(key.publicKeyPEM.utf8))
                keys[Array(key.keyId.utf8)] = KnownOfferKey(issuerId: key.issuerId, key: parsed)
            } catch {
                problems.append(
                    .init(
                        "/offerKeys/\(index)/publicKeyPEM",
                        "Send the P-256 public key as PEM (BEGIN PUBLIC KEY)."))
            }
        }
        return (keys, problems)
    }
}

extension AppCatalog {
    func product(_ productId: String) -> AppState.Product? {
        products[Array(productId.utf8)]
    }

    func message(_ identifier: UUID) -> AppState.Message? {
        messages[identifier]
    }

    /// The images of a message, bullets included, that review has not approved.
    func unapprovedImages(of message: AppState.Message) -> [String] {
        var identifiers = message.bulletPoints?.map(\.imageIdentifier) ?? []
        if let image = message.image { identifiers.insert(image.imageIdentifier, at: 0) }
        return identifiers.filter { identifier in
            uuid(identifier).flatMap { images[$0] }?.imageState != .approved
        }
    }

    /// The message that Configure Default Message named, whatever its state.
    func defaultMessage(productId: String, locale: String) -> AppState.Message? {
        defaults[DefaultPlace(productId, locale)].flatMap { messages[$0] }
    }

    func offerKey(_ keyId: String) -> KnownOfferKey? {
        offerKeys[Array(keyId.utf8)]
    }

    func hasOffer(_ offerIdentifier: String, on productId: String) -> Bool {
        offers.contains(OfferPlace(productId, offerIdentifier))
    }

    func isSameGroup(_ productId: String, _ other: String) -> Bool {
        guard let a = product(productId), let b = product(other) else { return false }
        return sameBytes(a.subscriptionGroup, b.subscriptionGroup)
    }
}
