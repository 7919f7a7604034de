internal import HTTPServer
internal import Postgres
internal import Retention
package import RetentionStore
package import Service

/// Does the work that outlives its request: takes a lease, works in one transaction, and commits
/// the result with the job's end. A worker that dies leaves nothing behind; another begins anew
/// when the lease is over.
package struct JobRunner: Sendable {
    /// One transaction's work; beyond it another worker may begin.
    static let leaseSeconds: Int32 = 60

    /// What a job does. It throws a `Problem` for what the caller can mend.
    typealias Work = @Sendable (JobCall) throws -> JobResult

    let store: RetentionStore
    let clock: Clock
    let log: Log
    let metrics: GatewayMetrics

    /// Kind -> scopes its key must still have, and the work.
    static let kinds: [String: (scopes: [AccessScope], work: Work)] = [
        AppCopies.kind: ([.write(.apps)], AppCopies.run),
        LocalizationImports.kind: ([.write(.content)], LocalizationImports.run),
        Replays.kind: ([.write(.rules)], Replays.run),
    ]

    /// Called between a job's work and its end, for tests of what happens meanwhile.
    let beforeEnd: @Sendable () throws -> Void

    package init(
        store: RetentionStore, clock: Clock, log: Log, metrics: GatewayMetrics,
        beforeEnd: @escaping @Sendable () throws -> Void = {}
    ) {
        self.beforeEnd = beforeEnd
        self.store = store
        self.clock = clock
        self.log = log
        self.metrics = metrics
    }

    /// Does what waits, one after the other; throws where the database does not answer.
    ///
    /// - Parameter isEnding: asked before each: who is told to end takes no further one.
    package func runWaiting(unless isEnding: () -> Bool = { false }) throws {
        while !isEnding(),
            let lease = try store.claimJob(.gatewayUpkeep, leaseSeconds: Self.leaseSeconds)
        {
            try run(lease)
        }
    }

    private func run(_ lease: JobLease) throws {
        let now = Instant(milliseconds: clock.now())
        do {
            let kind = try store.transaction(holding: lease, at: now) { transaction, job in
                let result = try Self.work(JobCall(job: job, transaction: transaction))
                try beforeEnd()
                try Self.requireScopes(try transaction.claimedAgain(lease))
                try transaction.finishJob(job.id, report: result.report.bytes, done: result.done)
                return job.kind
            }
            metrics.jobsFinished.add(1, kind, "succeeded")
        } catch let problem as Problem {
            try fail(lease, problem, at: now)
        } catch let error as StoreError where error.code == .leaseLost {
            log.warning("job_lease_lost", [("job", .string(lease.job.description))])
        } catch let error as PostgresError where error.code != .server {
            // The database went away: the lease runs out, and the job begins anew.
            throw error
        } catch let error as PostgresError {
            guard let problem = DatabaseProblem.problem(error, method: .post) else {
                return try fail(lease, error, at: now)
            }
            // Somebody else held what it needs: as above.
            if problem.code == .unavailable { throw error }
            try fail(lease, problem, at: now)
        } catch {
            try fail(lease, error, at: now)
        }
    }

    /// For what is our own fault.
    private func fail(_ lease: JobLease, _ error: any Error, at now: Instant) throws {
        log.error(
            "job_failed",
            [("job", .string(lease.job.description)), ("error", .string("\(error)"))])
        try fail(
            lease, Problem(.internalError, "Nothing was changed; tell the operator the job's id."),
            at: now)
    }

    private static func work(_ call: JobCall) throws -> JobResult {
        guard let kind = kinds[call.job.kind] else {
            throw Problem(.internalError, "This release does not know jobs of this kind.")
        }
        try requireScopes(call.job)
        return try kind.work(call)
    }

    private static func requireScopes(_ job: ClaimedJob) throws(Problem) {
        for scope in kinds[job.kind]?.scopes ?? [] where !job.principal.may(scope) {
            throw Problem(
                .scopeMissing, "The key that started the job was revoked or has expired.")
        }
    }

    private func fail(_ lease: JobLease, _ problem: Problem, at now: Instant) throws {
        let failure: JSONTree = [
            "code": .string(problem.code.rawValue), "detail": .string(problem.detail),
        ]
        do {
            let kind = try store.transaction(holding: lease, at: now) { transaction, job in
                try transaction.failJob(job.id, failure: failure.bytes)
                return job.kind
            }
            metrics.jobsFinished.add(1, kind, "failed")
        } catch let error as StoreError where error.code == .leaseLost {
            // Gone with its app, or taken over: nobody waits for this end of it.
            log.warning("job_lease_lost", [("job", .string(lease.job.description))])
        }
    }
}

/// One job inside its transaction.
struct JobCall {
    let job: ClaimedJob
    /// Of the job's tenant, within the limits of the key that started it.
    let transaction: TenantTransaction

    /// Notes what the job does.
    func audit(
        _ action: String, _ type: String, _ id: String, app: AppID?, before: JSONTree? = nil,
        after: JSONTree? = nil
    ) throws {
        try transaction.recordAudit(
            AuditEvent(
                action: action, resourceType: type, resourceId: id, app: app,
                changes: JSONTree.changes(from: before, to: after).bytes))
    }
}

struct JobResult {
    let report: JSONTree
    /// Pieces of work done.
    let done: Int32
}
