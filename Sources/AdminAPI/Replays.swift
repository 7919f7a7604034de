// /v1/apps/{appId}/replays: what past requests would be answered under other rules.
internal import Foundation
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum Replays {
    static let kind = "replay"
    /// Of past decisions, the newest first.
    static let decisionsLimit: Int64 = 100_000
    private static let decisionsDefault: Int64 = 10_000

    static let operations: [Operation] = [
        .post("createReplay", "/v1/apps/{appId}/replays", .rules, query: ["environment"], start)
    ]

    /// What the job reads. The rules are in it as they were when it was asked for: a draft changes.
    private struct Input: Codable {
        let environment: StoreEnvironment
        let source: String
        let version: Int32?
        let ruleSet: RuleSet
        let from: Instant?
        let to: Instant
        let limit: Int64
    }

    // MARK: - Handlers

    private static func start(_ call: Call) throws -> Answer {
        let key = AppEnvironment(app: try call.app(), environment: try call.environment())
        var reader = BodyReader(try call.body())
        let given = reader.optionalObject("ruleSet", RuleSetBody.read)
        let version = reader.optionalVersion()
        if given != nil, version != nil {
            reader.note("version", .notAllowed, "Send a ruleSet or a version, not both.")
        }
        let from = reader.optionalInstant("from")
        let to = reader.optionalInstant("to")
        if let from, let to, to <= from {
            reader.note("to", .outOfRange, "to is the first instant outside; it is after from.")
        }
        let limit = reader.optionalInteger("limit", in: 1...decisionsLimit)
        try reader.finish()
        let rules = try ChosenRules(given: given, version: version, at: key, call)
        let input = Input(
            environment: key.environment, source: rules.source.rawValue, version: rules.version,
            ruleSet: rules.ruleSet, from: from, to: to ?? call.now,
            limit: limit ?? decisionsDefault)
        return try Jobs.start(
            kind, of: key.app, input: Array(try JSONEncoder().encode(input)), call)
    }

    // MARK: - The job

    static func run(_ call: JobCall) throws -> JobResult {
        let input = try JSONDecoder().decode(Input.self, from: Data(call.job.input))
        guard try call.transaction.hasApp(call.job.app) else { throw Problem.notFound }
        let key = AppEnvironment(app: call.job.app, environment: input.environment)
        var run = try ReplayRun(call.transaction, key, input.ruleSet)
        try run.replay(
            DecisionSpan(from: input.from, to: input.to), limit: Int(clamping: input.limit))
        let report = run.report.merging([
            "environment": .string(key.environment.rawValue),
            "rules": [
                "source": .string(input.source),
                "version": .optional(input.version) { .integer(Int64($0)) },
            ],
            "from": .optional(input.from, JSONTree.instant), "to": .instant(input.to),
        ])
        return JobResult(report: report, done: Int32(clamping: run.seen))
    }
}
