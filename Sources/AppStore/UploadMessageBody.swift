package import FoundationEssentials
package import Retention

/// A text in the form in which Apple takes it up: without a locale, pictures by their identifiers
/// at Apple.
///
/// Source: developer.apple.com/documentation/retentionmessaging/uploadmessagerequestbody
package struct UploadMessageBody: Hashable, Sendable {
    private let localization: Localization
    private let appleImages: [ImageID: UUID]

    /// Nil where a picture of the text has no identifier at Apple: upload it first.
    package init?(_ localization: Localization, appleImages: [ImageID: UUID]) {
        let placed = localization.bullets.map(\.image) + (localization.image.map { [$0] } ?? [])
        var used: [ImageID: UUID] = [:]
        for picture in placed {
            guard let id = appleImages[picture.image] else { return nil }
            used[picture.image] = id
        }
        self.localization = localization
        self.appleImages = used
    }

    /// Always the same bytes for the same text; what is absent is left out.
    package func json() -> [UInt8] {
        var body = JSONText()
        body.add("header", localization.header)
        body.add("body", localization.body)
        if let image = localization.image {
            var inner = JSONText()
            add(image, to: &inner)
            body.add("image", inner)
        }
        if let position = localization.headerPosition {
            body.add("headerPosition", position.rawValue)
        }
        if !localization.bullets.isEmpty {
            body.add(
                "bulletPoints",
                localization.bullets.map { bullet in
                    var inner = JSONText()
                    inner.add("text", bullet.text)
                    add(bullet.image, to: &inner)
                    return inner
                })
        }
        return body.closed()
    }

    private func add(_ placed: PlacedImage, to object: inout JSONText) {
        if let id = appleImages[placed.image] { object.add("imageIdentifier", id.lowerCaseText) }
        object.add("altText", placed.altText)
    }
}
