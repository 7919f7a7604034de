// /v1/jobs: work that goes on after its request.
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum Jobs {
    static let operations: [Operation] = [
        .list("listJobs", "/v1/jobs", .jobs, list),
        .get("getJob", "/v1/jobs/{jobId}", .jobs, get),
    ]

    // MARK: - Shapes

    private static func form(_ job: StoredJob) throws -> JSONTree {
        [
            "id": .id(job.id), "kind": .string(job.kind), "state": .string(job.state.rawValue),
            "appId": .id(job.app), "createdAt": .instant(job.createdAt),
            "startedAt": .optional(job.startedAt, JSONTree.instant),
            "finishedAt": .optional(job.finishedAt, JSONTree.instant),
            "progress": [
                "done": .integer(Int64(job.done)),
                "total": .optional(job.total) { .integer(Int64($0)) },
            ],
            "report": try job.report.map { try JSONTree(trusted: $0) } ?? .null,
            "error": try job.failure.map { try JSONTree(trusted: $0) } ?? .null,
        ]
    }

    // MARK: - Handlers

    /// Newest first, without their reports: a hundred of them could be gigabytes.
    private static func list(_ call: Call) throws -> Answer {
        let page = try call.page()
        let rows = try call.transaction.listJobs(
            before: try page.identifier(), limit: page.rowsWanted)
        let forms = try rows.map { (id: $0.id.description, form: try form($0)) }
        return call.list(forms, page, keys: { [$0.id] }, form: { $0.form })
    }

    private static func get(_ call: Call) throws -> Answer {
        .resource(try form(try found(try call.identifier("jobId"), call)))
    }

    private static func found(_ id: JobID, _ call: Call) throws -> StoredJob {
        guard let job = try call.transaction.findJob(id) else { throw Problem.notFound }
        return job
    }

    // MARK: - For operations that start one

    /// Stores a job in the name of the call's key and answers 202 with where it can be followed.
    ///
    /// - Parameter total: how many pieces of work it has, where that is known already.
    static func start(
        _ kind: String, of app: AppID, input: [UInt8], total: Int32? = nil, _ call: Call
    ) throws -> Answer {
        let id = JobID.make(at: call.now)
        try call.transaction.createJob(
            id, kind: kind, of: app, input: input, total: total, by: call.principal.key)
        let job = try form(try found(id, call))
        try call.audit("job.create", "job", id.description, app: app, after: job)
        return .accepted(job, at: "/v1/jobs/\(id)")
    }
}
