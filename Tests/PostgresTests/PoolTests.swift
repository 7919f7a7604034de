import Dispatch
import Postgres
import TestSupport
import Testing

@Suite(.database) struct PoolTests {
    private func pool(
        maximumConnections: Int = 1, acquireTimeout: Duration = .seconds(60)
    ) throws -> Pool {
        var settings = PoolSettings(url: try Database.current().url(role: "postgres"))
        settings.maximumConnections = maximumConnections
        settings.acquireTimeout = acquireTimeout
        settings.connectTimeout = .seconds(60)
        settings.queryTimeout = .seconds(60)
        settings.applicationName = "pool tests"
        return try Pool(settings)
    }

    @Test func aConnectionIsUsedAgain() throws {
        let pool = try pool(maximumConnections: 3)
        let first = try pool.withConnection { $0.backendPID }
        let second = try pool.transaction { $0.backendPID }
        #expect(first == second)
        #expect(pool.counts.opened == 1)
    }

    @Test func warmingUpOpensAllAndNamesThem() throws {
        let pool = try pool(maximumConnections: 3)
        try pool.warmUp()
        #expect(pool.counts.open == 3)
        #expect(pool.counts.idle == 3)
        let named = try pool.withConnection {
            try $0.query(
                """
                select from pg_stat_activity
                where application_name = 'pool tests' and datname = current_database()
                """
            ).count
        }
        #expect(named == 3)
    }

    @Test func anExhaustedPoolIsAnErrorByName() throws {
        let pool = try pool(acquireTimeout: .milliseconds(100))
        let error = try pool.withConnection { _ in
            #expect(throws: PostgresError.self) { try pool.withConnection { _ in } }
        }
        #expect(error?.code == .poolExhausted)
        #expect(try pool.withConnection { try $0.query("select 1").count } == 1)
    }

    @Test func aWaitingBorrowerGetsTheConnectionThatComesBack() throws {
        let pool = try pool()
        let lent = DispatchSemaphore(value: 0)
        let release = DispatchSemaphore(value: 0)
        let holder = ParallelWork {
            try pool.withConnection { connection in
                lent.signal()
                _ = release.wait(timeout: .now() + .seconds(60))
                return connection.backendPID
            }
        }
        #expect(lent.wait(timeout: .now() + .seconds(60)) == .success)
        let waiter = ParallelWork { try pool.withConnection { $0.backendPID } }
        release.signal()
        #expect(try holder.value() == waiter.value())
    }

    @Test func aConnectionEndedWhileIdleIsReplacedWithoutAnError() throws {
        let pool = try pool(maximumConnections: 2)
        try pool.warmUp()
        let ended = try Database.current().superuser.withConnection {
            try $0.query(
                """
                select pg_terminate_backend(pid, 30000) from pg_stat_activity
                where application_name = 'pool tests' and datname = current_database()
                """
            ).count
        }
        #expect(ended == 2)
        for _ in 1...3 {
            #expect(try pool.withConnection { try $0.query("select 1").count } == 1)
        }
        #expect(pool.counts.opened == 3)
        #expect(pool.counts.open == 1)
    }

    @Test func aConnectionEndedInUseIsAnErrorByNameAndThenReplaced() throws {
        let pool = try pool()
        let superuser = try Database.current().superuser
        let error = #expect(throws: PostgresError.self) {
            try pool.withConnection { connection in
                let pid = connection.backendPID
                try superuser.withConnection {
                    _ = try $0.query("select pg_terminate_backend(\(pid), 30000)")
                }
                _ = try connection.query("select 1")
            }
        }
        #expect(error?.code == .connectionLost)
        #expect(try pool.withConnection { try $0.query("select 1").count } == 1)
        #expect(pool.counts.opened == 2)
    }

    @Test func aLateAnswerClosesItsConnectionAndNobodyElseReadsIt() throws {
        let pool = try pool()
        let error = #expect(throws: PostgresError.self) {
            try pool.withConnection { connection in
                _ = try connection.query("select 'late' as v", within: .seconds(60))
                _ = try connection.query("select pg_sleep(30)", within: .milliseconds(50))
            }
        }
        #expect(error?.code == .deadlineExceeded)
        let value = try pool.withConnection {
            try $0.query("select 'mine' as v").first?.decode(String.self, "v")
        }
        #expect(value == "mine")
        #expect(pool.counts.opened == 2)
    }

    @Test func aBrokenConnectionGoesOnSayingWhy() throws {
        let pool = try pool()
        try pool.withConnection { connection in
            for _ in 1...2 {
                let error = #expect(throws: PostgresError.self) {
                    _ = try connection.query("select pg_sleep(30)", within: .milliseconds(50))
                }
                #expect(error?.code == .deadlineExceeded)
            }
        }
        #expect(pool.counts.open == 0)
    }

    @Test func aClosedPoolLendsNothingAndClosesWhatComesBack() throws {
        let pool = try pool(maximumConnections: 2)
        try pool.withConnection { _ in pool.close() }
        let error = #expect(throws: PostgresError.self) { try pool.withConnection { _ in } }
        #expect(error?.code == .closed)
        #expect(pool.counts.open == 0)
    }

    @Test func closingWakesThoseWhoWait() throws {
        let pool = try pool()
        let lent = DispatchSemaphore(value: 0)
        let waiter = try pool.withConnection { _ in
            let waiter = ParallelWork {
                lent.signal()
                try pool.withConnection { _ in }
            }
            _ = lent.wait(timeout: .now() + .seconds(60))
            pool.close()
            return waiter
        }
        let error = #expect(throws: PostgresError.self) { try waiter.value() }
        #expect(error?.code == .closed)
    }

    @Test func manyBorrowersShareFewConnections() throws {
        let pool = try pool(maximumConnections: 3)
        let work = (0..<12).map { number in
            ParallelWork {
                for turn in 0..<25 {
                    let sent = number * 1_000 + turn
                    let row = try pool.withConnection { try $0.query("select \(sent) as v").first }
                    guard try row?.decode(Int.self, "v") == sent else { return false }
                }
                return true
            }
        }
        for one in work { #expect(try one.value()) }
        #expect(pool.counts.opened <= 3)
        #expect(pool.counts.idle == pool.counts.open)
    }
}
