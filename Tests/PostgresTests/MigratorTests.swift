import Postgres
import TestSupport
import Testing

/// Each test starts from a database without any migration.
@Suite(.database) struct MigratorTests {
    private let first = Migration(name: "m0001_a", sql: Array("create table a (v int);".utf8))
    private let second = Migration(
        name: "m0002_b", sql: Array("create table b (v int); insert into a values (1);".utf8))

    private func emptyDatabase() throws -> Pool {
        let database = try Database.current()
        let pool = database.superuser
        try pool.withConnection {
            try $0.execute(script: "drop table public.holdfast_migration")
        }
        return pool
    }

    private func tables(_ pool: Pool) throws -> [String] {
        try pool.withConnection { connection in
            let rows = try connection.query(
                "select tablename from pg_tables where schemaname = 'public' order by 1")
            return try rows.map { try $0.decode(String.self, at: 0) }
        }
    }

    @Test func migrationsLandInOrderAndOnce() throws {
        let pool = try emptyDatabase()
        let migrator = Migrator(migrations: [first, second])
        try pool.withConnection { connection in
            let before = try migrator.status(connection)
            #expect(before == .behind(missing: ["m0001_a", "m0002_b"]))
            var heard: [String] = []
            let applied = try migrator.migrate(connection) { heard.append($0) }
            #expect(applied == ["m0001_a", "m0002_b"])
            #expect(heard == applied)
            #expect(try migrator.status(connection) == .current)
            #expect(try migrator.migrate(connection) == [])
        }
        #expect(try tables(pool) == ["a", "b", "holdfast_migration"])
    }

    @Test func theChecksumIsThatOfTheText() throws {
        let pool = try emptyDatabase()
        try pool.withConnection { connection in
            try Migrator(migrations: [Migration(name: "m1", sql: Array("select 1".utf8))])
                .migrate(connection)
            let row = try connection.query(
                "select encode(checksum, 'hex') as sum from holdfast_migration"
            ).first
            let sum = try row?.decode(String.self, "sum")
            // `printf 'select 1' | sha256sum`
            #expect(sum == "822ae07d4783158bc1912bb623e5107cc9002d519e1143a9c200ed6ee18b6d0f")
        }
    }

    @Test func aBuildKnowsWhetherItIsBehindOrAhead() throws {
        let pool = try emptyDatabase()
        try pool.withConnection { connection in
            try Migrator(migrations: [first]).migrate(connection)
            let newer = Migrator(migrations: [first, second])
            #expect(try newer.status(connection) == .behind(missing: ["m0002_b"]))
            #expect(try newer.migrate(connection) == ["m0002_b"])
            let older = Migrator(migrations: [first])
            #expect(try older.status(connection) == .ahead)
            let error = #expect(throws: PostgresError.self) { try older.migrate(connection) }
            #expect(error?.code == .migration)
        }
    }

    @Test func aChangedMigrationIsRefused() throws {
        let pool = try emptyDatabase()
        try pool.withConnection { connection in
            try Migrator(migrations: [first]).migrate(connection)
            let edited = Migrator(migrations: [Migration(name: first.name, sql: [0x20]), second])
            #expect(try edited.status(connection) == .changed("m0001_a"))
            let error = #expect(throws: PostgresError.self) { try edited.migrate(connection) }
            #expect(error?.code == .migration)
            #expect(error?.message.contains("m0001_a") == true)
        }
        #expect(try tables(pool) == ["a", "holdfast_migration"])
    }

    @Test func aMigrationSlippedInBeforeALandedOneIsRefused() throws {
        let pool = try emptyDatabase()
        try pool.withConnection { connection in
            try Migrator(migrations: [second.renamed("m0003"), first.renamed("m0004")].reversed())
                .requireRefusal(connection)
            try Migrator(migrations: [first.renamed("m0002")]).migrate(connection)
            let slipped = Migrator(migrations: [second.renamed("m0001"), first.renamed("m0002")])
            #expect(try slipped.status(connection) == .changed("m0001"))
            try slipped.requireRefusal(connection)
        }
    }

    @Test(arguments: [
        "create table c (v int); select 1 / 0;", "create table c (v int); nonsense",
        "create table c (v int); commit;", "create table c (v int); rollback; begin;",
    ])
    func aFailingMigrationLeavesNothing(sql: String) throws {
        let pool = try emptyDatabase()
        let bad = Migration(name: "m0002_bad", sql: Array(sql.utf8))
        try pool.withConnection { connection in
            let migrator = Migrator(migrations: [first, bad])
            let error = #expect(throws: PostgresError.self) { try migrator.migrate(connection) }
            #expect(error?.message.contains("m0002_bad") == true)
            let status = try migrator.status(connection)
            #expect(status == .behind(missing: ["m0002_bad"]))
        }
        let left = try tables(pool)
        // A text that commits has committed; it is refused and does not count as landed.
        #expect(left.contains("c") == sql.contains("commit"))
        #expect(pool.counts.open == 1)
    }

    @Test func twoMigratorsRaceAndBothEndCurrent() throws {
        let pool = try emptyDatabase()
        let slow = Migration(
            name: "m0001_slow", sql: Array("select pg_sleep(0.3); create table s (v int);".utf8))
        let migrator = Migrator(migrations: [slow, second.renamed("m0002", "create table z ()")])
        let racers = (0..<2).map { _ in
            ParallelWork { try pool.withConnection { try migrator.migrate($0) } }
        }
        let applied = try racers.map { try $0.value() }
        #expect(applied.map(\.count).sorted() == [0, 2])
        let statuses = try (0..<2).map { _ in try pool.withConnection(migrator.status) }
        #expect(statuses == [.current, .current])
    }

    @Test func aMigratorDoesNotWaitForEver() throws {
        let pool = try emptyDatabase()
        let migrator = Migrator(migrations: [first], lockTimeout: .milliseconds(100))
        let error = try pool.withConnection { holder in
            // The migrator's own number.
            _ = try holder.query("select pg_advisory_lock(\(0x686F_6C64_6661_7374 as Int64))")
            defer { try? holder.execute(script: "select pg_advisory_unlock_all()") }
            return #expect(throws: PostgresError.self) {
                try pool.withConnection { try migrator.migrate($0) }
            }
        }
        #expect(error?.code == .migration)
        #expect(try pool.withConnection { try migrator.migrate($0) } == ["m0001_a"])
    }

    @Test func everyRoleMaySeeWhereTheSchemaStands() throws {
        let database = try Database.current()
        let migrator = Migrator(migrations: [first])
        for pool in [database.operator, database.responder, database.migrator] {
            // The template holds the product's own migrations, which this list does not know.
            #expect(try pool.withConnection(migrator.status) != .current)
        }
    }

    @Test func aServiceMayNotMigrate() throws {
        let responder = try Database.current().responder
        let error = #expect(throws: PostgresError.self) {
            try responder.withConnection { connection in
                _ = try connection.query("delete from public.holdfast_migration")
            }
        }
        #expect(error?.sqlState == "42501")
    }
}

extension Migration {
    fileprivate func renamed(_ name: String, _ sql: String? = nil) -> Migration {
        Migration(name: name, sql: sql.map { Array($0.utf8) } ?? self.sql)
    }
}

extension Migrator {
    fileprivate func requireRefusal(_ connection: Connection) throws {
        let error = #expect(throws: PostgresError.self) { try migrate(connection) }
        #expect(error?.code == .migration)
    }
}
