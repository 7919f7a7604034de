import FoundationEssentials
import Postgres
import TestSupport
import Testing

/// Case PG-01: a tenant that stays on a pooled connection is the next borrower's tenant.
///
/// Everything runs over a table of the test's own, under forced row-level security that raises
/// when no tenant is set, as the role of the command line.
@Suite(.database) struct TenantIsolationTests {
    private struct Refused: Error {}

    private let tenantA = UUID()
    private let tenantB = UUID()

    /// A pool of `size` over a table in which each tenant has rows marked with its id.
    private func pool(size: Int = 1, query: Duration = .seconds(60)) throws -> Pool {
        let database = try Database.current()
        try database.superuser.withConnection { connection in
            try connection.execute(script: TenantIsolationTests.table)
            for tenant in [tenantA, tenantB] {
                let marker = tenant.uuidString
                _ = try connection.query(
                    """
                    insert into probe.thing
                    select \(tenant), n, \(marker) from generate_series(1, 20) as n
                    """)
            }
        }
        var settings = PoolSettings(url: try database.url(role: "holdfast_operator"))
        settings.maximumConnections = size
        settings.acquireTimeout = .seconds(60)
        settings.connectTimeout = .seconds(60)
        settings.queryTimeout = query
        return try Pool(settings)
    }

    private static let table = """
        create schema probe;
        grant usage on schema probe to holdfast_operator;
        create function probe.tenant() returns uuid language plpgsql stable as $$
        declare v text := pg_catalog.current_setting('holdfast.tenant_id', true);
        begin
          if v is null or v = '' then raise 'tenant not set' using errcode = '42501'; end if;
          return v::pg_catalog.uuid;
        end $$;
        create table probe.thing (tenant_id uuid, n int, marker text, primary key (tenant_id, n));
        alter table probe.thing enable row level security;
        alter table probe.thing force row level security;
        create policy tenant on probe.thing using (tenant_id = (select probe.tenant()))
          with check (tenant_id = (select probe.tenant()));
        grant select, insert, update, delete on probe.thing to holdfast_operator;
        """

    private func enter(_ tenant: UUID, _ connection: Connection, local: Bool = true) throws {
        let id = tenant.uuidString
        _ = try connection.query("select set_config('holdfast.tenant_id', \(id), \(local))")
    }

    /// The markers a transaction of this tenant sees.
    private func markers(_ pool: Pool, of tenant: UUID) throws -> [String] {
        try pool.transaction { connection in
            try enter(tenant, connection)
            let rows = try connection.query("select marker from probe.thing")
            return try rows.map { try $0.decode(String.self, "marker") }
        }
    }

    private func expectOnlyOwnRows(_ pool: Pool, of tenant: UUID) throws {
        let seen = try markers(pool, of: tenant)
        #expect(seen.count == 20)
        #expect(Set(seen) == [tenant.uuidString])
    }

