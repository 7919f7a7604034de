// /v1/apps/{appId}/sync-runs: the sync's turns, and asking for one.
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum SyncRuns {
    private static let path = "/v1/apps/{appId}/sync-runs"

    static let operations: [Operation] = [
        .list("listSyncRuns", path, .sync, query: ["environment"], list),
        .post(
            "createSyncRun", path, .sync, body: .optionalJSON, query: ["environment"],
            idempotency: .required, create),
        .get("getSyncRun", "\(path)/{runId}", .sync, get),
    ]

    // MARK: - Shapes

    private static func form(_ run: StoredSyncRun) throws -> JSONTree {
        [
            "id": .id(run.id), "environment": .string(run.key.environment.rawValue),
            "trigger": .string(run.trigger.rawValue), "requestedBy": .actor(run.requestedBy),
            "state": .string(run.state.rawValue), "createdAt": .instant(run.createdAt),
            "startedAt": .optional(run.startedAt, JSONTree.instant),
            "finishedAt": .optional(run.finishedAt, JSONTree.instant),
            "reads": .integer(Int64(run.reads)), "writes": .integer(Int64(run.writes)),
            "result": try run.result.map { try JSONTree(trusted: $0) } ?? .null,
        ]
    }

    // MARK: - Handlers

    /// Newest first.
    private static func list(_ call: Call) throws -> Answer {
        let key = AppEnvironment(app: try call.app(), environment: try call.environment())
        let page = try call.page()
        let rows = try call.transaction.listSyncRuns(
            at: key, before: try page.identifier(), limit: page.rowsWanted)
        let forms = try rows.map { (id: $0.id.description, form: try form($0)) }
        return call.list(forms, page, keys: { [$0.id] }, form: { $0.form })
    }

    private static func get(_ call: Call) throws -> Answer {
        let run = try found(try call.identifier("runId"), of: try call.app(), call)
        return .report(try form(run))
    }

    private static func create(_ call: Call) throws -> Answer {
        let key = AppEnvironment(app: try call.app(), environment: try call.environment())
        var reader = BodyReader(try call.body())
        let replacesURL = reader.boolean("replaceForeignURL", otherwise: false)
        try reader.finish()
        if replacesURL { try call.transaction.allowURLReplacement(at: key) }
        let id = try request(at: key, call)
        let run = try form(try found(id, of: key.app, call))
        try call.audit(
            "syncRun.request", "syncRun", id.description, app: key.app,
            after: [
                "environment": .string(key.environment.rawValue),
                "replaceForeignURL": .boolean(replacesURL),
            ])
        return .accepted(run, at: "/v1/apps/\(key.app)/sync-runs/\(id)")
    }

    /// One that waits serves this request too. It may begin while it is looked for; then there is
    /// room for another.
    private static func request(at key: AppEnvironment, _ call: Call) throws -> SyncRunID {
        for _ in 1...3 {
            do {
                return try call.transaction.requestSyncRun(.make(at: call.now), at: key)
            } catch let error as StoreError where error.code == .notFound {}
        }
        throw Problem.unavailable("Runs begin and end too fast just now; try again.")
    }

    private static func found(
        _ id: SyncRunID, of app: AppID, _ call: Call
    ) throws -> StoredSyncRun {
        guard let run = try call.transaction.findSyncRun(id, of: app) else {
            throw Problem.notFound
        }
        return run
    }
}
