import FoundationEssentials
import Locales

/// Apple's limits on what can be uploaded and set, each with the error code its server answers
/// (`retentionmessaging/error-codes`).
struct AppStateRules {
    static let realtimeURLCharactersLimit = 256
    private static let imagesLimit = 2000
    private static let messagesLimit = 2000
    static let headerCharactersLimit = 66
    static let bodyCharactersLimit = 144
    static let altTextCharactersLimit = 150
    static let bulletPointsLimit = 5
    static let bulletTextCharactersLimit = 66

    private let state: AppState
    private let imageSizes: [UUID: AppState.Image.Size]

    init(_ state: AppState) {
        self.state = state
        imageSizes = Dictionary(
            state.images.compactMap { image in
                uuid(image.imageIdentifier).map { ($0, image.imageSize) }
            }, uniquingKeysWith: { $1 })
    }

    func problems() -> [ControlError.Problem] {
        appProblems() + productProblems() + imageProblems() + messageProblems()
            + defaultProblems() + appStoreConnectProblems() + offerProblems()
            + transactionProblems()
    }

    static func isRealtimeURL(_ url: String) -> Bool {
        url.utf8.starts(with: "https://".utf8) && url.utf8.count > 8
            && url.utf16.count <= realtimeURLCharactersLimit
    }

    /// An App Store locale shortcode, in Apple's own case.
    static func isLocale(_ text: String) -> Bool {
        AppleLocales.all.contains { sameBytes($0, text) }
    }
}

extension AppStateRules {
    private func appProblems() -> [ControlError.Problem] {
        var found = Findings()
        found.unless(state.appAppleId > 0, "/appAppleId", "An app's Apple id is above zero.")
        found.unless(!state.bundleId.isEmpty, "/bundleId", "Name the bundle id.")
        if let url = state.realtimeURL {
            found.unless(
                AppStateRules.isRealtimeURL(url), "/realtimeURL",
                "Begin with https:// and stay within 256 characters (4000215).")
        }
        return found.problems
    }

    private func productProblems() -> [ControlError.Problem] {
        var found = Findings()
        var seen: Set<[UInt8]> = []
        for (index, product) in state.products.enumerated() {
            let place = "/products/\(index)"
            found.unless(!product.productId.isEmpty, "\(place)/productId", "Name the product.")
            found.unless(
                seen.insert(Array(product.productId.utf8)).inserted, "\(place)/productId",
                "A product is listed once.")
            found.unless(
                !product.subscriptionGroup.isEmpty, "\(place)/subscriptionGroup",
                "Every auto-renewable subscription belongs to a group.")
            for problem in ProductTerms.problems(of: product, at: place) {
                found.add(problem.pointer, problem.message)
            }
        }
        return found.problems
    }

    private func imageProblems() -> [ControlError.Problem] {
        var found = Findings()
        var seen: Set<UUID> = []
        found.unless(
            state.images.count <= AppStateRules.imagesLimit, "/images",
            "An app has at most 2000 images (4030014).")
        for (index, image) in state.images.enumerated() {
            let place = "/images/\(index)/imageIdentifier"
            guard let identifier = uuid(image.imageIdentifier) else {
                found.add(place, "An image identifier is a UUID.")
                continue
            }
            found.unless(
                seen.insert(identifier).inserted, place, "This image exists already (4090000).")
        }
        return found.problems
    }

    private func messageProblems() -> [ControlError.Problem] {
        var found = Findings()
        var seen: Set<UUID> = []
        found.unless(
            state.messages.count <= AppStateRules.messagesLimit, "/messages",
            "An app has at most 2000 messages (4030016).")
        for (index, message) in state.messages.enumerated() {
            let place = "/messages/\(index)"
            if let identifier = uuid(message.messageIdentifier) {
                found.unless(
                    seen.insert(identifier).inserted, "\(place)/messageIdentifier",
                    "This message exists already (4090001).")
            } else {
                found.add("\(place)/messageIdentifier", "A message identifier is a UUID.")
            }
            found.text(
                message.header, AppStateRules.headerCharactersLimit, "\(place)/header", 4_000_162)
            found.text(message.body, AppStateRules.bodyCharactersLimit, "\(place)/body", 4_000_163)
            checkImages(of: message, at: place, &found)
        }
        return found.problems
    }

    private func checkImages(
        of message: AppState.Message, at place: String, _ found: inout Findings
    ) {
        if let image = message.image {
            check(image.imageIdentifier, .fullSize, "\(place)/image", &found)
            found.text(
                image.altText, AppStateRules.altTextCharactersLimit, "\(place)/image/altText",
                4_000_175)
        }
        found.unless(
            message.headerPosition != .aboveImage || message.image != nil,
            "\(place)/headerPosition", "ABOVE_IMAGE needs an image (4000224).")
        let bullets = message.bulletPoints ?? []
        found.unless(
            bullets.count <= AppStateRules.bulletPointsLimit, "\(place)/bulletPoints",
            "A message has at most 5 bullet points (4000218).")
        for (index, bullet) in bullets.enumerated() {
            let bulletPlace = "\(place)/bulletPoints/\(index)"
            check(bullet.imageIdentifier, .bulletPoint, bulletPlace, &found)
            found.text(
                bullet.text, AppStateRules.bulletTextCharactersLimit, "\(bulletPlace)/text",
                4_000_219)
            found.text(
                bullet.altText, AppStateRules.altTextCharactersLimit, "\(bulletPlace)/altText",
                4_000_175)
        }
    }

