// /v1/apps/{appId}/apple-calls: what was asked of Apple and what it said, call by call.
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum AppleCalls {
    static let operations: [Operation] = [
        .list(
            "listAppleCalls", "/v1/apps/{appId}/apple-calls", .sync,
            query: ["environment", "runId"], list)
    ]

    // MARK: - Shapes

    private static func form(_ made: StoredAppleCall) -> JSONTree {
        [
            "id": .id(made.id), "runId": .optional(made.run, JSONTree.id),
            "endpoint": .string(made.endpoint),
            "subject": [
                "identifier": .optional(made.appleId, JSONTree.appleId),
                "productId": .text(made.productId), "locale": .text(made.locale),
            ],
            "state": .string(made.finishedAt == nil ? "unfinished" : "finished"),
            "startedAt": .instant(made.startedAt),
            "finishedAt": .optional(made.finishedAt, JSONTree.instant),
            "status": .optional(made.status) { .integer(Int64($0)) },
            "appleCode": .optional(made.appleCode) { .integer(Int64($0)) },
            "appleMessage": .text(made.appleMessage), "outcome": .text(made.outcome),
            "detail": .string(
                AppleErrorWords.sentence(
                    outcome: made.outcome, status: made.status.map(Int.init),
                    errorCode: made.appleCode.map(Int.init))),
        ]
    }

    // MARK: - Handlers

    /// Newest first.
    private static func list(_ call: Call) throws -> Answer {
        let key = AppEnvironment(app: try call.app(), environment: try call.environment())
        let run: SyncRunID? = try call.query.identifier("runId")
        let page = try call.page()
        let rows = try call.transaction.listAppleCalls(
            at: key, run: run, before: try page.identifier(), limit: page.rowsWanted)
        return call.list(rows, page, keys: { [$0.id.description] }, form: form)
    }
}
