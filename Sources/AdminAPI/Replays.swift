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

    @Sendable static func begin(_ call: JobCall) throws -> any JobWork {
        let input = try JSONDecoder().decode(Input.self, from: Data(call.job.input))
        try requireApp(call)
        let key = AppEnvironment(app: call.job.app, environment: input.environment)
        let span = DecisionSpan(from: input.from, to: input.to)
        return Work(
            input: input,
            run: try ReplayRun(
                call.transaction, key, input.ruleSet, span, limit: Int(clamping: input.limit)))
    }

    /// Gone, or out of the key's sight: then its decisions are too, and what is left is no end.
    private static func requireApp(_ call: JobCall) throws {
        guard try call.transaction.hasApp(call.job.app) else { throw Problem.notFound }
    }

    private struct Work: JobWork {
        let input: Input
        var run: ReplayRun

        mutating func next(_ call: JobCall) throws -> JobStep {
            try requireApp(call)
            let hasMore = try run.readOn(call.transaction, call.time)
            let done = Int32(clamping: run.seen)
            if hasMore { return .goesOn(done: done, total: max(run.expected, done)) }
            let report = run.report.merging([
                "environment": .string(input.environment.rawValue),
                "rules": [
                    "source": .string(input.source),
                    "version": .optional(input.version) { .integer(Int64($0)) },
                ],
                "from": .optional(input.from, JSONTree.instant), "to": .instant(input.to),
            ])
            return .ended(JobResult(report: report, done: done))
        }
    }
}
