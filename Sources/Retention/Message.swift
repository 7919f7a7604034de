/// What a message is for. Apple allows an image or bullets for `text` only.
///
/// Source: developer.apple.com/documentation/retentionmessaging/uploadmessagerequestbody
package enum MessageKind: String, Codable, Sendable, CaseIterable {
    /// Text with an optional image and optional bullets; may also be a default message.
    case text
    /// Accompanies an alternate product.
    case switchPlan
    /// Accompanies a promotional offer.
    case promotionalOffer
}

/// Apple's limits. Apple does not say whether it counts UTF-16 units or code points; UTF-16 units
/// are never fewer, so they are what must fit.
package enum MessageLimit {
    package static let headerUnits = 66
    package static let bodyUnits = 144
    package static let altTextUnits = 150
    package static let bulletTextUnits = 66
    package static let bullets = 5
    /// Apple's limit of an app. It counts each localization; more messages than that never go up.
    package static let messagesOfApp = 2_000
}

package enum HeaderPosition: String, Codable, Sendable, CaseIterable {
    case aboveBody = "ABOVE_BODY"
    case aboveImage = "ABOVE_IMAGE"
}

/// Apple's `imageSize`: what the picture is used for, with exact pixels for each use.
package enum ImageSize: String, Codable, Sendable, CaseIterable {
    /// `ImageLimit` has the pixels of both.
    case fullSize = "FULL_SIZE"
    case bulletPoint = "BULLET_POINT"
}

/// A picture as a message shows it.
package struct PlacedImage: Hashable, Codable, Sendable {
    package let image: ImageID
    package let altText: String

    package init(image: ImageID, altText: String) {
        self.image = image
        self.altText = altText
    }
}

package struct Bullet: Hashable, Codable, Sendable {
    package let text: String
    package let image: PlacedImage

    package init(text: String, image: PlacedImage) {
        self.text = text
        self.image = image
    }
}

/// A message in one of Apple's locales: what is uploaded, reviewed and shown.
package struct Localization: Hashable, Codable, Sendable {
    package let locale: String
    package let header: String
    package let body: String
    package let headerPosition: HeaderPosition?
    package let image: PlacedImage?
    package let bullets: [Bullet]

    package init(
        locale: String, header: String, body: String, headerPosition: HeaderPosition? = nil,
        image: PlacedImage? = nil, bullets: [Bullet] = []
    ) {
        self.locale = locale
        self.header = header
        self.body = body
        self.headerPosition = headerPosition
        self.image = image
        self.bullets = bullets
    }

    /// Everything that is wrong with this text for a message of `kind`; empty when Apple's limits
    /// and combinations are kept.
    package func problems(for kind: MessageKind) -> [ContentProblem] {
        var problems: [ContentProblem] = []
        problems += .text("header", header, limit: MessageLimit.headerUnits)
        problems += .text("body", body, limit: MessageLimit.bodyUnits)
        if let image {
            problems += .altText("image/altText", image.altText)
        }
        problems += bulletProblems
        if headerPosition == .aboveImage, image == nil {
            problems.append(
                ContentProblem("headerPosition", .notAllowed, "ABOVE_IMAGE needs an image"))
        }
        if kind != .text {
            let shown = [("image", image != nil), ("bulletPoints", !bullets.isEmpty)]
            problems += shown.filter(\.1).map { field, _ in
                ContentProblem(
                    field, .notAllowed, "a \(kind.rawValue) message has no image or bullets")
            }
        }
        return problems
    }

    private var bulletProblems: [ContentProblem] {
        var problems: [ContentProblem] = []
        if bullets.count > MessageLimit.bullets {
            problems.append(
                ContentProblem(
                    "bulletPoints", .tooMany,
                    "\(bullets.count) bullets, Apple allows \(MessageLimit.bullets)",
                    limit: MessageLimit.bullets, measured: bullets.count))
        }
        for (index, bullet) in bullets.enumerated() {
            let field = "bulletPoints/\(index)"
            problems += .text("\(field)/text", bullet.text, limit: MessageLimit.bulletTextUnits)
            problems += .altText("\(field)/altText", bullet.image.altText)
        }
        return problems
    }
}

/// One thing that Apple would refuse: the field, the limit and what was measured.
package struct ContentProblem: Hashable, Sendable {
    package enum Code: String, Sendable {
        case tooLong, tooShort, tooMany, notAllowed
        case hasAlphaChannel, transparent, animated, wrongSize
    }

    /// With slashes where it is inside another: `bulletPoints/0/text`.
    package let field: String
    package let code: Code
    package let problem: String
    package let limit: Int?
    package let measured: Int?
    package let unit: String?

    init(
        _ field: String, _ code: Code, _ problem: String, limit: Int? = nil, measured: Int? = nil,
        unit: String? = nil
    ) {
        self.field = field
        self.code = code
        self.problem = problem
        self.limit = limit
        self.measured = measured
        self.unit = unit
    }
}

extension [ContentProblem] {
    /// Of a text that must say something.
    fileprivate static func text(_ field: String, _ text: String, limit: Int) -> [ContentProblem] {
        if text.isEmpty {
            return [
                ContentProblem(
                    field, .tooShort, "is empty", limit: 1, measured: 0, unit: ContentProblem.units)
            ]
        }
        let problem = tooLong(field, text, limit: limit)
        guard problem.isEmpty, text.hasNothingVisible else { return problem }
        return [ContentProblem(field, .notAllowed, "holds nothing that can be seen")]
    }

    fileprivate static func altText(_ field: String, _ text: String) -> [ContentProblem] {
        tooLong(field, text, limit: MessageLimit.altTextUnits)
    }

    private static func tooLong(_ field: String, _ text: String, limit: Int) -> [ContentProblem] {
        let units = text.utf16.count
        guard units > limit else { return [] }
        return [
            ContentProblem(
                field, .tooLong, "\(units) UTF-16 units, Apple allows \(limit)", limit: limit,
                measured: units, unit: ContentProblem.units)
        ]
    }
}

extension ContentProblem {
    fileprivate static let units = "UTF-16 units"
}

extension String {
    /// Blanks and marks that have no width: Apple would show an empty line.
    fileprivate var hasNothingVisible: Bool {
        unicodeScalars.allSatisfy {
            $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint
        }
    }
}

/// Apple's review state of an uploaded message or image. Open, like every enum of Apple's.
///
/// Source: developer.apple.com/documentation/retentionmessaging/messagestate
package struct ReviewState: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let pending = ReviewState(rawValue: "PENDING")
    package static let approved = ReviewState(rawValue: "APPROVED")
    package static let rejected = ReviewState(rawValue: "REJECTED")
}
