package import FoundationEssentials

/// What a message or image identifier at Apple is derived from. Apple's upload is create-only and
/// its list returns no content, so the identifier itself must say what it names: a retry sends the
/// same one, a conflict on it is our own content, an edit makes another.
package struct AppleContent: Sendable {
    package enum Kind: String, Sendable { case image, message }

    package let app: AppID
    package let environment: StoreEnvironment
    package let kind: Kind
    package let canonicalContent: [UInt8]
    /// Raised to bring the content of a deleted identifier back.
    package let generation: Int32

    package init(
        app: AppID, environment: StoreEnvironment, kind: Kind, canonicalContent: [UInt8],
        generation: Int32
    ) {
        self.app = app
        self.environment = environment
        self.kind = kind
        self.canonicalContent = canonicalContent
        self.generation = generation
    }

    /// The bytes to digest. Every part carries its length, so that no two contents share bytes.
    /// `salt` is the app's own, so that another tool or tenant of the same app never collides.
    package func bytesToDigest(salt: [UInt8]) -> [UInt8] {
        var writer = CanonicalWriter()
        writer.append(salt)
        writer.append(app.uuid.bytes)
        writer.append(Array(environment.rawValue.utf8))
        writer.append(Array(kind.rawValue.utf8))
        writer.append(canonicalContent)
        writer.append(Array(String(generation).utf8))
        return writer.bytes
    }
}

extension Localization {
    /// The text as Apple stores it: no locale, since a message has none at Apple; pictures by
    /// their identifiers at Apple. `nil` where a picture has no identifier there.
    package func canonicalContent(appleImages: [ImageID: UUID]) -> [UInt8]? {
        var writer = CanonicalWriter()
        writer.append(Array(header.utf8))
        writer.append(Array(body.utf8))
        writer.append(Array((headerPosition?.rawValue ?? "").utf8))
        for (text, placed) in [(String?.none, image)] + bullets.map({ ($0.text, $0.image) }) {
            guard let placed else {
                writer.append([])
                continue
            }
            guard let appleImage = appleImages[placed.image] else { return nil }
            writer.append(Array((text ?? "").utf8))
            writer.append(appleImage.bytes)
            writer.append(Array(placed.altText.utf8))
        }
        return writer.bytes
    }
}

/// Parts with their lengths before them.
struct CanonicalWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ part: [UInt8]) {
        let count = UInt32(clamping: part.count)
        bytes += stride(from: 24, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: count >> UInt32($0))
        }
        bytes += part
    }
}
