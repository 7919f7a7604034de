// /v1/clients: the agency's customers.
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum Clients {
    static let operations: [Operation] = [
        .list("listClients", "/v1/clients", .clients, list),
        .post("createClient", "/v1/clients", .clients, create),
        .get("getClient", "/v1/clients/{clientId}", .clients, get),
        .patch("updateClient", "/v1/clients/{clientId}", .clients, update),
        .delete("deleteClient", "/v1/clients/{clientId}", .clients, delete),
    ]

    // MARK: - Shapes

    private struct Content {
        let name: String

        init(_ tree: JSONTree) throws(Problem) {
            var reader = BodyReader(tree)
            name = reader.text("name")
            try reader.finish()
        }
    }

    private static func form(_ client: StoredClient) -> JSONTree {
        [
            "id": .id(client.id), "name": .string(client.name),
            "createdAt": .instant(client.createdAt),
        ]
    }

    /// What `PATCH` is merged onto.
    private static func content(_ client: StoredClient) -> JSONTree {
        ["name": .string(client.name)]
    }

    // MARK: - Handlers

    private static func list(_ call: Call) throws -> Answer {
        let page = try call.page()
        let rows = try call.transaction.listClients(
            after: try page.identifier(), limit: page.rowsWanted)
        return call.list(rows, page, keys: { [$0.id.description] }, form: form)
    }

    private static func create(_ call: Call) throws -> Answer {
        let content = try Content(try call.body())
        let quota = try call.transaction.tenantQuota()
        guard try call.transaction.lockUsage().clients < quota.clients else {
            throw Problem(
                .quotaExceeded, "The tenant may have \(quota.clients) clients; ask for more.")
        }
        let id = ClientID.make(at: call.now)
        try call.transaction.createClient(Client(id: id, name: content.name))
        let client = try call.transaction.getClient(id)
        try call.audit("client.create", "client", id.description, after: form(client))
        return .created(form(client), at: "/v1/clients/\(id)")
    }

    private static func get(_ call: Call) throws -> Answer {
        .resource(form(try call.transaction.getClient(try call.identifier("clientId"))))
    }

    private static func update(_ call: Call) throws -> Answer {
        let id: ClientID = try call.identifier("clientId")
        let old = try call.transaction.getClient(id, forUpdate: true)
        try call.requireMatch(form(old))
        let content = try Content(content(old).merged(with: try call.body()))
        try call.transaction.updateClient(Client(id: id, name: content.name))
        let new = try call.transaction.getClient(id)
        try call.audit(
            "client.update", "client", id.description, before: form(old), after: form(new))
        return .resource(form(new))
    }

    private static func delete(_ call: Call) throws -> Answer {
        let id: ClientID = try call.identifier("clientId")
        let old = try call.transaction.getClient(id, forUpdate: true)
        try call.requireMatch(form(old))
        try call.transaction.deleteClient(id)
        try call.audit("client.delete", "client", id.description, before: form(old))
        return .noContent
    }
}
