import HTTPServer

/// The bodies that Apple's calls take, read strictly: what Apple's schema does not name is refused.
struct CallBody {
    private let value: JSONValue

    init(_ request: Request) throws(AppleError) {
        let type = request.header("Content-Type")?.lowercased().filter { $0 != " " }
        guard type == "application/json" || type == "application/json;charset=utf-8",
            let value = try? JSONValue(request.body)
        else { throw .generalBadRequest }
        self.value = value
    }

    private init(_ value: JSONValue) {
        self.value = value
    }

    func onlyHas(_ names: [String]) throws(AppleError) {
        guard case .object(let members) = value,
            members.allSatisfy({ member in names.contains { sameBytes($0, member.name) } })
        else { throw .generalBadRequest }
    }

    func text(_ name: String) throws(AppleError) -> String {
        guard let text = value[name]?.text, !text.isEmpty else { throw .generalBadRequest }
        return text
    }

    func identifier(_ name: String) throws(AppleError) -> String {
        let text = try text(name)
        guard uuid(text) != nil else { throw .generalBadRequest }
        return text
    }

    /// Nil where it is absent, or null, which Apple's clients take for the same.
    func object(_ name: String) -> CallBody? {
        guard let inner = value[name], !inner.isNull else { return nil }
        return CallBody(inner)
    }

    func list(_ name: String) throws(AppleError) -> [CallBody]? {
        guard let inner = value[name], !inner.isNull else { return nil }
        guard case .array(let elements) = inner else { throw .generalBadRequest }
        return elements.map { CallBody($0) }
    }

    /// A whole number above zero.
    func whole(_ name: String, else error: AppleError) throws(AppleError) -> Int64 {
        guard let number = value[name]?.integer, number > 0 else { throw error }
        return number
    }

    /// False where it is absent.
    func flag(_ name: String) throws(AppleError) -> Bool {
        guard let inner = value[name], !inner.isNull else { return false }
        guard case .bool(let flag) = inner else { throw .generalBadRequest }
        return flag
    }

    func optionalText(_ name: String) throws(AppleError) -> String? {
        guard let inner = value[name], !inner.isNull else { return nil }
        return try text(name)
    }
}

/// `retentionmessaging/uploadmessagerequestbody`, with Apple's limits.
struct UploadedMessage {
    var message: AppState.Message

    init(_ body: CallBody, identifier: String) throws(AppleError) {
        try body.onlyHas(["header", "body", "image", "headerPosition", "bulletPoints"])
        message = AppState.Message(
            messageIdentifier: identifier, messageState: .pending, header: try body.text("header"),
            body: try body.text("body"))
        try UploadedMessage.limit(
            message.header, AppStateRules.headerCharactersLimit, .headerTooLong)
        try UploadedMessage.limit(message.body, AppStateRules.bodyCharactersLimit, .bodyTooLong)
        if let image = body.object("image") { message.image = try UploadedMessage.image(image) }
        if let text = try body.optionalText("headerPosition") {
            guard let position = AppState.HeaderPosition(rawValue: text) else {
                throw .generalBadRequest
            }
            message.headerPosition = position
        }
        guard message.headerPosition != .aboveImage || message.image != nil else {
            throw .aboveImageRequiresImage
        }
        message.bulletPoints = try UploadedMessage.bulletPoints(body)
    }

    private static func image(_ body: CallBody) throws(AppleError) -> AppState.MessageImage {
        try body.onlyHas(["imageIdentifier", "altText"])
        let image = AppState.MessageImage(
            imageIdentifier: try body.identifier("imageIdentifier"),
            altText: try body.text("altText"))
        try limit(image.altText, AppStateRules.altTextCharactersLimit, .altTextTooLong)
        return image
    }

    private static func bulletPoints(
        _ body: CallBody
    ) throws(AppleError) -> [AppState.BulletPoint]? {
        guard let list = try body.list("bulletPoints") else { return nil }
        guard list.count <= AppStateRules.bulletPointsLimit else { throw .tooManyBulletPoints }
        var points: [AppState.BulletPoint] = []
        for entry in list {
            try entry.onlyHas(["text", "imageIdentifier", "altText"])
            let point = AppState.BulletPoint(
                text: try entry.text("text"),
                imageIdentifier: try entry.identifier("imageIdentifier"),
                altText: try entry.text("altText"))
            try limit(
                point.text, AppStateRules.bulletTextCharactersLimit, .bulletPointTextTooLong)
            try limit(point.altText, AppStateRules.altTextCharactersLimit, .altTextTooLong)
            points.append(point)
        }
        return points
    }

    /// UTF-16 units, the strictest of the readings in use.
    private static func limit(
        _ text: String, _ limit: Int, _ error: AppleError
    ) throws(AppleError) {
        guard text.utf16.count <= limit else { throw error }
    }
}
