// Table: snapshot. Built by one function, once per changing transaction; read by the responder
// across tenants through two definer functions.
internal import FoundationEssentials
internal import Postgres
package import Retention
internal import Signing

extension TenantTransaction {
    /// Builds the next snapshot of an app and environment from what this transaction sees; none
    /// where it would say what the newest one says.
    ///
    /// The row lock serialises builders of the same key: whoever comes second waits, and then
    /// reads what the first one committed.
    func buildSnapshot(_ key: AppEnvironment) throws {
        let newest = try lockNewestSnapshot(key)
        let snapshot = try readSnapshot(key, number: newest.number)
        let body = try Self.encoded(snapshot)
        if let digest = newest.digest, SHA256.digest(body) == digest { return }
        try storeSnapshot(
            try Self.encoded(snapshot.numbered(newest.number + 1)), after: newest, key)
    }

    private func storeSnapshot(
        _ body: [UInt8], after newest: NewestSnapshot, _ key: AppEnvironment
    ) throws {
        guard body.count <= Snapshot.bytesLimit else {
            throw StoreError(
                code: .snapshotTooLarge,
                message: "the snapshot of \(key.app) has \(body.count) bytes, "
                    + "\(Snapshot.bytesLimit) are allowed; remove messages that no rule names")
        }
        _ = try connection.query(
            """
            insert into holdfast.snapshot (tenant_id, app_id, environment, number, body, sha256,
              built_at)
            values (\(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue),
              \(newest.number + 1), \(body), \(SHA256.digest(body)), \(timestamp))
            """)
        _ = try connection.query(
            """
            update holdfast.app_environment set snapshot_number = \(newest.number + 1)
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            """)
    }

    /// The digest is `nil` before the first one.
    private typealias NewestSnapshot = (number: Int64, digest: [UInt8]?)

    private func lockNewestSnapshot(_ key: AppEnvironment) throws -> NewestSnapshot {
        let rows = try connection.query(
            """
            select snapshot_number from holdfast.app_environment
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            for no key update
            """)
        guard let row = rows.first else { throw StoreError.noApp(key.app) }
        let number: Int64 = try row.decode("snapshot_number")
        let digests = try connection.query(
            """
            select sha256 from holdfast.snapshot
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and number = \(number)
            """)
        return (number, try digests.first?.decode("sha256"))
    }

    /// The number of the snapshot that holds what was committed last in this transaction.
    package func newestSnapshotNumber(at key: AppEnvironment) throws -> Int64 {
        try buildTouchedSnapshots()
        return try lockNewestSnapshot(key).number
    }

    private static func encoded(_ snapshot: Snapshot) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return Array(try encoder.encode(snapshot))
    }

    /// What would be served now with these rules: for looking ahead, and never stored.
    ///
    /// - Parameter isStopped: whether the app's stop counts; else it is as if answers went on.
    package func prospectiveSnapshot(
        at key: AppEnvironment, _ ruleSet: RuleSet, withStop isStopped: Bool = true
    ) throws -> Snapshot {
        try readSnapshot(key, number: 0, ruleSet: ruleSet, withStop: isStopped)
    }

    private func readSnapshot(
        _ key: AppEnvironment, number: Int64, ruleSet: RuleSet? = nil,
        withStop isStopCounted: Bool = true
    ) throws -> Snapshot {
        let rows = try connection.query(
            """
            select bundle_id, app_apple_id, default_locale, time_zone, is_stopped from holdfast.app
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
            """)
        guard let app = rows.first else { throw StoreError.noApp(key.app) }
        let ruleSet = try ruleSet ?? publishedRuleSet(at: key)
        return Snapshot(
            tenant: tenant, app: key.app, environment: key.environment, number: number,
            bundleId: try app.decode("bundle_id"), appAppleId: try app.decode("app_apple_id"),
            defaultLocale: try app.decode("default_locale"),
            endpointTokenHashes: try liveTokenHashes(at: key).map { Data($0) },
            products: try products(of: key.app), offers: try offers(of: key.app),
            messages: try servedMessages(at: key), defaults: try servedDefaults(at: key),
            ruleSet: ruleSet,
            signingKey: try sealedSigningKey(of: key.app),
            zone: ZoneOffsets.named(try app.decode("time_zone")),
            appStoreConnectMessages: try servedAppStoreConnectMessages(
                at: key, namedBy: ruleSet),
            isStopped: try app.decode("is_stopped") && isStopCounted)
    }
}

extension RetentionStore {
    /// Of each app and environment so many snapshots are kept, and all that a responder serves.
    package static let snapshotsKept: Int32 = 20

    /// Forgets older snapshots, of all tenants.
    ///
    /// - Returns: how many.
    package func pruneSnapshots(_ platform: PlatformScope) throws -> Int64 {
        try pool.withConnection { connection in
            let rows = try connection.query(
                "select holdfast_ops.prune_snapshots(\(Self.snapshotsKept)) as pruned")
            return try rows.first?.decode("pruned") ?? 0
        }
    }
}

