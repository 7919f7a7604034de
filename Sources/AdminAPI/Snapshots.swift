// /v1/apps/{appId}/snapshots: what responders serve.
internal import HTTPServer
internal import Retention
internal import RetentionStore
internal import Signing

enum Snapshots {
    private static let path = "/v1/apps/{appId}/snapshots"

    static let operations: [Operation] = [
        .list("listSnapshots", path, .decisions, query: ["environment"], list),
        .get("getSnapshot", "\(path)/{number}", .decisions, query: ["environment"], get),
    ]

    // MARK: - Shapes

    private static func form(_ snapshot: StoredSnapshot, _ live: [String]) -> JSONTree {
        let serving = Set(snapshot.acknowledgements.map { Array($0.responder.utf8) })
        return [
            "number": .integer(snapshot.number),
            "environment": .string(snapshot.environment.rawValue),
            "builtAt": .instant(snapshot.builtAt), "byteCount": .integer(snapshot.byteCount),
            "sha256": .string(HexadecimalText.of(snapshot.sha256)),
            "isCurrent": .boolean(snapshot.isCurrent),
            "acknowledgements": .array(
                snapshot.acknowledgements.map {
                    [
                        "responder": .string($0.responder),
                        "acknowledgedAt": .instant($0.acknowledgedAt),
                    ]
                }),
            "liveResponders": .texts(live),
            // Where nobody answers, nobody serves it.
            "servedByAll": .boolean(
                !live.isEmpty && live.allSatisfy { serving.contains(Array($0.utf8)) }),
        ]
    }

    // MARK: - Handlers

    /// Newest first.
    private static func list(_ call: Call) throws -> Answer {
        let key = AppEnvironment(app: try call.app(), environment: try call.environment())
        let page = try call.page()
        let rows = try call.transaction.listSnapshots(
            at: key, before: try page.number(), limit: page.rowsWanted)
        let live = try call.transaction.listLiveResponders()
        return call.list(rows, page, keys: { [String($0.number)] }, form: { form($0, live) })
    }

    private static func get(_ call: Call) throws -> Answer {
        let key = AppEnvironment(app: try call.app(), environment: try call.environment())
        guard
            let snapshot = try call.transaction.findSnapshot(
                number: try call.number("number"), at: key)
        else { throw Problem.notFound }
        return .resource(form(snapshot, try call.transaction.listLiveResponders()))
    }
}
