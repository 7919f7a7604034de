import FoundationEssentials
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// Two agencies, and `apple-sync` in its own role.
struct SyncWorkers {
    static let long: Duration = .seconds(600)
    static let short: Duration = .seconds(1)
    static let hour: Duration = .seconds(3_600)

    let agencies: Agencies
    let store: RetentionStore

    init() throws {
        agencies = try Agencies()
        store = RetentionStore(pool: agencies.database.sync)
    }

    /// Keys that the first agency has.
    var production: AppEnvironment { agencies.first.keys[0] }
    var sandbox: AppEnvironment { AppEnvironment(app: production.app, environment: .sandbox) }

    func claim(for duration: Duration = long, perTenant: Int32 = 100) throws -> SyncLease? {
        try store.claimSync(.syncUpkeep, worker: "w", for: duration, perTenant: perTenant)
    }

    /// What is due from now on: these keys of an agency, and nothing else.
    func makeDue(_ keys: [AppEnvironment], of agency: SampleAgency? = nil) throws {
        try superuser("update holdfast.sync_state set next_run_at = 'infinity'")
        for key in keys { try makeDueToo(key, of: agency) }
    }

    func makeDueToo(_ key: AppEnvironment, of agency: SampleAgency? = nil) throws {
        let tenant = (agency ?? agencies.first).scope.tenant.uuid
        try superuser(
            """
            update holdfast.sync_state set next_run_at = clock_timestamp()
            where tenant_id = \(tenant) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            """)
    }

    func superuser(_ query: Query) throws {
        _ = try agencies.database.superuser.withConnection { try $0.query(query) }
    }

    func lease(
        _ key: AppEnvironment, of agency: SampleAgency? = nil, for duration: Duration = long
    ) throws -> SyncLease {
        try makeDue([key], of: agency)
        let lease = try #require(try claim(for: duration))
        try #require(lease.key == key)
        return lease
    }

    @discardableResult
    func work<R>(
        _ lease: SyncLease, for duration: Duration = long, at now: Instant = Agencies.now,
        _ body: (TenantTransaction, Int64) throws -> R
    ) throws -> R {
        try store.transaction(holding: lease, for: duration, at: now, body)
    }

    /// Plain SQL in the sync's role, after showing the lease.
    func run<R>(_ lease: SyncLease, _ body: (Connection) throws -> R) throws -> R {
        try agencies.database.sync.transaction { connection in
            try enter(lease, connection)
            return try body(connection)
        }
    }

    func enter(_ lease: SyncLease, _ connection: Connection) throws {
        let rows = try connection.query(
            """
            select change_number from holdfast_sec.enter_sync(\(lease.tenant.uuid),
              \(lease.key.app.uuid), \(lease.key.environment.rawValue), \(lease.token),
              interval '10 minutes')
            """)
        try #require(rows.count == 1)
    }

    /// What the statement does in the sync's role under the lease.
    func attempt(_ lease: SyncLease, _ sql: String) throws -> Keys.Attempt {
        do {
            return .changed(try run(lease) { try $0.query(Query(unsafeSQL: sql)).affected })
        } catch let error as PostgresError {
            return .refused(error.sqlState)
        }
    }

    func code(_ body: () throws -> Void) -> StoreError.Code? {
        do { try body() } catch { return (error as? StoreError)?.code }
        return nil
    }

    func changeNumber(_ key: AppEnvironment) throws -> Int64 {
        let tenant = agencies.first.scope.tenant.uuid
        return try agencies.value(
            """
            select change_number from holdfast.sync_state where tenant_id = \(tenant)
              and app_id = \(key.app.uuid) and environment = \(key.environment.rawValue)
            """)
    }

    /// Seconds until the key is due; below zero where it is.
    func due(_ key: AppEnvironment) throws -> Double {
        let tenant = agencies.first.scope.tenant.uuid
        return try agencies.value(
            """
            select extract(epoch from next_run_at - clock_timestamp())::double precision
            from holdfast.sync_state where tenant_id = \(tenant)
              and app_id = \(key.app.uuid) and environment = \(key.environment.rawValue)
            """)
    }
}