/// The newest snapshot number of one (tenant, app, environment).
package struct SnapshotHead: Hashable, Sendable {
    package let tenant: TenantID
    package let key: AppEnvironment
    package let number: Int64

    package init(tenant: TenantID, key: AppEnvironment, number: Int64) {
        self.tenant = tenant
        self.key = key
        self.number = number
    }

    /// Whose it is, under whatever number.
    package var place: AppPlace { AppPlace(tenant: tenant, key: key) }

    /// `nil` for an environment that this build does not know: it is not served, and holds up none.
    fileprivate init?(row: Row) throws {
        guard let environment = StoreEnvironment(rawValue: try row.decode("environment")) else {
            return nil
        }
        self.init(
            tenant: TenantID(try row.decode("tenant_id")),
            key: AppEnvironment(app: AppID(try row.decode("app_id")), environment: environment),
            number: try row.decode("number"))
    }
}

/// An app of a tenant in one environment.
package struct AppPlace: Hashable, Sendable {
    package let tenant: TenantID
    package let key: AppEnvironment

    package init(tenant: TenantID, key: AppEnvironment) {
        self.tenant = tenant
        self.key = key
    }
}

extension RetentionStore {
    /// Says that the responder of this name is alive and serves these snapshots.
    ///
    /// - Parameter now: real time, also where business time is another: it is a sign of life.
    package func acknowledge(
        _ platform: PlatformScope, _ served: [SnapshotHead], by responder: String, at now: Instant
    ) throws {
        try pool.withConnection { connection in
            _ = try connection.query(
                """
                select holdfast_hot.acknowledge(\(responder),
                  \(Timestamp(milliseconds: now.milliseconds)), \(served.map(\.tenant.uuid)),
                  \(served.map(\.key.app.uuid)), \(served.map(\.key.environment.rawValue)),
                  \(served.map(\.number)))
                """)
        }
    }
}

/// A snapshot as it is stored: its bytes, and what they are to be held against.
package struct SnapshotBody: Equatable, Sendable {
    package let head: SnapshotHead
    package let body: [UInt8]
    package let sha256: [UInt8]

    package init(head: SnapshotHead, body: [UInt8], sha256: [UInt8]) {
        self.head = head
        self.body = body
        self.sha256 = sha256
    }

    /// The snapshot, if digest, form and identity are right.
    package func checked() throws(SnapshotError) -> Snapshot {
        try RetentionStore.check(body: body, sha256: sha256, against: head)
    }
}

/// Why a stored snapshot is not taken in; the responder keeps the one it has.
package struct SnapshotError: Error, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// `older`: a lower number than the one in use, as after a restore of an old backup.
        case missing, tooLarge, checksumMismatch, undecodable, otherIdentity, older
    }

    package let code: Code
    package let head: SnapshotHead

    package init(code: Code, head: SnapshotHead) {
        self.code = code
        self.head = head
    }

    package var description: String {
        "snapshot \(head.number) of \(head.key.app) in \(head.key.environment.rawValue) "
            + "is not usable: \(code.rawValue)"
    }
}

extension RetentionStore {
    /// The newest number of every (app, environment) of every tenant.
    package func snapshotHeads(_ platform: PlatformScope) throws -> [SnapshotHead] {
        try pool.withConnection { connection in
            let rows = try connection.query(
                """
                select tenant_id, app_id, environment, number from holdfast_hot.snapshot_heads()
                """)
            return try rows.compactMap(SnapshotHead.init(row:))
        }
    }

    /// One snapshot as it is stored, not checked yet.
    ///
    /// - Throws: `SnapshotError` where there is none, or `PostgresError` where the database cannot
    ///   be read.
    package func snapshotBody(
        _ platform: PlatformScope, _ head: SnapshotHead
    ) throws -> SnapshotBody {
        let stored = try pool.withConnection { connection in
            let rows = try connection.query(
                """
                select body, sha256 from holdfast_hot.snapshot_body(\(head.tenant.uuid),
                  \(head.key.app.uuid), \(head.key.environment.rawValue), \(head.number))
                """)
            return try rows.first.map { row in
                SnapshotBody(
                    head: head, body: try row.decode("body"), sha256: try row.decode("sha256"))
            }
        }
        guard let stored else { throw SnapshotError(code: .missing, head: head) }
        return stored
    }

    /// One snapshot, checked: its digest, its form and that it is the one that was asked for.
    ///
    /// - Throws: `SnapshotError`, or `PostgresError` where the database cannot be read.
    package func snapshot(_ platform: PlatformScope, _ head: SnapshotHead) throws -> Snapshot {
        try snapshotBody(platform, head).checked()
    }

    /// The checks alone, without a database.
    package static func check(
        body: [UInt8], sha256: [UInt8], against head: SnapshotHead
    ) throws(SnapshotError) -> Snapshot {
        guard body.count <= Snapshot.bytesLimit else {
            throw SnapshotError(code: .tooLarge, head: head)
        }
        guard SHA256.digest(body) == sha256 else {
            throw SnapshotError(code: .checksumMismatch, head: head)
        }
        guard let snapshot = try? JSONDecoder().decode(Snapshot.self, from: Data(body)),
            snapshot.schemaVersion == Snapshot.schemaVersion
        else { throw SnapshotError(code: .undecodable, head: head) }
        guard snapshot.tenant == head.tenant, snapshot.app == head.key.app,
            snapshot.environment == head.key.environment, snapshot.number == head.number
        else { throw SnapshotError(code: .otherIdentity, head: head) }
        return snapshot
    }
}
