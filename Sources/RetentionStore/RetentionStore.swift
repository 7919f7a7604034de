// The domain in PostgreSQL: one file per group of tables, SQL where it runs.
//
//     Scope ── store.transaction(scope) ──> TenantTransaction ── create… find… publish…
//                                               │ touch(app, environment)
//                                               ▼ before commit, once each
//                                           snapshot n+1
//
// No scope, no rows: every statement names the tenant of its transaction, and the database, whose
// row security is forced, refuses what a statement might forget.

internal import FoundationEssentials
package import Postgres
package import Retention

/// Who is acting, for which tenant. Made only where the right to act was established; each way has
/// its name, so that a search for `Scope.` shows them all.
package struct Scope: Hashable, Sendable {
    package let tenant: TenantID
    package let actor: Actor

    private init(tenant: TenantID, actor: Actor) {
        self.tenant = tenant
        self.actor = actor
    }

    /// An operator's command that names the tenant.
    package static func operatorCommand(tenant: TenantID) -> Scope {
        Scope(tenant: tenant, actor: .operator)
    }

    /// A record that this platform itself spooled after an endpoint token and Apple's signature
    /// had named the tenant.
    package static func spooledRecord(tenant: TenantID) -> Scope {
        Scope(tenant: tenant, actor: .responder)
    }

    /// A key that the database knows, shown in this very transaction.
    static func authenticated(_ principal: Principal) -> Scope {
        Scope(tenant: principal.tenant, actor: .apiKey(principal))
    }

    /// A lease on one app's sync that the database honoured in this very transaction.
    static func claimedSync(_ lease: SyncLease) -> Scope {
        Scope(tenant: lease.tenant, actor: .sync)
    }

    /// The token of a live endpoint, shown in this very transaction.
    static func endpointToken(_ target: NotificationTarget) -> Scope {
        Scope(tenant: target.tenant, actor: .receiver)
    }

    /// A lease on folding one app's notifications that the database honoured in this very
    /// transaction.
    static func claimedFold(_ lease: FoldLease) -> Scope {
        Scope(tenant: lease.tenant, actor: .worker)
    }

    /// A job whose lease the database honoured in this very transaction.
    static func claimedJob(_ job: JobID, by principal: Principal) -> Scope {
        Scope(tenant: principal.tenant, actor: .job(job, principal))
    }
}

/// What acts in a scope: named in audit events, and the source of what it may do.
package enum Actor: Hashable, Sendable {
    case `operator`
    case responder
    /// `apple-sync`: what it changes is what Apple has, never what is wanted.
    case sync
    /// The gateway, for whoever knows an endpoint's token: it adds what the App Store signed.
    case receiver
    /// `profile-worker`: what it changes follows from what the App Store signed.
    case worker
    case apiKey(Principal)
    /// In the name of the key that started the job.
    case job(JobID, Principal)

    /// The key behind it; `nil` for operators and services that act for the platform.
    package var principal: Principal? {
        switch self {
        case .operator, .responder, .sync, .receiver, .worker: nil
        case .apiKey(let principal), .job(_, let principal): principal
        }
    }
}

/// The right to call the few definer functions that cross tenants: routing and operators' commands.
package struct PlatformScope: Sendable {
    /// The responder's routing: it serves every tenant.
    package static let routing = PlatformScope()
    /// The gateway's upkeep: claiming jobs, noting when keys were used, purging old records.
    package static let gatewayUpkeep = PlatformScope()
    /// `apple-sync`: claiming what is due, purging old records.
    package static let syncUpkeep = PlatformScope()
    /// The gateway's receiver: it finds whose URL was called.
    package static let receiving = PlatformScope()
    /// `profile-worker`: claiming what waits to be folded.
    package static let workerUpkeep = PlatformScope()
    /// An operator's command that looks at all tenants.
    package static let operatorCommand = PlatformScope()

    private init() {}
}

