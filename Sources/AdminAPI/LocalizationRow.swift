internal import FoundationEssentials
internal import Retention
internal import RetentionStore

/// One text with its names, as files bring and take it: flat, and nothing judged but its form.
struct LocalizationRow {
    struct Bullet {
        let text: String
        let imageId: String
        let altText: String
    }

    /// The body is no longer; what is too long for Apple is told by the report.
    private static let unitsRead = 0...LocalizationImports.bytesLimit
    /// More than Apple allows, so that the report can say so.
    private static let bulletsRead = 100

    let message: String
    let kind: String?
    let locale: String
    let header: String
    let body: String
    let headerPosition: String?
    let imageId: String?
    let altText: String?
    let bullets: [Bullet]

    // MARK: - JSON

    init(_ reader: inout BodyReader) {
        message = reader.text("message", Self.unitsRead)
        kind = reader.optionalText("kind", Self.unitsRead)
        locale = reader.text("locale", Self.unitsRead)
        header = reader.text("header", Self.unitsRead)
        body = reader.text("body", Self.unitsRead)
        headerPosition = reader.optionalText("headerPosition", Self.unitsRead)
        imageId = reader.optionalText("imageId", Self.unitsRead)
        altText = reader.optionalText("altText", Self.unitsRead)
        bullets = reader.objects("bulletPoints", limit: Self.bulletsRead) { reader in
            Bullet(
                text: reader.text("text", Self.unitsRead),
                imageId: reader.text("imageId", Self.unitsRead),
                altText: reader.text("altText", Self.unitsRead))
        }
    }

    var json: JSONTree {
        var members: [String: JSONTree] = [
            "message": .string(message), "locale": .string(locale), "header": .string(header),
            "body": .string(body),
            "bulletPoints": .array(
                bullets.map {
                    [
                        "text": .string($0.text), "imageId": .string($0.imageId),
                        "altText": .string($0.altText),
                    ]
                }),
        ]
        members["kind"] = kind.map(JSONTree.string)
        members["headerPosition"] = headerPosition.map(JSONTree.string)
        members["imageId"] = imageId.map(JSONTree.string)
        members["altText"] = altText.map(JSONTree.string)
        return .object(members)
    }

    // MARK: - CSV

    private static let required = ["message", "locale", "header", "body"]
    private static let bulletParts = ["Text", "ImageId", "AltText"]

    /// The columns of a file, in the order in which an export has them.
    static let columns: [String] =
        ["message", "kind", "locale", "header", "body", "headerPosition", "imageId", "altText"]
        + (1...MessageLimit.bullets).flatMap { number in
            bulletParts.map { "bullet\(number)\($0)" }
        }

    /// What is wrong with a file's header row; columns may come in any order.
    static func problems(withColumns names: [String]) -> [FieldProblem] {
        func problem(_ code: FieldProblem.Code, _ detail: String) -> FieldProblem {
            FieldProblem(.pointer("/rows"), code, detail)
        }
        var problems = names.enumerated().compactMap { index, name -> FieldProblem? in
            guard columns.contains(where: { isSame($0, name) }) else {
                return problem(
                    .unknown,
                    "Column \(index + 1) of the header row is not known; known are: "
                        + "\(columns.joined(separator: ", ")).")
            }
            return names.prefix(index).contains { isSame($0, name) }
                ? problem(.duplicate, "The header row has the column \(name) twice.") : nil
        }
        for name in required where !names.contains(where: { isSame($0, name) }) {
            problems.append(problem(.required, "The header row lacks the column \(name)."))
        }
        return problems
    }

    /// - Parameter cells: by the name of the column. Empty ones are absent, but for those that
    ///   every row has.
    init(cells: [String: String]) {
        func cell(_ name: String) -> String? { cells[name].flatMap { $0.isEmpty ? nil : $0 } }
        message = cells["message"] ?? ""
        kind = cell("kind")
        locale = cells["locale"] ?? ""
        header = cells["header"] ?? ""
        body = cells["body"] ?? ""
        headerPosition = cell("headerPosition")
        imageId = cell("imageId")
        altText = cell("altText")
        bullets = (1...MessageLimit.bullets).compactMap { number in
            let parts = Self.bulletParts.map { cell("bullet\(number)\($0)") }
            if parts.allSatisfy({ $0 == nil }) { return nil }
            return Bullet(
                text: parts[0] ?? "", imageId: parts[1] ?? "", altText: parts[2] ?? "")
        }
    }

    var cells: [String] {
        let shown = bullets.flatMap { [$0.text, $0.imageId, $0.altText] }
        let empty = MessageLimit.bullets * Self.bulletParts.count - shown.count
        return [
            message, kind ?? "", locale, header, body, headerPosition ?? "", imageId ?? "",
            altText ?? "",
        ] + shown + Array(repeating: "", count: max(0, empty))
    }

    // MARK: - The domain

    init(_ named: NamedText) {
        let text = named.text
        message = named.name
        kind = named.kind.rawValue
        locale = text.locale
        header = text.header
        body = text.body
        headerPosition = text.headerPosition?.rawValue
        imageId = text.image.map { "\($0.image)" }
        altText = text.image?.altText
        bullets = text.bullets.map {
            Bullet(text: $0.text, imageId: "\($0.image.image)", altText: $0.image.altText)
        }
    }

    /// As the body of a localization has it.
    var content: JSONTree {
        var members: [String: JSONTree] = [
            "header": .string(header), "body": .string(body),
            "bulletPoints": json["bulletPoints"]
                ?? [],
        ]
        members["headerPosition"] = headerPosition.map(JSONTree.string)
        if imageId != nil || altText != nil {
            var image: [String: JSONTree] = [:]
            image["imageId"] = imageId.map(JSONTree.string)
            image["altText"] = altText.map(JSONTree.string)
            members["image"] = .object(image)
        }
        return .object(members)
    }
}
