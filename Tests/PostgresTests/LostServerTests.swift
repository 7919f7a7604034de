import Glibc
import Operator
import Postgres
import TestSupport
import Testing

/// What happens to a pool when its server is stopped, killed, or restarted. Each test has a server
/// of its own and touches no other.
@Suite struct LostServerTests {
    /// Far above any deadline used here; a hang is what it tells apart.
    private static let patience: Duration = .seconds(10)

    private func pool(_ server: PrivatePostgres, query: Duration = .seconds(60)) throws -> Pool {
        var settings = PoolSettings(url: server.url(role: "holdfast_operator"))
        settings.maximumConnections = 1
        settings.connectTimeout = .milliseconds(500)
        settings.queryTimeout = query
        return try Pool(settings)
    }

    private func one(_ pool: Pool) throws -> Int {
        try pool.withConnection { try $0.query("select 1").count }
    }

    /// Until a restarted server accepts connections there is nothing to wait on but itself.
    private func heals(_ pool: Pool) -> Bool {
        becomesTrue(within: .seconds(60)) { (try? one(pool)) == 1 }
    }

    @Test func aStoppedServerIsADeadlineAndThePoolHealsWhenItGoesOn() throws {
        let server = try makeOwnServer()
        defer { server.remove() }
        let pool = try pool(server, query: .milliseconds(500))
        let backend = try pool.withConnection { $0.backendPID }
        kill(backend, SIGSTOP)
        defer { kill(backend, SIGCONT) }
        server.send(.stop)

        let begin = ContinuousClock.now
        let inUse = #expect(throws: PostgresError.self) { try one(pool) }
        #expect(inUse?.code == .deadlineExceeded)
        let connecting = #expect(throws: PostgresError.self) { try one(pool) }
        #expect(connecting?.code == .deadlineExceeded)
        let inTransaction = #expect(throws: PostgresError.self) { try pool.transaction { _ in } }
        #expect(inTransaction?.code == .deadlineExceeded)
        #expect(ContinuousClock.now - begin < LostServerTests.patience)
        #expect(pool.counts.open == 0)

        server.send(.resume)
        kill(backend, SIGCONT)
        #expect(heals(pool))
    }

    @Test func aServerStoppedInsideATransactionLeavesNothingOfIt() throws {
        let server = try makeOwnServer()
        defer { server.remove() }
        let admin = try Pool(PoolSettings(url: server.url()))
        try admin.withConnection {
            try $0.execute(
                script: """
                    create table mark (v int);
                    grant all on mark to holdfast_operator
                    """)
        }
        admin.close()
        let pool = try pool(server, query: .milliseconds(500))
        let begin = ContinuousClock.now
        var backend: Int32 = 0
        defer { if backend > 0 { kill(backend, SIGCONT) } }
        let error = #expect(throws: PostgresError.self) {
            try pool.transaction { connection in
                _ = try connection.query("insert into public.mark values (1)")
                backend = connection.backendPID
                kill(backend, SIGSTOP)
            }
        }
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.message.contains("unknown") == true)
        #expect(ContinuousClock.now - begin < LostServerTests.patience)
    }

    @Test func aQueryUnderAKilledBackendIsAConnectionLost() throws {
        let server = try makeOwnServer()
        defer { server.remove() }
        let pool = try pool(server)
        let error = #expect(throws: PostgresError.self) {
            try pool.withConnection { connection in
                kill(connection.backendPID, SIGKILL)
                _ = try connection.query("select pg_sleep(20)")
            }
        }
        #expect(error?.code == .connectionLost)
        #expect(heals(pool))
    }

    @Test func aKilledServerIsNamedAndThePoolHealsAfterItsRestart() throws {
        let server = try makeOwnServer()
        defer { server.remove() }
        let pool = try pool(server)
        let postmaster = try #require(server.pid)
        let backend = try pool.withConnection { $0.backendPID }
        server.send(.kill)
        #expect(becomesTrue { server.pid == nil })
        #expect(becomesTrue { kill(backend, 0) != 0 })
        let error = #expect(throws: PostgresError.self) { try one(pool) }
        #expect(error?.code == .connectFailed)
        // The other processes of the dead server may hold its memory for a moment.
        #expect(becomesTrue { (try? server.start()) != nil })
        #expect(server.pid != postmaster)
        #expect(heals(pool))
    }

    @Test func aRestartBetweenTwoQueriesIsNotEvenSeen() throws {
        let server = try makeOwnServer()
        defer { server.remove() }
        let pool = try pool(server)
        #expect(try one(pool) == 1)
        server.stop()
        #expect(server.pid == nil)
        try server.start()
        #expect(try one(pool) == 1)
        #expect(pool.counts.opened == 2)
    }

    @Test func aShutdownUnderAQueryIsAConnectionLostWithTheServersReason() throws {
        let server = try makeOwnServer()
        defer { server.remove() }
        let (pool, watcher) = (try pool(server), try pool(server))
        // Once the query runs, and not before: an idle session would end without a word to it.
        let ending = ParallelWork {
            let isUnderWay = try becomesTrue {
                try watcher.withConnection { connection in
                    try connection.query(
                        """
                        select from pg_stat_activity
                        where state = 'active' and query like 'select pg_sleep%'
                        """
                    ).count == 1
                }
            }
            server.send(.interrupt)
            return isUnderWay
        }
        let error = #expect(throws: PostgresError.self) {
            try pool.withConnection { _ = try $0.query("select pg_sleep(20)") }
        }
        #expect(try ending.value())
        #expect(error?.code == .connectionLost)
        #expect(error?.sqlState == "57P01")
    }
}