package struct RetentionStore: Sendable {
    package let pool: Pool

    package init(pool: Pool) {
        self.pool = pool
    }

    /// Runs `body` in one transaction of one tenant. Snapshots that it made stale are rebuilt
    /// before the commit, so no reader ever sees a change without its snapshot.
    ///
    /// - Throws: `PostgresError`, `StoreError`, or what `body` throws; nothing is kept then.
    package func transaction<Result>(
        _ scope: Scope, at now: Instant, _ body: (TenantTransaction) throws -> Result
    ) throws -> Result {
        let enter: Query = "select holdfast_sec.enter_tenant(\(scope.tenant.uuid))"
        return try pool.transaction(opening: [enter]) { connection, _ in
            try Self.run(scope, connection, now, body)
        }
    }

    /// The same in the name of the API key whose token has this SHA-256.
    ///
    /// - Throws: `StoreError.unauthenticated` where no live key has it.
    package func transaction<Result>(
        presenting tokenHash: [UInt8], at now: Instant,
        _ body: (TenantTransaction, Principal) throws -> Result
    ) throws -> Result {
        try pool.transaction(opening: [Principal.enterQuery(tokenHash, now)]) { connection, rows in
            let principal = try Principal(entered: rows)
            return try Self.run(.authenticated(principal), connection, now) {
                try body($0, principal)
            }
        }
    }

    /// The same in the name of a job, for as long as its lease is ours.
    ///
    /// - Throws: `StoreError.leaseLost` where another worker has it, or nobody any more.
    package func transaction<Result>(
        holding lease: JobLease, at now: Instant,
        _ body: (TenantTransaction, ClaimedJob) throws -> Result
    ) throws -> Result {
        try pool.transaction(opening: [ClaimedJob.enterQuery(lease, now)]) { connection, rows in
            let job = try ClaimedJob(entered: rows, lease)
            return try Self.run(.claimedJob(lease.job, by: job.principal), connection, now) {
                try body($0, job)
            }
        }
    }

    /// The same for the app whose sync is leased, which lasts anew from here.
    ///
    /// - Throws: `StoreError.leaseLost` where the lease is over, or another worker has it.
    package func transaction<Result>(
        holding lease: SyncLease, for duration: Duration, at now: Instant,
        _ body: (TenantTransaction, _ changeNumber: Int64) throws -> Result
    ) throws -> Result {
        try pool.transaction(opening: [lease.enterQuery(for: duration)]) { connection, rows in
            let changeNumber = try lease.changeNumber(entered: rows)
            return try Self.run(.claimedSync(lease), connection, now) {
                try body($0, changeNumber)
            }
        }
    }

    /// The same for the endpoint whose token has this SHA-256: it adds notifications, and sees
    /// nothing.
    ///
    /// - Throws: `StoreError.notFound` where no live endpoint has it.
    package func transaction<Result>(
        presentingEndpoint tokenHash: [UInt8], at now: Instant,
        _ body: (TenantTransaction, NotificationTarget) throws -> Result
    ) throws -> Result {
        let enter = NotificationTarget.enterQuery(tokenHash)
        return try pool.transaction(opening: [enter]) { connection, rows in
            guard let target = try NotificationTarget(entered: rows.first) else {
                throw StoreError(code: .notFound, message: "no live endpoint has this token")
            }
            return try Self.run(.endpointToken(target), connection, now) {
                try body($0, target)
            }
        }
    }

    /// The same for the app whose notifications are lent to be folded; the lease lasts anew from
    /// here.
    ///
    /// - Throws: `StoreError.leaseLost` where the lease is over, or another worker has it.
    package func transaction<Result>(
        holding lease: FoldLease, for duration: Duration, at now: Instant,
        _ body: (TenantTransaction) throws -> Result
    ) throws -> Result {
        try pool.transaction(opening: [lease.enterQuery(for: duration)]) { connection, rows in
            try lease.requireEntered(rows)
            return try Self.run(.claimedFold(lease), connection, now, body)
        }
    }

    private static func run<Result>(
        _ scope: Scope, _ connection: Connection, _ now: Instant,
        _ body: (TenantTransaction) throws -> Result
    ) throws -> Result {
        let transaction = TenantTransaction(scope, connection: connection, now: now)
        let result = try body(transaction)
        try transaction.buildTouchedSnapshots()
        return result
    }
}

/// A transaction whose tenant is set, for as long as it lasts. The database holds the tenant too,
/// local to the transaction and signed: nothing stays on the connection for its next borrower.
package final class TenantTransaction {
    package let scope: Scope
    /// Business time: bound as a value, never the database's own clock.
    package let now: Instant
    let connection: Connection
    private var touched: Set<AppEnvironment> = []
    private var woken: Set<AppEnvironment> = []
    /// Publications of this transaction, in whose history the snapshot's number is still missing.
    var unnumberedPublications: [UnnumberedPublication] = []

    fileprivate init(_ scope: Scope, connection: Connection, now: Instant) {
        self.scope = scope
        self.connection = connection
        self.now = now
    }

    var tenant: TenantID { scope.tenant }
    var timestamp: Timestamp { Timestamp(milliseconds: now.milliseconds) }

    /// Says that what the snapshot of this app and environment holds has changed.
    func touch(_ key: AppEnvironment) {
        touched.insert(key)
    }

    /// The same for both environments: a change of what they share.
    func touchBoth(_ app: AppID) {
        for environment in StoreEnvironment.allCases {
            touch(AppEnvironment(app: app, environment: environment))
        }
    }

    /// Says that what is wanted at Apple there has changed.
    func wake(_ key: AppEnvironment) {
        woken.insert(key)
    }

    /// Brings the snapshots up to date now rather than at the commit, for whoever must name their
    /// numbers.
    ///
    /// Rows are locked by key, the sync's before the snapshot's, as by the sync itself: nobody
    /// waits for whom he holds up.
    func buildTouchedSnapshots() throws {
        for key in touched.union(woken).sorted() {
            if scope.actor != .sync { try noteChange(key) }
            if touched.contains(key) { try buildSnapshot(key) }
        }
        touched = []
        woken = []
        try recordPublications()
    }
}

/// What the store itself refuses, beside the database's own constraints.
package struct StoreError: Error, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable {
        case invalid, notFound, snapshotTooLarge
        /// No live key has this token.
        case unauthenticated
        /// The job was taken over, or is finished.
        case leaseLost
    }

    package let code: Code
    /// What is wrong and what to do about it.
    package let message: String

    package var description: String { "\(code.rawValue): \(message)" }
}
