// /v1/apps/{appId}/endpoints: the URLs that Apple calls.
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum Endpoints {
    /// Enough to change a URL at Apple without a gap.
    private static let liveLimit = 3
    private static let all = "/v1/apps/{appId}/endpoints"
    private static let one = "/v1/apps/{appId}/endpoints/{endpointId}"

    static let operations: [Operation] = [
        .list("listEndpoints", all, .endpoints, query: ["environment"], list),
        .post(
            "createEndpoint", all, .endpoints, query: ["environment"], idempotency: .required,
            create),
        .get("getEndpoint", one, .endpoints, get),
        .delete("deleteEndpoint", one, .endpoints, retire),
    ]

    // MARK: - Shapes

    private static func form(_ endpoint: StoredEndpoint) -> JSONTree {
        [
            "id": .id(endpoint.id), "environment": .string(endpoint.environment.rawValue),
            "createdAt": .instant(endpoint.createdAt),
            "retiredAt": .optional(endpoint.retiredAt, JSONTree.instant),
        ]
    }

    // MARK: - Handlers

    private static func list(_ call: Call) throws -> Answer {
        let key = AppEnvironment(app: try call.app(), environment: try call.environment())
        let page = try call.page()
        let rows = try call.transaction.listEndpoints(
            at: key, after: try page.identifier(), limit: page.rowsWanted)
        return call.list(rows, page, keys: { [$0.id.description] }, form: form)
    }

    private static func create(_ call: Call) throws -> Answer {
        // Alone: of two that come at once, the second must count the first's.
        let app = try call.app(alone: true)
        let key = AppEnvironment(app: app, environment: try call.environment())
        var reader = BodyReader(try call.body())
        try reader.finish()
        guard try call.transaction.countLiveEndpoints(at: key) < liveLimit else {
            throw Problem(
                .quotaExceeded,
                "\(liveLimit) URLs are live in \(key.environment.rawValue); retire one first.")
        }
        let id = EndpointID.make(at: call.now)
        let token = try call.transaction.createEndpoint(
            id, at: key, sealedTo: call.gateway.platformKey)
        let new = form(try find(id, app, call))
        try call.audit("endpoint.create", "endpoint", id.description, app: app, after: new)
        return .created(
            new,
            withSecrets: [
                "token": .string(token), "path": .string("/realtime/\(token)"),
                "notificationPath": .string("/notifications/\(token)"),
            ],
            at: "/v1/apps/\(app)/endpoints/\(id)")
    }

    private static func get(_ call: Call) throws -> Answer {
        let app = try call.app()
        return .resource(form(try find(try call.identifier("endpointId"), app, call)))
    }

    private static func retire(_ call: Call) throws -> Answer {
        let app = try call.app()
        let old = try find(try call.identifier("endpointId"), app, call)
        let key = AppEnvironment(app: app, environment: old.environment)
        if try call.transaction.retireEndpoint(old.id, at: key) {
            try call.audit(
                "endpoint.retire", "endpoint", old.id.description, app: app, before: form(old),
                after: form(try find(old.id, app, call)))
        }
        return .noContent
    }

    private static func find(
        _ id: EndpointID, _ app: AppID, _ call: Call
    ) throws -> StoredEndpoint {
        guard let found = try call.transaction.findEndpoint(id, of: app) else {
            throw Problem.notFound
        }
        return found
    }
}
