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

    /// - Parameter targets: where it is told to be at Apple.
    private static func form(
        _ message: StoredMessage, _ targets: [StoreEnvironment]?
    ) -> JSONTree {
        tagged(message, targets).merging([
            "isStale": .boolean(message.isStale), "needsReview": .boolean(message.needsReview),
        ])
    }

    /// Without what changes as days pass.
    private static func tagged(
        _ message: StoredMessage, _ targets: [StoreEnvironment]?
    ) -> JSONTree {
        let form: JSONTree = [
            "id": .id(message.id), "name": .string(message.name),
            "kind": .string(message.kind.rawValue), "locales": .texts(message.locales),
            "targets": .texts((targets ?? []).map(\.rawValue)),
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

    static func form(
        _ message: StoredMessage, of app: AppID, _ transaction: TenantTransaction
    ) throws -> JSONTree {
        form(message, try targets(of: message, app, transaction))
    }

    private static func targets(
        of message: StoredMessage, _ app: AppID, _ transaction: TenantTransaction
    ) throws -> [StoreEnvironment]? {
        try transaction.messageTargets(of: app, [message.id])[message.id]
    }

    // MARK: - Handlers

    private static func list(_ call: Call) throws -> Answer {
        let app = try call.app()
        let page = try call.page()
        let rows = try call.transaction.listMessages(
            of: app, after: try page.identifier(), limit: page.rowsWanted)
        let targets = try call.transaction.messageTargets(of: app, rows.map(\.id))
        return call.list(
            rows, page, keys: { [$0.id.description] }, form: { form($0, targets[$0.id]) })
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
        let targets = try targets(of: message, app, call.transaction)
        return .resource(form(message, targets), taggedAs: tagged(message, targets))
    }

    private static func update(_ call: Call) throws -> Answer {
        let app = try call.app()
        let id: MessageID = try call.identifier("messageId")
        let message = try call.transaction.getMessage(id, of: app, forUpdate: true)
        let targets = try targets(of: message, app, call.transaction)
        try call.requireMatch(tagged(message, targets))
        let change = try Change(try call.body(), onto: message)
        try call.transaction.updateMessage(
            id, name: change.name, dates: change.dates, of: app)
        let new = try call.transaction.getMessage(id, of: app)
        try call.audit(
            "message.update", "message", id.description, app: app,
            before: form(message, targets), after: form(new, targets))
        return .resource(form(new, targets), taggedAs: tagged(new, targets))
    }

    private static func delete(_ call: Call) throws -> Answer {
        let app = try call.app(alone: true)
        let id: MessageID = try call.identifier("messageId")
        let message = try call.transaction.getMessage(id, of: app, forUpdate: true)
        let targets = try targets(of: message, app, call.transaction)
        try call.requireMatch(tagged(message, targets))
        let uses = try call.rules(of: app) { $0.messageIds.contains(id) }
        guard uses.isEmpty else { throw Problem.inUse(uses) }
        try call.transaction.deleteMessage(id, of: app)
        try call.audit(
            "message.delete", "message", id.description, app: app,
            before: form(message, targets))
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
        let targets = try targets(of: message, app, call.transaction)
        let form = form(message, targets)
        try call.audit(action, "message", id.description, app: app, after: form)
        return .created(
            form, taggedAs: tagged(message, targets), at: "/v1/apps/\(app)/messages/\(id)")
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
