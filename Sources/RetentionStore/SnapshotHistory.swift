// Tables: snapshot, snapshot_acknowledgement; holdfast_hot.responder by its function. What tenants
// see of their snapshots.
internal import FoundationEssentials
internal import Postgres
package import Retention

/// A snapshot as it is shown: what it weighs and who serves it, not what it holds.
package struct StoredSnapshot: Sendable {
    package let number: Int64
    package let environment: StoreEnvironment
    package let builtAt: Instant
    package let byteCount: Int64
    package let sha256: [UInt8]
    /// Whether none is newer.
    package let isCurrent: Bool
    /// By those who serve this one or a later one.
    package let acknowledgements: [SnapshotAcknowledgement]
}

package struct SnapshotAcknowledgement: Sendable {
    package let responder: String
    /// Real time, whatever business time is.
    package let acknowledgedAt: Instant
}

extension TenantTransaction {
    /// A responder that was silent for longer is not waited for: it says what it serves every few
    /// seconds.
    private static let liveSeconds: Int32 = 30

    /// Newest first; `before` is the last one of the page before.
    package func listSnapshots(
        at key: AppEnvironment, before: Int64?, limit: Int32
    ) throws -> [StoredSnapshot] {
        try snapshots(at: key, one: nil, before: before, limit: limit)
    }

    package func findSnapshot(number: Int64, at key: AppEnvironment) throws -> StoredSnapshot? {
        try snapshots(at: key, one: number, before: nil, limit: 1).first
    }

    /// A snapshot with all that it holds; `nil` where it was forgotten or cannot be read any more.
    package func findServedSnapshot(number: Int64, at key: AppEnvironment) throws -> Snapshot? {
        let rows = try connection.query(
            """
            select body, sha256 from holdfast.snapshot
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and number = \(number)
            """)
        guard let row = rows.first else { return nil }
        return try? RetentionStore.check(
            body: try row.decode("body"), sha256: try row.decode("sha256"),
            against: SnapshotHead(tenant: tenant, key: key, number: number))
    }

    /// The version of the rules that a snapshot holds; `nil` where none was in force by then, or
    /// the history of publications does not go back so far.
    package func findRuleSetVersion(
        ofSnapshot number: Int64, at key: AppEnvironment
    ) throws -> Int32? {
        try connection.query(
            """
            select version from holdfast.publication
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and snapshot_number <= \(number)
            order by snapshot_number desc, publication_id desc
            limit 1
            """
        ).first?.decode("version")
    }

    /// Names of the responders that were heard of lately, in real time. They serve every tenant.
    package func listLiveResponders() throws -> [String] {
        let rows = try connection.query(
            """
            select responder
            from holdfast_hot.live_responders(
              clock_timestamp() - make_interval(secs => \(Self.liveSeconds))) as responder
            """)
        return try rows.map { try $0.decode("responder") }
    }

    private func snapshots(
        at key: AppEnvironment, one: Int64?, before: Int64?, limit: Int32
    ) throws -> [StoredSnapshot] {
        let rows = try connection.query(
            """
            select s.number, s.built_at, length(s.body)::bigint as byte_count, s.sha256,
              s.number = e.snapshot_number as is_current,
              array(select a.responder from holdfast.snapshot_acknowledgement a
                where (a.tenant_id, a.app_id, a.environment)
                  = (s.tenant_id, s.app_id, s.environment) and a.number >= s.number
                order by a.responder) as responders,
              array(select a.acknowledged_at from holdfast.snapshot_acknowledgement a
                where (a.tenant_id, a.app_id, a.environment)
                  = (s.tenant_id, s.app_id, s.environment) and a.number >= s.number
                order by a.responder) as times
            from holdfast.snapshot s
            join holdfast.app_environment e using (tenant_id, app_id, environment)
            where s.tenant_id = \(tenant.uuid) and s.app_id = \(key.app.uuid)
              and s.environment = \(key.environment.rawValue)
              and (\(one)::bigint is null or s.number = \(one))
              and (\(before)::bigint is null or s.number < \(before))
            order by s.number desc
            limit \(limit)
            """)
        return try rows.map { try StoredSnapshot(row: $0, environment: key.environment) }
    }
}

extension StoredSnapshot {
    fileprivate init(row: Row, environment: StoreEnvironment) throws {
        self.environment = environment
        number = try row.decode("number")
        builtAt = try row.instant("built_at")
        byteCount = try row.decode("byte_count")
        sha256 = try row.decode("sha256")
        isCurrent = try row.decode("is_current")
        let responders: [String] = try row.decode("responders")
        let times: [Timestamp] = try row.decode("times")
        acknowledgements = zip(responders, times).map {
            SnapshotAcknowledgement(
                responder: $0, acknowledgedAt: Instant(milliseconds: $1.milliseconds))
        }
    }
}
