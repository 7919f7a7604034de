internal import FoundationEssentials
internal import Retention
internal import RetentionStore

/// The text of one locale as a body has it.
struct LocalizationContent {
    /// The body is no longer: the domain says what is too long for Apple.
    private static let unitsRead = 0...Operation.Body.jsonBytesLimit
    /// For an image whose identifier cannot be read; nothing is stored then.
    private static let unread = ImageID(UUID())

    let text: Localization

    /// - Throws: `Problem` with everything that is wrong: form, Apple's limits, and pictures that
    ///   the app does not have or has for the other use.
    init(
        _ tree: JSONTree, locale: String, kind: MessageKind, of app: AppID,
        _ transaction: TenantTransaction
    ) throws {
        var reader = BodyReader(tree)
        text = Localization(
            locale: locale, header: reader.text("header", Self.unitsRead),
            body: reader.text("body", Self.unitsRead),
            headerPosition: reader.optionalChoice("headerPosition", HeaderPosition.self),
            image: reader.optionalObject("image", Self.placedImage),
            bullets: reader.objects("bulletPoints", limit: MessageLimit.bullets) { reader in
                Bullet(
                    text: reader.text("text", Self.unitsRead), image: Self.placedImage(&reader))
            })
        let formless = Set(reader.problems.map(\.place))
        for problem in text.problems(for: kind) {
            let place = FieldProblem.Place.pointer(reader.path(problem.field))
            if !formless.contains(place) { reader.note(FieldProblem(problem, at: place)) }
        }
        try Self.judgeImages(of: text, app, transaction, &reader)
        try reader.finish()
    }

    private static func placedImage(_ reader: inout BodyReader) -> PlacedImage {
        PlacedImage(
            image: reader.identifier("imageId") ?? unread,
            altText: reader.text("altText", unitsRead))
    }

    private static func judgeImages(
        of text: Localization, _ app: AppID, _ transaction: TenantTransaction,
        _ reader: inout BodyReader
    ) throws {
        let places =
            (text.image == nil ? [] : ["image/imageId"])
            + text.bullets.indices.map { "bulletPoints/\($0)/imageId" }
        let sizes = try transaction.imageSizes(Set(text.imageUses.map(\.image)), of: app)
        for (place, use) in zip(places, text.imageUses) where use.image != unread {
            guard let size = sizes[use.image] else {
                reader.note(place, .unknownReference, "The app has no such image.")
                continue
            }
            if size != use.size {
                reader.note(
                    place, .wrongSize,
                    "This image is for \(size.rawValue); one for \(use.size.rawValue) is needed.")
            }
        }
    }

    // MARK: - The other way

    /// What `PATCH` is merged onto.
    static func form(_ text: Localization) -> JSONTree {
        [
            "header": .string(text.header), "body": .string(text.body),
            "headerPosition": .text(text.headerPosition?.rawValue),
            "image": .optional(text.image) { .object(members(of: $0)) },
            "bulletPoints": .array(
                text.bullets.map { bullet in
                    (["text": .string(bullet.text)] as JSONTree).merging(members(of: bullet.image))
                }),
        ]
    }

    private static func members(of placed: PlacedImage) -> [String: JSONTree] {
        ["imageId": .id(placed.image), "altText": .string(placed.altText)]
    }
}
