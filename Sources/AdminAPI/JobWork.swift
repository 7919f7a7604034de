internal import Retention
internal import RetentionStore

/// What a job does, step by step; each step is a transaction of its own under the job's lease.
///
/// A step that reads much is short: while a transaction that has a number runs, no responder of
/// any tenant hears what changed since (`holdfast_hot.profile_changes`).
protocol JobWork: Sendable {
    /// Does the next step. It throws a `Problem` for what the caller can mend.
    mutating func next(_ call: JobCall) throws -> JobStep
}

enum JobStep: Sendable {
    /// There is more to do. `total` is `nil` where nobody knows how much.
    case goesOn(done: Int32, total: Int32?)
    /// Committed with this step.
    case ended(JobResult)
}

/// A job that is one step: what it does is there as a whole, or not at all.
struct WholeJob: JobWork {
    let work: @Sendable (JobCall) throws -> JobResult

    func next(_ call: JobCall) throws -> JobStep {
        let result = try work(call)
        // The last statement may have taken it past the limit.
        try call.checkTime()
        return .ended(result)
    }
}

/// One step of a job inside its transaction.
struct JobCall {
    let job: ClaimedJob
    /// Of the job's tenant, within the limits of the key that started it.
    let transaction: TenantTransaction
    let time: StepTime

    /// - Throws: `Problem` where a step that cannot be parted has taken too long; nothing of it is
    ///   kept then.
    func checkTime() throws(Problem) {
        guard time.elapsed > time.limits.whole else { return }
        throw Problem(
            .unavailable,
            """
            It was not done within \(time.limits.whole.components.seconds) s, and nothing of it \
            was kept: send less at once, or try again when the database has less to do.
            """)
    }

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

/// How long steps of jobs may run, in real time.
package struct StepLimits: Sendable {
    /// After so long a step that can be parted ends, and the next one goes on.
    let slice: Duration
    /// Of a step that cannot be parted, well within the lease.
    let whole: Duration

    package init(slice: Duration = .seconds(2), whole: Duration = .seconds(30)) {
        self.slice = slice
        self.whole = whole
    }
}

/// How long a step runs already.
struct StepTime: Sendable {
    let limits: StepLimits
    private let began = ContinuousClock.now

    init(_ limits: StepLimits) {
        self.limits = limits
    }

    var elapsed: Duration { ContinuousClock.now - began }
    var isSliceOver: Bool { elapsed >= limits.slice }
}

struct JobResult: Sendable {
    let report: JSONTree
    /// Pieces of work done.
    let done: Int32
}
