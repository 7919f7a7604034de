/// One step of the schema. Its name orders it; a landed one never changes.
package struct Migration: Sendable, Hashable {
    /// Such as `m0001_tenancy`. Compared by bytes; each sorts after the one before.
    package let name: String
    package let sql: [UInt8]

    package init(name: String, sql: [UInt8]) {
        self.name = name
        self.sql = sql
    }
}

/// How a database's schema stands to the migrations of this build.
package enum SchemaStatus: Sendable, Hashable {
    case current
    /// These have not landed yet; run `holdfast migrate`.
    case behind(missing: [String])
    /// The database has migrations that this build does not know: it is an older build.
    case ahead
    /// A landed migration is not the one of this build, or one is missing before a landed one.
    case changed(String)
}

/// Brings a schema forward, one transaction per migration, never back.
///
/// ```
///   lock (bounded wait) ─▶ landed checksums = ours? ─▶ for each missing: BEGIN, its SQL,
///                                                      a row in holdfast_migration, COMMIT
/// ```
///
/// Two migrators may start together: one waits for the other and then finds nothing to do.
package struct Migrator: Sendable {
    /// How long a migrator waits for another one.
    package static let lockTimeout: Duration = .seconds(60)
    /// How long one migration may take.
    package static let migrationTimeout: Duration = .seconds(600)
    /// Any number that nothing else in the database locks.
    private static let lockKey: Int64 = 0x686F_6C64_6661_7374

    private let migrations: [Migration]
    private let lockTimeout: Duration

    package init(migrations: [Migration], lockTimeout: Duration = Migrator.lockTimeout) {
        self.migrations = migrations
        self.lockTimeout = lockTimeout
    }

    /// Where the schema stands. Services that do not see `current` must not start.
    package func status(_ connection: Connection) throws(PostgresError) -> SchemaStatus {
        let landed = try landedMigrations(connection)
        let checksums = try checksums(connection)
        var unknown = landed
        var missing: [String] = []
        var changed: String?
        for (migration, checksum) in zip(migrations, checksums) {
            let index = unknown.firstIndex { isSame($0.name, migration.name) }
            guard let index else {
                missing.append(migration.name)
                continue
            }
            // A hole before a landed one: the two histories are not the same.
            if let hole = missing.first { changed = changed ?? hole }
            if unknown[index].checksum != checksum { changed = changed ?? migration.name }
            unknown.remove(at: index)
        }
        if let changed { return .changed(changed) }
        if !unknown.isEmpty { return .ahead }
        return missing.isEmpty ? .current : .behind(missing: missing)
    }

    /// Applies what is missing and returns the names; `progress` hears each before it runs.
    ///
    /// Throws `migration` if a landed one changed, the database is ahead, or another migrator
    /// holds the lock for too long; what a migration itself throws comes with its name.
    @discardableResult
    package func migrate(
        _ connection: Connection, progress: (String) -> Void = { _ in }
    ) throws(PostgresError) -> [String] {
        try requireOrder()
        try lock(connection)
        do throws(PostgresError) {
            let applied = try applyMissing(connection, progress)
            try unlock(connection)
            return applied
        } catch {
            // The lock belongs to the session; one that cannot unlock must not be lent again.
            do { try unlock(connection) } catch { connection.close() }
            throw error
        }
    }

    private func applyMissing(
        _ connection: Connection, _ progress: (String) -> Void
    ) throws(PostgresError) -> [String] {
        try createTable(connection)
        switch try status(connection) {
        case .current: return []
        case .ahead:
            throw PostgresError(
                .migration, "the database is newer than this build; use the newer build")
        case .changed(let name):
            throw PostgresError(
                .migration,
                "migration \(name) is not what landed in this database; a landed migration never "
                    + "changes, so restore it and write a new one")
        case .behind(let missing):
            for migration in migrations
            where missing.contains(where: { isSame($0, migration.name) }) {
                progress(migration.name)
                try apply(migration, connection)
            }
            return missing
        }
    }

    private func apply(
        _ migration: Migration, _ connection: Connection
    ) throws(PostgresError) {
        try connection.execute(script: "begin")
        do throws(PostgresError) {
            let before = try transactionID(connection)
            try connection.execute(script: migration.sql, within: Migrator.migrationTimeout)
            // A COMMIT inside the text would leave half a migration behind when the rest fails.
            guard connection.isInHealthyTransaction, try transactionID(connection) == before else {
                throw PostgresError(.migration, "it ends its own transaction; leave that to us")
            }
            _ = try connection.query(
                """
                insert into public.holdfast_migration (name, checksum)
                values (\(migration.name), sha256(\(migration.sql)))
                """)
            try connection.execute(script: "commit")
        } catch {
            do { try connection.execute(script: "rollback") } catch { connection.close() }
            throw error.prefixed("migration \(migration.name)")
        }
    }

    // MARK: - the database's side

    private func transactionID(_ connection: Connection) throws(PostgresError) -> Int64? {
        try connection.query("select txid_current()").first?.decode(Int64.self, at: 0)
    }

    /// Everybody may read it: a service must see an older schema to refuse to start on it.
    private func createTable(_ connection: Connection) throws(PostgresError) {
        try connection.execute(
            script: """
                begin;
                create table if not exists public.holdfast_migration (
                    name text collate "C" primary key,
                    checksum bytea not null check (length(checksum) = 32),
                    applied_at timestamptz not null default clock_timestamp()
                );
                grant select on public.holdfast_migration to public;
                commit;
                """)
    }

    private func landedMigrations(
        _ connection: Connection
    ) throws(PostgresError) -> [(name: String, checksum: [UInt8])] {
        let exists = try connection.query(
            "select to_regclass('public.holdfast_migration') is not null")
        guard try exists.first?.decode(Bool.self, at: 0) == true else { return [] }
        let rows = try connection.query(
            "select name, checksum from public.holdfast_migration order by name")
        var landed: [(name: String, checksum: [UInt8])] = []
        for row in rows { landed.append((try row.decode("name"), try row.decode("checksum"))) }
        return landed
    }

    /// By the server's own `sha256`: this module knows no cryptography.
    private func checksums(_ connection: Connection) throws(PostgresError) -> [[UInt8]] {
        let rows = try connection.query(
            """
            select sha256(t.sql) from unnest(\(migrations.map(\.sql))) with ordinality as t(sql, n)
            order by t.n
            """)
        var sums: [[UInt8]] = []
        for row in rows { sums.append(try row.decode(at: 0)) }
        return sums
    }

    /// Held by the session over all the transactions; the wait is bounded by the server.
    private func lock(_ connection: Connection) throws(PostgresError) {
        let limit = String(max(1, lockTimeout.components.seconds * 1_000))
        do throws(PostgresError) {
            try connection.execute(script: "begin")
            _ = try connection.query("select set_config('lock_timeout', \(limit), true)")
            _ = try connection.query("select set_config('statement_timeout', '0', true)")
            _ = try connection.query(
                "select pg_advisory_lock(\(Migrator.lockKey))",
                within: lockTimeout + .seconds(5))
            try connection.execute(script: "commit")
        } catch {
            do { try connection.execute(script: "rollback") } catch { connection.close() }
            guard error.sqlState == "55P03" else { throw error }
            throw PostgresError(
                .migration, "another migration is running; wait for it and try again")
        }
    }

    private func unlock(_ connection: Connection) throws(PostgresError) {
        _ = try connection.query("select pg_advisory_unlock(\(Migrator.lockKey))")
    }

    private func requireOrder() throws(PostgresError) {
        for (first, second) in zip(migrations, migrations.dropFirst())
        where !first.name.utf8.lexicographicallyPrecedes(second.name.utf8) {
            throw PostgresError(
                .migration, "\(second.name) must sort after \(first.name), by bytes")
        }
    }
}

/// By bytes: Unicode's equality is not the database's.
private func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8)
}