    private func expectRefusedWithoutTenant(_ pool: Pool) {
        for query in [
            "select marker from probe.thing",
            "insert into probe.thing values (\(tenantA), 99, 'planted')",
            "update probe.thing set marker = 'planted'", "delete from probe.thing",
        ] as [Query] {
            let plain = #expect(throws: PostgresError.self) {
                try pool.withConnection { _ = try $0.query(query) }
            }
            #expect(plain?.sqlState == "42501")
            let inTransaction = #expect(throws: PostgresError.self) {
                try pool.transaction { _ = try $0.query(query) }
            }
            #expect(inTransaction?.sqlState == "42501")
        }
    }

    @Test func theNextTenantSeesItsOwnRowsAfterOneThatWorked() throws {
        let pool = try pool()
        try expectOnlyOwnRows(pool, of: tenantA)
        try expectOnlyOwnRows(pool, of: tenantB)
        expectRefusedWithoutTenant(pool)
        #expect(pool.counts.opened == 1)
        #expect(pool.counts.leakedSettings == 0)
    }

    @Test func theNextTenantSeesItsOwnRowsAfterAnErrorInsideTheTransaction() throws {
        let pool = try pool()
        let server = #expect(throws: PostgresError.self) {
            try pool.transaction { connection in
                try enter(tenantA, connection)
                _ = try connection.query("select 1 / 0")
            }
        }
        #expect(server?.sqlState == "22012")
        expectRefusedWithoutTenant(pool)
        #expect(throws: Refused.self) {
            try pool.transaction { connection in
                try enter(tenantA, connection)
                throw Refused()
            }
        }
        expectRefusedWithoutTenant(pool)
        try expectOnlyOwnRows(pool, of: tenantB)
        #expect(pool.counts.opened == 1)
    }

    @Test func theNextTenantSeesItsOwnRowsAfterATimeout() throws {
        let pool = try pool(query: .seconds(5))
        let error = #expect(throws: PostgresError.self) {
            try pool.transaction { connection in
                try enter(tenantA, connection)
                _ = try connection.query("select pg_sleep(20)", within: .milliseconds(100))
            }
        }
        #expect(error?.code == .deadlineExceeded)
        #expect(pool.counts.open == 0)
        try expectOnlyOwnRows(pool, of: tenantB)
        expectRefusedWithoutTenant(pool)
    }

    @Test func theNextTenantSeesItsOwnRowsAfterAStatementTheServerEnded() throws {
        let pool = try pool()
        let error = #expect(throws: PostgresError.self) {
            try pool.transaction { connection in
                try enter(tenantA, connection)
                try connection.execute(script: "set local statement_timeout = '50ms'")
                _ = try connection.query("select pg_sleep(20)")
            }
        }
        #expect(error?.sqlState == "57014")
        expectRefusedWithoutTenant(pool)
        try expectOnlyOwnRows(pool, of: tenantB)
    }

    @Test func aTenantCannotWriteForAnother() throws {
        let pool = try pool()
        let error = #expect(throws: PostgresError.self) {
            try pool.transaction { connection in
                try enter(tenantA, connection)
                _ = try connection.query("insert into probe.thing values (\(tenantB), 99, 'x')")
            }
        }
        #expect(error?.sqlState == "42501")
        let changed = try pool.transaction { connection in
            try enter(tenantA, connection)
            return try connection.query(
                "update probe.thing set marker = 'x' where tenant_id = \(tenantB)"
            ).affected
        }
        #expect(changed == 0)
        try expectOnlyOwnRows(pool, of: tenantB)
    }

    @Test func aTenantLeftOnTheSessionClosesTheConnection() throws {
        let pool = try pool()
        try pool.transaction { try enter(tenantA, $0, local: false) }
        #expect(pool.counts.leakedSettings == 1)
        #expect(pool.counts.open == 0)
        expectRefusedWithoutTenant(pool)

        // Outside a transaction, as a careless job would; this check is in debug builds.
        try pool.withConnection { try enter(tenantA, $0, local: false) }
        #expect(pool.counts.leakedSettings == 2)
        expectRefusedWithoutTenant(pool)

        // And before an error: a rollback takes a session's setting back with it.
        #expect(throws: Refused.self) {
            try pool.transaction { connection in
                try enter(tenantA, connection, local: false)
                throw Refused()
            }
        }
        #expect(pool.counts.leakedSettings == 2)
        expectRefusedWithoutTenant(pool)
        try expectOnlyOwnRows(pool, of: tenantB)
    }

    @Test func aThousandMixedTransactionsOverFewConnectionsNeverMeet() throws {
        let pool = try pool(size: 3)
        let threads = 10
        let tenants = [tenantA, tenantB]
        let work = (0..<threads).map { thread in
            ParallelWork { try mixedTransactions(pool, tenants, thread: thread, count: 100) }
        }
        var seen = 0
        for one in work { seen += try one.value() }
        // 60 of 100 read 20 rows each; the others fail, throw or have no tenant.
        #expect(seen == threads * 60 * 20)
        #expect(pool.counts.leakedSettings == 0)
        for tenant in tenants { try expectOnlyOwnRows(pool, of: tenant) }
    }

    /// The number of rows seen. Throws if one of them was another tenant's.
    private func mixedTransactions(
        _ pool: Pool, _ tenants: [UUID], thread: Int, count: Int
    ) throws -> Int {
        var seen = 0
        for turn in 0..<count {
            let tenant = tenants[(thread + turn) % tenants.count]
            switch turn % 5 {
            case 0, 1, 2:
                let rows = try markers(pool, of: tenant)
                guard rows.allSatisfy({ $0 == tenant.uuidString }) else { throw Refused() }
                seen += rows.count
            case 3:
                // Fails half-way, on the server or here.
                try? pool.transaction { connection in
                    try enter(tenant, connection)
                    if turn % 2 == 0 { throw Refused() }
                    _ = try connection.query("select 1 / 0")
                }
            default:
                let rows = try? pool.withConnection { try $0.query("select from probe.thing") }
                guard rows == nil else { throw Refused() }
            }
        }
        return seen
    }
}
