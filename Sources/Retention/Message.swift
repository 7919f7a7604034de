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
}

package enum HeaderPosition: String, Codable, Sendable {
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
        var problems = [
            ContentProblem.tooLong("header", header, limit: MessageLimit.headerUnits),
            .tooLong("body", body, limit: MessageLimit.bodyUnits),
            image.flatMap { .tooLong("altText", $0.altText, limit: MessageLimit.altTextUnits) },
        ].compactMap(\.self)
        if header.isEmpty { problems.append(.init(field: "header", problem: "is empty")) }
        if body.isEmpty { problems.append(.init(field: "body", problem: "is empty")) }
        problems += bulletProblems
        if headerPosition == .aboveImage, image == nil {
            problems.append(.init(field: "headerPosition", problem: "ABOVE_IMAGE needs an image"))
        }
        if kind != .text, image != nil || !bullets.isEmpty {
            problems.append(
                .init(field: "image", problem: "a \(kind.rawValue) message has no image or bullets")
            )
        }
        return problems
    }

    private var bulletProblems: [ContentProblem] {
        var problems: [ContentProblem] = []
        if bullets.count > MessageLimit.bullets {
            let problem = "\(bullets.count) bullets, Apple allows \(MessageLimit.bullets)"
            problems.append(.init(field: "bulletPoints", problem: problem))
        }
        for (index, bullet) in bullets.enumerated() {
            let field = "bulletPoints/\(index)"
            if bullet.text.isEmpty {
                problems.append(.init(field: "\(field)/text", problem: "is empty"))
            }
            problems += [
                .tooLong("\(field)/text", bullet.text, limit: MessageLimit.bulletTextUnits),
                .tooLong(
                    "\(field)/altText", bullet.image.altText, limit: MessageLimit.altTextUnits),
            ].compactMap(\.self)
        }
        return problems
    }
}

/// One thing that Apple would refuse: the field, the limit and what was measured.
package struct ContentProblem: Hashable, Sendable {
    package let field: String
    package let problem: String

    package init(field: String, problem: String) {
        self.field = field
        self.problem = problem
    }

    static func tooLong(_ field: String, _ text: String, limit: Int) -> ContentProblem? {
        let units = text.utf16.count
        guard units > limit else { return nil }
        return ContentProblem(
            field: field, problem: "\(units) UTF-16 units, Apple allows \(limit)")
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
