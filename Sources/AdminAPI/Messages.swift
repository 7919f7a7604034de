// /v1/apps/{appId}/messages: what a subscriber is told, by name.
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum Messages {
    private static let path = "/v1/apps/{appId}/messages"

    static let operations: [Operation] = [
        .list("listMessages", path, .content, list),
        .post("createMessage", path, .content, create),
        .get("getMessage", "\(path)/{messageId}", .content, get),
        .patch("updateMessage", "\(path)/{messageId}", .content, update),
        .delete("deleteMessage", "\(path)/{messageId}", .content, delete),
        .post("copyMessage", "\(path)/{messageId}/copies", .content, copy),
    ]

    // MARK: - Shapes

    private struct Content {
        let name: String
        let kind: MessageKind
        let dates: ContentDates

        init(_ tree: JSONTree) throws(Problem) {
            var reader = BodyReader(tree)
            name = reader.text("name")
            kind = reader.choice("kind", MessageKind.self)
            dates = reader.dates()
            try reader.finish()
        }
    }

    private struct Change {
        let name: String
        let dates: ContentDates

        init(_ patch: JSONTree, onto message: StoredMessage) throws(Problem) {
            let content: JSONTree = ["name": .string(message.name)]
            var reader = BodyReader(content.merging(days(message)).merged(with: patch))
            name = reader.text("name")
            dates = reader.dates()
            if patch["kind"] != nil {
                _ = reader.take("kind")
                reader.note("kind", .notAllowed, "kind cannot be changed; make another message.")
            }
            try reader.finish()
        }
    }

    static func form(_ message: StoredMessage) -> JSONTree {
        tagged(message).merging([
            "isStale": .boolean(message.isStale), "needsReview": .boolean(message.needsReview),
        ])
    }

    /// Without what changes as days pass.
    private static func tagged(_ message: StoredMessage) -> JSONTree {
        let form: JSONTree = [
            "id": .id(message.id), "name": .string(message.name),
            "kind": .string(message.kind.rawValue), "locales": .texts(message.locales),
            "createdAt": .instant(message.createdAt),
        ]
        return form.merging(days(message))
    }

    private static func days(_ message: StoredMessage) -> [String: JSONTree] {
        [
            "showUntil": .text(message.dates.showUntil?.description),
            "reviewBy": .text(message.dates.reviewBy?.description),
        ]
    }

    // MARK: - Handlers

    private static func list(_ call: Call) throws -> Answer {
        let app = try call.app()
        let page = try call.page()
        let rows = try call.transaction.listMessages(
            of: app, after: try page.identifier(), limit: page.rowsWanted)
        return call.list(rows, page, keys: { [$0.id.description] }, form: form)
    }

    private static func create(_ call: Call) throws -> Answer {
        let app = try call.app()
        let content = try Content(try call.body())
        try requireRoom(in: app, call)
        let id = MessageID.make(at: call.now)
        try call.transaction.createMessage(
            id, name: content.name, kind: content.kind, dates: content.dates, of: app)
        return try created(id, of: app, call, action: "message.create")
    }

    private static func get(_ call: Call) throws -> Answer {
        let app = try call.app()
        let message = try call.transaction.getMessage(try call.identifier("messageId"), of: app)
        return .resource(form(message), taggedAs: tagged(message))
    }

    private static func update(_ call: Call) throws -> Answer {
        let app = try call.app()
        let id: MessageID = try call.identifier("messageId")
        let old = try call.transaction.getMessage(id, of: app, forUpdate: true)
        try call.requireMatch(tagged(old))
        let change = try Change(try call.body(), onto: old)
        try call.transaction.updateMessage(
            id, name: change.name, dates: change.dates, of: app)
        let new = try call.transaction.getMessage(id, of: app)
        try call.audit(
            "message.update", "message", id.description, app: app, before: form(old),
            after: form(new))
        return .resource(form(new), taggedAs: tagged(new))
    }

    private static func delete(_ call: Call) throws -> Answer {
        let app = try call.app(alone: true)
        let id: MessageID = try call.identifier("messageId")
        let old = try call.transaction.getMessage(id, of: app, forUpdate: true)
        try call.requireMatch(tagged(old))
        let uses = try call.rules(of: app) { $0.treatment.messageId == id }
        guard uses.isEmpty else { throw Problem.inUse(uses) }
        try call.transaction.deleteMessage(id, of: app)
        try call.audit("message.delete", "message", id.description, app: app, before: form(old))
        return .noContent
    }

    private static func copy(_ call: Call) throws -> Answer {
        let app = try call.app()
        let id: MessageID = try call.identifier("messageId")
        let message = try call.transaction.getMessage(id, of: app, forUpdate: true)
        var reader = BodyReader(try call.body())
        let target: AppID? = reader.identifier("appId")
        let name = reader.optionalText("name") ?? message.name
        if let target, try !call.transaction.hasApp(target) {
            reader.noteUnknown("appId")
        }
        try reader.finish()
        guard let target else { throw Problem.notFound }
        try requireRoom(in: target, call)
        let copy = MessageID.make(at: call.now)
        try call.transaction.copyMessage(id, from: app, to: target, as: copy, name: name)
        try call.audit(
            "message.copySource", "message", copy.description, after: copySource(id, of: app))
        return try created(copy, of: target, call, action: "message.copy")
    }

    /// Noted in an event of no app: whoever may see the target only does not learn of the source.
    static func copySource(_ id: MessageID, of app: AppID) -> JSONTree {
        ["copiedFrom": .id(id), "copiedFromApp": .id(app)]
    }

    private static func created(
        _ id: MessageID, of app: AppID, _ call: Call, action: String
    ) throws -> Answer {
        let message = try call.transaction.getMessage(id, of: app)
        let form = form(message)
        try call.audit(action, "message", id.description, app: app, after: form)
        return .created(
            form, taggedAs: tagged(message), at: "/v1/apps/\(app)/messages/\(id)")
    }

    private static func requireRoom(in app: AppID, _ call: Call) throws {
        let limit = MessageLimit.messagesOfApp
        guard try call.transaction.countMessages(of: app) < limit else {
            throw Problem(
                .quotaExceeded, "Apple takes \(limit) messages of an app; delete some first.")
        }
    }
}

extension BodyReader {
    /// `showUntil` and `reviewBy`, days in the app's time zone.
    fileprivate mutating func dates() -> ContentDates {
        ContentDates(showUntil: optionalDay("showUntil"), reviewBy: optionalDay("reviewBy"))
    }
}
