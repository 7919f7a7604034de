import Postgres
import TestSupport
import Testing

@Suite(.database) struct TransactionTests {
    private struct Refused: Error {}

    private func pool() throws -> Pool {
        let pool = try Database.current().superuser
        try pool.withConnection {
            try $0.execute(
                script: """
                    create table entry (id int primary key);
                    create table child (id int,
                      constraint child_entry foreign key (id) references entry
                        deferrable initially deferred);
                    """)
        }
        return pool
    }

    private func count(_ pool: Pool) throws -> Int64? {
        try pool.withConnection {
            try $0.query("select count(*) from entry").first?.decode(Int64.self, at: 0)
        }
    }

    @Test func workThatReturnsIsCommitted() throws {
        let pool = try pool()
        let answer = try pool.transaction { connection in
            _ = try connection.query("insert into entry values (1)")
            return "done"
        }
        #expect(answer == "done")
        #expect(try count(pool) == 1)
    }

    @Test func workThatThrowsIsRolledBackAndTheErrorPassedOn() throws {
        let pool = try pool()
        #expect(throws: Refused.self) {
            try pool.transaction { connection in
                _ = try connection.query("insert into entry values (1)")
                throw Refused()
            }
        }
        #expect(try count(pool) == 0)
        #expect(pool.counts.opened == 1)
    }

    @Test func aSwallowedErrorDoesNotLookCommitted() throws {
        let pool = try pool()
        let error = #expect(throws: PostgresError.self) {
            try pool.transaction { connection in
                _ = try connection.query("insert into entry values (1)")
                _ = try? connection.query("insert into entry values (1)")
            }
        }
        #expect(error?.code == .transactionAborted)
        #expect(try count(pool) == 0)
    }

    @Test func aTransactionEndedByItsBodyIsRefused() throws {
        let pool = try pool()
        let error = #expect(throws: PostgresError.self) {
            try pool.transaction { try $0.execute(script: "commit") }
        }
        #expect(error?.code == .transactionAborted)
    }

    @Test func aDeferredConstraintSpeaksAtTheEnd() throws {
        let pool = try pool()
        let error = #expect(throws: PostgresError.self) {
            try pool.transaction { _ = try $0.query("insert into child values (7)") }
        }
        #expect(error?.constraint == "child_entry")
        #expect(try count(pool) == 0)
    }

    @Test func aTransactionLeftOpenNeverComesBackToThePool() throws {
        let pool = try pool()
        try pool.withConnection { connection in
            try connection.execute(script: "begin")
            _ = try connection.query("insert into entry values (1)")
        }
        #expect(pool.counts.open == 0)
        #expect(try count(pool) == 0)
    }

    @Test func aConnectionLostInsideIsNamedAndNothingStays() throws {
        let pool = try pool()
        let error = #expect(throws: PostgresError.self) {
            try pool.transaction { connection in
                _ = try connection.query("insert into entry values (1)")
                _ = try connection.query("select pg_terminate_backend(pg_backend_pid())")
            }
        }
        #expect(error?.code == .connectionLost)
        #expect(error?.sqlState == "57P01")
        #expect(try count(pool) == 0)
    }
}
