// Table: job. Work that outlives its request, done once however often a worker dies: the lease is
// the right to act, and the result is committed in the transaction that shows it. Work in several
// transactions takes the lease anew with each.
package import FoundationEssentials
internal import Postgres
package import Retention

/// The right to work on one job until it runs out; measured by the database's clock.
package struct JobLease: Sendable {
    package let tenant: TenantID
    package let job: JobID
    package let token: UUID

    /// Worth something only with the token that the database gave.
    package init(tenant: TenantID, job: JobID, token: UUID) {
        self.tenant = tenant
        self.job = job
        self.token = token
    }
}

package struct ClaimedJob: Sendable {
    package let id: JobID
    package let app: AppID
    /// Without scopes where its key was revoked or has expired meanwhile.
    package let principal: Principal
    package let kind: String
    package let input: [UInt8]

    /// Goes out with the `BEGIN` of the transaction that acts for the job.
    static func enterQuery(_ lease: JobLease, _ now: Instant) -> Query {
        """
        select app_id, api_key_id, api_key_name as name, scopes, is_limited, expires_at,
          requests_per_minute, kind, input
        from holdfast_sec.enter_job(\(lease.tenant.uuid), \(lease.job.uuid), \(lease.token),
          \(Timestamp(milliseconds: now.milliseconds)))
        """
    }

    init(entered rows: [Rows], _ lease: JobLease) throws {
        guard let row = rows.first?.first else {
            throw StoreError(
                code: .leaseLost, message: "\(lease.job) is not this worker's any more; leave it")
        }
        id = lease.job
        app = AppID(try row.decode("app_id"))
        principal = try Principal(row, of: lease.tenant)
        kind = try row.decode("kind")
        input = try row.decode("input")
    }
}

package enum JobState: String, Sendable, CaseIterable { case queued, running, succeeded, failed }

package struct StoredJob: Sendable {
    package let id: JobID
    package let app: AppID
    package let kind: String
    package let state: JobState
    package let done: Int32
    package let total: Int32?
    /// JSON; `nil` until the job is done.
    package let report: [UInt8]?
    /// JSON with `code` and `detail`; only of a failed job.
    package let failure: [UInt8]?
    package let createdAt: Instant
    package let startedAt: Instant?
    package let finishedAt: Instant?
}

extension TenantTransaction {
    /// The job as it is now, asked again before its end is written: a key that was revoked
    /// meanwhile has no scopes any more.
    package func claimedAgain(_ lease: JobLease) throws -> ClaimedJob {
        try ClaimedJob(entered: [connection.query(ClaimedJob.enterQuery(lease, now))], lease)
    }

    package func createJob(
        _ id: JobID, kind: String, of app: AppID, input: [UInt8], total: Int32? = nil,
        by key: APIKeyID
    ) throws {
        _ = try connection.query(
            """
            insert into holdfast.job (tenant_id, job_id, app_id, api_key_id, kind, input, state,
              total, created_at)
            values (\(tenant.uuid), \(id.uuid), \(app.uuid), \(key.uuid), \(kind), \(input),
              'queued', \(total), \(timestamp))
            """)
    }

    package func findJob(_ id: JobID) throws -> StoredJob? {
        try jobs(one: id, before: nil, limit: 1).first
    }

    /// Newest first, without reports; `before` is the last one of the page before.
    package func listJobs(before: JobID?, limit: Int32) throws -> [StoredJob] {
        try jobs(one: nil, before: before, limit: limit)
    }

    /// Takes the lease anew, from now, and says how far the work has come.
    package func renewJob(
        _ id: JobID, leaseSeconds seconds: Int32, done: Int32, total: Int32?
    ) throws {
        try requireOne(
            connection.query(
                """
                update holdfast.job
                set leased_until = clock_timestamp() + make_interval(secs => \(seconds)),
                  done = \(done), total = \(total)
                where tenant_id = \(tenant.uuid) and job_id = \(id.uuid) and state = 'running'
                """), id)
    }

