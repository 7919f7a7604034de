internal import HTTPServer
internal import Postgres
internal import Retention
package import RetentionStore
package import Service

/// Does the work that outlives its request: takes a lease, works step by step, a transaction each,
/// and commits the result with the job's end. With each step it takes the lease anew and says how
/// far it has come. A worker that dies leaves nothing that counts behind; another begins anew when
/// the lease is over.
package struct JobRunner: Sendable {
    /// From the end of a step; beyond it another worker may begin.
    static let leaseSeconds: Int32 = 60

    /// Begins what a job does, in the transaction of its first step.
    typealias Beginning = @Sendable (JobCall) throws -> any JobWork

    let store: RetentionStore
    let clock: Clock
    let log: Log
    let metrics: GatewayMetrics
    let limits: StepLimits

    /// Kind -> scopes its key must still have, and the work.
    static let kinds: [String: (scopes: [AccessScope], begin: Beginning)] = [
        AppCopies.kind: ([.write(.apps)], { _ in WholeJob(work: AppCopies.run) }),
        LocalizationImports.kind: (
            [.write(.content)], { _ in WholeJob(work: LocalizationImports.run) }
        ),
        Replays.kind: ([.write(.rules)], Replays.begin),
    ]

    /// Called between two steps, and between a job's work and its end, for tests of what happens
    /// meanwhile.
    let betweenSteps: @Sendable () throws -> Void
    let beforeEnd: @Sendable () throws -> Void

    package init(
        store: RetentionStore, clock: Clock, log: Log, metrics: GatewayMetrics,
        limits: StepLimits = StepLimits(),
        betweenSteps: @escaping @Sendable () throws -> Void = {},
        beforeEnd: @escaping @Sendable () throws -> Void = {}
    ) {
        self.limits = limits
        self.betweenSteps = betweenSteps
        self.beforeEnd = beforeEnd
        self.store = store
        self.clock = clock
        self.log = log
        self.metrics = metrics
    }

    /// Does what waits, one after the other; throws where the database does not answer.
    ///
    /// - Parameter isEnding: asked before each job and each step: who is told to end takes no
    ///   further one, and leaves what it has begun to others.
    package func runWaiting(unless isEnding: () -> Bool = { false }) throws {
        while !isEnding(),
            let lease = try store.claimJob(.gatewayUpkeep, leaseSeconds: Self.leaseSeconds)
        {
            try run(lease, unless: isEnding)
        }
    }

    private var now: Instant { Instant(milliseconds: clock.now()) }

    private func run(_ lease: JobLease, unless isEnding: () -> Bool) throws {
        do {
            guard let kind = try steps(of: lease, unless: isEnding) else { return }
            metrics.jobsFinished.add(1, kind, "succeeded")
        } catch let problem as Problem {
            try fail(lease, problem)
        } catch let error as StoreError where error.code == .leaseLost {
            log.warning("job_lease_lost", [("job", .string(lease.job.description))])
        } catch let error as PostgresError where error.code != .server {
            // The database went away: the lease runs out, and the job begins anew.
            throw error
        } catch let error as PostgresError {
            guard let problem = DatabaseProblem.problem(error, method: .post) else {
                return try fail(lease, error)
            }
            // Somebody else held what it needs: as above.
            if problem.code == .unavailable { throw error }
            try fail(lease, problem)
        } catch {
            try fail(lease, error)
        }
    }

    /// - Returns: the job's kind; `nil` where it was left to others.
    private func steps(of lease: JobLease, unless isEnding: () -> Bool) throws -> String? {
        var work: (any JobWork)?
        while true {
            let kind = try store.transaction(holding: lease, at: now) { transaction, job in
                try step(
                    &work,
                    JobCall(job: job, transaction: transaction, time: StepTime(limits)), lease)
            }
            if let kind { return kind }
            try betweenSteps()
            if isEnding() {
                try store.transaction(holding: lease, at: now) { try $0.giveUpJob($1.id) }
                return nil
            }
        }
    }

    /// - Returns: the job's kind where this was the last step.
    private func step(
        _ work: inout (any JobWork)?, _ call: JobCall, _ lease: JobLease
    ) throws -> String? {
        var current = try work ?? Self.begin(call)
        try Self.requireScopes(call.job)
        switch try current.next(call) {
        case .goesOn(let done, let total):
            work = current
            try call.transaction.renewJob(
                call.job.id, leaseSeconds: Self.leaseSeconds, done: done, total: total)
            return nil
        case .ended(let result):
            try beforeEnd()
            try Self.requireScopes(try call.transaction.claimedAgain(lease))
            try call.transaction.finishJob(
                call.job.id, report: result.report.bytes, done: result.done)
            return call.job.kind
        }
    }

    /// For what is our own fault.
    private func fail(_ lease: JobLease, _ error: any Error) throws {
        log.error(
            "job_failed",
            [("job", .string(lease.job.description)), ("error", .string("\(error)"))])
        try fail(
            lease, Problem(.internalError, "It was not done; tell the operator the job's id."))
    }

    private static func begin(_ call: JobCall) throws -> any JobWork {
        guard let kind = kinds[call.job.kind] else {
            throw Problem(.internalError, "This release does not know jobs of this kind.")
        }
        try requireScopes(call.job)
        return try kind.begin(call)
    }

    private static func requireScopes(_ job: ClaimedJob) throws(Problem) {
        for scope in kinds[job.kind]?.scopes ?? [] where !job.principal.may(scope) {
            throw Problem(
                .scopeMissing, "The key that started the job was revoked or has expired.")
        }
    }

    private func fail(_ lease: JobLease, _ problem: Problem) throws {
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
