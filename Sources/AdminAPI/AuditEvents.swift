// /v1/audit-events: who did what.
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum AuditEvents {
    static let operations: [Operation] = [
        .list(
            "listAuditEvents", "/v1/audit-events", .audit,
            query: ["appId", "action", "from", "to"], list)
    ]

    /// Of the word for what was done, in characters.
    private static let actionLimit = 64

    // MARK: - Shapes

    private static func form(_ stored: StoredAuditEvent) throws -> JSONTree {
        let event = stored.event
        return [
            "id": .id(stored.id), "at": .instant(stored.at), "actor": .actor(stored.actor),
            "address": .text(event.address), "action": .string(event.action),
            "resource": [
                "type": .string(event.resourceType), "id": .string(event.resourceId),
            ],
            "appId": .optional(event.app, JSONTree.id), "requestId": .text(event.requestId),
            "changes": try JSONTree(trusted: event.changes),
        ]
    }

    // MARK: - Handlers

    /// Newest first.
    private static func list(_ call: Call) throws -> Answer {
        let page = try call.page()
        let filter = AuditFilter(
            app: try call.query.identifier("appId"),
            action: try call.query.text("action", limit: actionLimit),
            from: try call.query.instant("from"), to: try call.query.instant("to"))
        let rows = try call.transaction.listAuditEvents(
            filter, before: try page.identifier(), limit: page.rowsWanted)
        let forms = try rows.map { (id: $0.id.description, form: try form($0)) }
        return call.list(forms, page, keys: { [$0.id] }, form: { $0.form })
    }
}

extension JSONTree {
    /// Who did something.
    static func actor(_ actor: RecordedActor) -> JSONTree {
        ["kind": .string(actor.kind), "id": .string(actor.id), "name": .text(actor.name)]
    }
}