    /// Lets the lease end now: another worker need not wait for it.
    package func giveUpJob(_ id: JobID) throws {
        try requireOne(
            connection.query(
                """
                update holdfast.job set leased_until = clock_timestamp()
                where tenant_id = \(tenant.uuid) and job_id = \(id.uuid) and state = 'running'
                """), id)
    }

    package func finishJob(_ id: JobID, report: [UInt8], done: Int32) throws {
        try finish(id, .succeeded, report: report, failure: nil, done: done)
    }

    /// - Parameter failure: JSON with `code` and `detail`.
    package func failJob(_ id: JobID, failure: [UInt8]) throws {
        try finish(id, .failed, report: nil, failure: JSON(failure), done: nil)
    }

    private func finish(
        _ id: JobID, _ state: JobState, report: [UInt8]?, failure: JSON?, done: Int32?
    ) throws {
        try requireOne(
            connection.query(
                """
                update holdfast.job
                set state = \(state.rawValue), report = \(report), failure = \(failure),
                  done = coalesce(\(done), done), total = coalesce(\(done), total),
                  finished_at = clock_timestamp(), lease_token = null, leased_until = null
                where tenant_id = \(tenant.uuid) and job_id = \(id.uuid) and state = 'running'
                """), id)
    }

    private func requireOne(_ changed: Rows, _ id: JobID) throws {
        guard changed.affected == 1 else {
            throw StoreError(code: .leaseLost, message: "\(id) does not run; leave it")
        }
    }

    private func jobs(one: JobID?, before: JobID?, limit: Int32) throws -> [StoredJob] {
        let rows = try connection.query(
            """
            select job_id, app_id, kind, state, done, total, failure, created_at, started_at,
              finished_at,
              case when \(one?.uuid)::uuid is not null then report end as report
            from holdfast.job
            where tenant_id = \(tenant.uuid)
              and (\(one?.uuid)::uuid is null or job_id = \(one?.uuid))
              and (\(before?.uuid)::uuid is null or job_id < \(before?.uuid))
            order by job_id desc
            limit \(limit)
            """)
        return try rows.map(StoredJob.init(row:))
    }
}

extension StoredJob {
    fileprivate init(row: Row) throws {
        id = JobID(try row.decode("job_id"))
        app = AppID(try row.decode("app_id"))
        kind = try row.decode("kind")
        guard let state = JobState(rawValue: try row.decode("state")) else {
            throw StoreError(code: .invalid, message: "the state of \(id) is not known here")
        }
        self.state = state
        done = try row.decode("done")
        total = try row.decode("total")
        report = try row.decode("report")
        failure = try row.decode(JSON?.self, "failure")?.bytes
        createdAt = try row.instant("created_at")
        startedAt = try row.optionalInstant("started_at")
        finishedAt = try row.optionalInstant("finished_at")
    }
}

extension RetentionStore {
    /// After so many attempts without an end a job is parked as failed.
    package static let jobAttemptsLimit: Int32 = 5

    /// Takes one waiting job of any tenant; `nil` where none waits.
    ///
    /// - Parameter seconds: how long others leave it alone, unless `renewJob` makes it last. Who
    ///   takes longer may find the lease gone, and all he did with it.
    package func claimJob(_ platform: PlatformScope, leaseSeconds seconds: Int32) throws
        -> JobLease?
    {
        try pool.withConnection { connection in
            let rows = try connection.query(
                """
                select tenant_id, job_id, lease_token
                from holdfast_ops.claim_job(make_interval(secs => \(seconds)),
                  \(Self.jobAttemptsLimit))
                """)
            return try rows.first.map { row in
                JobLease(
                    tenant: TenantID(try row.decode("tenant_id")),
                    job: JobID(try row.decode("job_id")), token: try row.decode("lease_token"))
            }
        }
    }
}