    private func check(
        _ imageIdentifier: String, _ size: AppState.Image.Size, _ place: String,
        _ found: inout Findings
    ) {
        guard let uploaded = uuid(imageIdentifier).flatMap({ imageSizes[$0] }) else {
            found.add("\(place)/imageIdentifier", "Upload the image before the message.")
            return
        }
        found.unless(
            uploaded == size, "\(place)/imageIdentifier",
            "Here an image of size \(size.rawValue) is needed (4000216).")
    }

    private func defaultProblems() -> [ControlError.Problem] {
        var found = Findings()
        var seen: Set<[[UInt8]]> = []
        let messages = Set(state.messages.compactMap { uuid($0.messageIdentifier) })
        for (index, entry) in state.defaults.enumerated() {
            let place = "/defaults/\(index)"
            checkProduct(entry.productId, "\(place)/productId", &found)
            found.unless(
                AppStateRules.isLocale(entry.locale), "\(place)/locale",
                "Use an App Store locale shortcode, exactly as Apple writes it (4000164).")
            found.unless(
                uuid(entry.messageIdentifier).map(messages.contains) == true,
                "\(place)/messageIdentifier", "There is no such message (4040015).")
            found.unless(
                seen.insert([Array(entry.productId.utf8), Array(entry.locale.utf8)]).inserted,
                place, "A product has one default message in a locale.")
        }
        return found.problems
    }

    private func appStoreConnectProblems() -> [ControlError.Problem] {
        var found = Findings()
        for (index, message) in state.appStoreConnectMessages.enumerated() {
            let place = "/appStoreConnectMessages/\(index)"
            found.unless(
                (message.productId == nil) != (message.subscriptionGroup == nil), place,
                "Name either the product or the subscription group.")
            if let productId = message.productId {
                checkProduct(productId, "\(place)/productId", &found)
            }
            found.unless(!message.header.isEmpty, "\(place)/header", "A header is required.")
            for (offerIndex, offer) in (message.retentionOffers ?? []).enumerated() {
                found.unless(
                    !offer.offerIdentifier.isEmpty, "\(place)/retentionOffers/\(offerIndex)",
                    "Name the offer.")
            }
        }
        return found.problems
    }

    private func offerProblems() -> [ControlError.Problem] {
        var found = Findings()
        var seenKeys: Set<[UInt8]> = []
        var seenOffers: Set<[[UInt8]]> = []
        for (index, key) in state.offerKeys.enumerated() {
            let place = "/offerKeys/\(index)"
            found.unless(!key.keyId.isEmpty, "\(place)/keyId", "Name the key id.")
            found.unless(!key.issuerId.isEmpty, "\(place)/issuerId", "Name the issuer id.")
            found.unless(
                seenKeys.insert(Array(key.keyId.utf8)).inserted, "\(place)/keyId",
                "A key is listed once.")
        }
        for (index, offer) in state.promotionalOffers.enumerated() {
            let place = "/promotionalOffers/\(index)"
            checkProduct(offer.productId, "\(place)/productId", &found)
            found.unless(
                !offer.offerIdentifier.isEmpty, "\(place)/offerIdentifier", "Name the offer.")
            found.unless(
                seenOffers.insert([Array(offer.productId.utf8), Array(offer.offerIdentifier.utf8)])
                    .inserted, place, "An offer is listed once for a product.")
        }
        return found.problems
    }

    private func transactionProblems() -> [ControlError.Problem] {
        var found = Findings()
        for (index, transaction) in state.transactions.enumerated() {
            let place = "/transactions/\(index)"
            found.unless(
                !transaction.originalTransactionId.isEmpty, "\(place)/originalTransactionId",
                "Name the transaction.")
            if let productId = transaction.productId {
                checkProduct(productId, "\(place)/productId", &found)
            }
        }
        return found.problems
    }

    private func checkProduct(_ productId: String, _ place: String, _ found: inout Findings) {
        found.unless(
            state.products.contains { sameBytes($0.productId, productId) }, place,
            "The app has no such product (4000023).")
    }
}

/// Problems in the order found.
private struct Findings {
    var problems: [ControlError.Problem] = []

    mutating func add(_ pointer: String, _ message: String) {
        problems.append(.init(pointer, message))
    }

    mutating func unless(_ holds: Bool, _ pointer: String, _ message: String) {
        if !holds { add(pointer, message) }
    }

    /// Apple names no unit; UTF-16 units are the strictest of those in use (an emoji counts two
    /// and more), so that nothing accepted here is refused there.
    mutating func text(_ text: String, _ limit: Int, _ pointer: String, _ errorCode: Int) {
        let length = text.utf16.count
        unless(
            length >= 1 && length <= limit, pointer,
            "Write 1 to \(limit) characters (UTF-16 units); there are \(length) (\(errorCode)).")
    }
}
