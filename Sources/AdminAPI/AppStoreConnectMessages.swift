// /v1/apps/{appId}/app-store-connect-messages: messages made in App Store Connect, named here so
// that rules may name them.
internal import Foundation
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum AppStoreConnectMessages {
    private static let path = "/v1/apps/{appId}/app-store-connect-messages"
    private static let one = "\(path)/{messageIdentifier}"
    private static let nameUnits = 1...100

    static let operations: [Operation] = [
        .list("listAppStoreConnectMessages", path, .rules, list),
        .post("createAppStoreConnectMessage", path, .rules, create),
        .get("getAppStoreConnectMessage", one, .rules, get),
        .delete("deleteAppStoreConnectMessage", one, .rules, delete),
        .post(
            "confirmAppStoreConnectMessage", "\(one)/confirmations", .rules, body: .none,
            confirm),
    ]

    // MARK: - Shapes

    private static func form(_ message: StoredAppStoreConnectMessage) -> JSONTree {
        [
            "messageIdentifier": .appleId(message.messageIdentifier),
            "name": .string(message.name), "createdAt": .instant(message.createdAt),
            "createdBy": .actor(message.createdBy),
            "sandboxDisplayConfirmedAt": .optional(
                message.sandboxDisplayConfirmedAt, JSONTree.instant),
            "confirmedBy": .optional(message.confirmedBy, JSONTree.actor),
        ]
    }

    private static func location(_ id: UUID, of app: AppID) -> String {
        "/v1/apps/\(app)/app-store-connect-messages/\(id.uuidString.lowercased())"
    }

    // MARK: - Handlers

    private static func list(_ call: Call) throws -> Answer {
        let app = try call.app()
        let page = try call.page()
        var after: UUID?
        if let text = page.after.last {
            guard let id = UUID(uuidString: text) else {
                throw Problem(.invalidCursor, "The cursor is not one of this list.")
            }
            after = id
        }
        let rows = try call.transaction.listAppStoreConnectMessages(
            of: app, after: after, limit: page.rowsWanted)
        return call.list(
            rows, page, keys: { [$0.messageIdentifier.uuidString] }, form: form)
    }

    private static func create(_ call: Call) throws -> Answer {
        let app = try call.app()
        var reader = BodyReader(try call.body())
        let id = reader.appleIdentifier("messageIdentifier")
        let name = reader.text("name", nameUnits)
        try reader.finish()
        guard let id else { throw Problem.notFound }
        let limit = TenantTransaction.appStoreConnectMessagesLimit
        guard try call.transaction.countAppStoreConnectMessages(of: app) < limit else {
            throw Problem(
                .conflict,
                "The app has \(limit) messages of App Store Connect, the most; delete one that no "
                    + "rule names first.")
        }
        try call.transaction.createAppStoreConnectMessage(id, name: name, of: app)
        let new = form(try found(id, of: app, call))
        try audit("create", id, app, call, after: new)
        return .created(new, at: location(id, of: app))
    }

    private static func get(_ call: Call) throws -> Answer {
        let app = try call.app()
        return .resource(form(try found(try identifier(call), of: app, call)))
    }

    private static func delete(_ call: Call) throws -> Answer {
        let app = try call.app(alone: true)
        let id = try identifier(call)
        let old = form(try found(id, of: app, call))
        try call.requireMatch(old)
        let uses = try call.rules(of: app) { $0.treatments.contains(.appStoreConnectMessage(id)) }
        guard uses.isEmpty else { throw Problem.inUse(uses) }
        try call.transaction.deleteAppStoreConnectMessage(id, of: app)
        try audit("delete", id, app, call, before: old)
        return .noContent
    }

    /// Somebody's word that a sandbox device showed it. Apple does not say whether a message of
    /// App Store Connect may be answered: production waits for that word. The first one stays.
    private static func confirm(_ call: Call) throws -> Answer {
        let app = try call.app()
        let id = try identifier(call)
        let old = form(try found(id, of: app, call))
        try call.transaction.confirmAppStoreConnectMessage(id, of: app)
        let new = form(try found(id, of: app, call))
        try audit("confirm", id, app, call, before: old, after: new)
        return .created(new, at: location(id, of: app))
    }

    private static func audit(
        _ action: String, _ id: UUID, _ app: AppID, _ call: Call, before: JSONTree? = nil,
        after: JSONTree? = nil
    ) throws {
        try call.audit(
            "appStoreConnectMessage.\(action)", "appStoreConnectMessage",
            id.uuidString.lowercased(), app: app, before: before, after: after)
    }

    /// One that cannot exist is as absent as one that does not.
    private static func identifier(_ call: Call) throws -> UUID {
        guard let id = UUID(uuidString: try call.name("messageIdentifier")) else {
            throw Problem.notFound
        }
        return id
    }

    private static func found(
        _ id: UUID, of app: AppID, _ call: Call
    ) throws -> StoredAppStoreConnectMessage {
        guard let found = try call.transaction.findAppStoreConnectMessage(id, of: app) else {
            throw Problem.notFound
        }
        return found
    }
}
