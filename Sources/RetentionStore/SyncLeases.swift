// Tables: sync_state, call_budget. Who works on which app's sync, and how many calls it may make.
internal import FoundationEssentials
internal import Postgres
package import Retention

/// The right to work on the sync of one app in one environment; measured by the database's clock.
package struct SyncLease: Hashable, Sendable {
    package let tenant: TenantID
    package let key: AppEnvironment
    /// Rises with each claim, so that a worker that was replaced is told from the one that replaced
    /// it. Worth something only as the database gave it.
    package let token: Int64

    package init(tenant: TenantID, key: AppEnvironment, token: Int64) {
        self.tenant = tenant
        self.key = key
        self.token = token
    }

    /// Goes out with the `BEGIN` of the transaction that acts for the app.
    func enterQuery(for duration: Duration) -> Query {
        """
        select change_number
        from holdfast_sec.enter_sync(\(tenant.uuid), \(key.app.uuid),
          \(key.environment.rawValue), \(token),
          make_interval(secs => \(duration.seconds)))
        """
    }

    /// - Returns: the number of the last change of what is wanted.
    func changeNumber(entered rows: [Rows]) throws -> Int64 {
        guard let row = rows.first?.first else {
            throw StoreError.lost(self)
        }
        return try row.decode("change_number")
    }
}

extension StoreError {
    fileprivate static func lost(_ lease: SyncLease) -> StoreError {
        StoreError(
            code: .leaseLost,
            message: "the sync of \(lease.key.app) is not this worker's any more; leave it")
    }
}

extension Duration {
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}

/// What is due and waits, over all tenants.
package struct SyncBacklog: Sendable {
    package let due: Int64
    package let oldestSeconds: Double
}

extension RetentionStore {
    /// Takes what is due of any tenant; `nil` where nothing is.
    ///
    /// - Parameters:
    ///   - worker: its name, for people.
    ///   - perTenant: so many apps of one tenant are leased at one time, over all workers.
    package func claimSync(
        _ platform: PlatformScope, worker: String, for duration: Duration, perTenant: Int32
    ) throws -> SyncLease? {
        try pool.withConnection { connection in
            let rows = try connection.query(
                """
                select tenant_id, app_id, environment, lease_token
                from holdfast_ops.claim_sync(\(worker),
                  make_interval(secs => \(duration.seconds)), \(perTenant))
                """)
            guard let row = rows.first else { return nil }
            let environment: String = try row.decode("environment")
            guard let known = StoreEnvironment(rawValue: environment) else {
                throw StoreError(code: .invalid, message: "environment \(environment) is unknown")
            }
            return SyncLease(
                tenant: TenantID(try row.decode("tenant_id")),
                key: AppEnvironment(app: AppID(try row.decode("app_id")), environment: known),
                token: try row.decode("lease_token"))
        }
    }

    package func syncBacklog(_ platform: PlatformScope) throws -> SyncBacklog {
        try pool.withConnection { connection in
            let rows = try connection.query(
                "select due, oldest_seconds from holdfast_ops.sync_backlog()")
            guard let row = rows.first else { return SyncBacklog(due: 0, oldestSeconds: 0) }
            return SyncBacklog(
                due: try row.decode("due"), oldestSeconds: try row.decode("oldest_seconds"))
        }
    }

    /// Forgets calls and runs from before then, of all tenants, oldest first; never those of the
    /// last week.
    ///
    /// - Parameter most: so many of each.
    package func purgeSyncHistory(
        _ platform: PlatformScope, before: Instant, most: Int32
    ) throws -> Int64 {
        try pool.withConnection { connection in
            let rows = try connection.query(
                """
                select holdfast_ops.purge_sync_history(
                  \(Timestamp(milliseconds: before.milliseconds)), \(most)) as purged
                """)
            return try rows.first?.decode("purged") ?? 0
        }
    }
}

extension TenantTransaction {
    /// Says that what is wanted at Apple changed: the sync looks soon after the commit. Not for the
    /// sync itself.
    package func wakeSync(_ key: AppEnvironment) throws {
        wake(key)
    }

    /// Counts the change, and lets the sync look at once.
    func noteChange(_ key: AppEnvironment) throws {
        _ = try connection.query(
            """
            update holdfast.sync_state
            set change_number = change_number + 1,
              next_run_at = least(next_run_at, clock_timestamp())
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            """)
    }

    /// Lets another environment of the leased app be looked at soon: something there waited for
    /// what was done here.
    package func hurrySync(_ environment: StoreEnvironment) throws {
        _ = try connection.query(
            "select holdfast_sec.hurry_sync(\(environment.rawValue)) as is_hurried")
    }

    /// Gives the lease back; the next look is so long from now, and at once where something changed
    /// while it was looked at.
    package func releaseSync(_ lease: SyncLease, changeNumber: Int64, after wait: Duration) throws {
        let rows = try connection.query(
            """
            select holdfast_sec.leave_sync(\(lease.key.environment.rawValue), \(lease.token),
              \(changeNumber), make_interval(secs => \(wait.seconds))) as is_left
            """)
        guard try rows.first?.decode("is_left") == true else { throw StoreError.lost(lease) }
    }

    /// Takes one call of the budget where there is one left. The row is locked: all workers take
    /// from the same.
    ///
    /// - Returns: how long to wait where there is none; `nil` where the call may be made.
    package func takePermit(
        _ endpoint: AppleEndpoint, at key: AppEnvironment, of budget: CallBudget
    ) throws -> Duration? {
        let rows = try connection.query(
            """
            insert into holdfast.call_budget as b (tenant_id, app_id, environment, endpoint)
            values (\(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue),
              \(endpoint.rawValue))
            on conflict (tenant_id, app_id, environment, endpoint)
              do update set spoken_for = b.spoken_for
            returning spoken_for, clock_timestamp() as read_at
            """)
        guard let row = rows.first else { return .seconds(1) }
        let readAt: Timestamp = try row.decode("read_at")
        switch budget.take(spokenFor: try row.decode("spoken_for"), now: readAt.microseconds) {
        case .later(let until): return .microseconds(until - readAt.microseconds)
        case .granted(let spokenFor):
            _ = try connection.query(
                """
                update holdfast.call_budget set spoken_for = \(spokenFor)
                where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
                  and environment = \(key.environment.rawValue)
                  and endpoint = \(endpoint.rawValue)
                """)
            return nil
        }
    }

    /// What is spoken for at each endpoint that was called, in microseconds since 1970.
    package func spokenFor(at key: AppEnvironment) throws -> [AppleEndpoint: Int64] {
        let rows = try connection.query(
            """
            select endpoint, spoken_for from holdfast.call_budget
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            """)
        var spoken: [AppleEndpoint: Int64] = [:]
        for row in rows {
            guard let endpoint = AppleEndpoint(rawValue: try row.decode("endpoint")) else {
                continue
            }
            spoken[endpoint] = try row.decode("spoken_for")
        }
        return spoken
    }
}
