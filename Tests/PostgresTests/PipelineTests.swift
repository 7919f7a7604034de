import Foundation
import Glibc
import Operator
import Postgres
import TestSupport
import Testing

/// Several statements in one round trip, with the deadlines and errors of a single one.
@Suite(.database) struct PipelineTests {
    private func pool() throws -> Pool {
        let pool = try Database.current().superuser
        try pool.withConnection {
            try $0.execute(script: "create table entry (id int primary key, note text)")
        }
        return pool
    }

    private func count(_ pool: Pool) throws -> Int64? {
        try pool.withConnection {
            try $0.query("select count(*) from entry").first?.decode(Int64.self, at: 0)
        }
    }

    @Test func `answers come in the order of the statements`() throws {
        let pool = try pool()
        let answers = try pool.withConnection { (connection: Connection) throws in
            try connection.pipeline([
                "insert into entry values (1, \("a")), (2, \("b"))",
                "select note from entry order by id", "select \(7) as seven",
            ])
        }
        #expect(answers.map(\.count) == [0, 2, 1])
        #expect(answers[0].affected == 2)
        #expect(try answers[1].map { try $0.decode(String.self, at: 0) } == ["a", "b"])
        #expect(try answers[2].first?.decode(Int.self, "seven") == 7)
    }

    @Test func `nothing is an answer of nothing`() throws {
        let pool = try pool()
        #expect(try pool.withConnection { try $0.pipeline([]).count } == 0)
    }

    @Test func `an error ends it, undoes what came before, and the connection goes on`() throws {
        let pool = try pool()
        try pool.withConnection { (connection: Connection) throws in
            for _ in 0..<2 {
                let error = #expect(throws: PostgresError.self) {
                    try connection.pipeline([
                        "insert into entry values (1, 'a')", "insert into entry values (1, 'b')",
                        "insert into entry values (2, 'c')",
                    ])
                }
                #expect(error?.sqlState == "23505")
                #expect(error?.constraint == "entry_pkey")
                #expect(try connection.query("select * from entry").count == 0)
                #expect(!connection.isInTransaction)
            }
        }
        #expect(pool.counts.opened == 1)
    }

    @Test func `an error inside a transaction leaves it failed, and nothing of it stays`() throws {
        let pool = try pool()
        let error = #expect(throws: PostgresError.self) {
            try pool.transaction(opening: ["insert into entry values (1, 'a')", "select 1 / 0"]) {
                _, _ in
            }
        }
        #expect(error?.sqlState == "22012")
        #expect(try count(pool) == 0)
        #expect(pool.counts.opened == 1)
    }

    @Test func `a transaction's opening statements are part of it`() throws {
        let pool = try pool()
        struct Refused: Error {}
        let opening: [Query] = ["insert into entry values (1, 'a')", "select \(5) as five"]
        #expect(throws: Refused.self) {
            try pool.transaction(opening: opening) { _, _ in throw Refused() }
        }
        #expect(try count(pool) == 0)
        let five = try pool.transaction(opening: opening) { _, rows in
            try rows[1].first?.decode(Int.self, "five")
        }
        #expect(five == 5)
        #expect(try count(pool) == 1)
    }

    @Test func `a statement is prepared once, whoever sends it`() throws {
        let pool = try pool()
        try pool.withConnection { (connection: Connection) throws in
            let query: Query = "select \(1)"
            _ = try connection.pipeline([query, query, "select 2"])
            #expect(connection.preparedCount == 2)
            _ = try connection.query(query)
            _ = try connection.pipeline(["select 2", query])
            #expect(connection.preparedCount == 2)
        }
    }

    @Test func `what was not prepared because of an error is prepared the next time`() throws {
        let pool = try pool()
        try pool.withConnection { (connection: Connection) throws in
            #expect(throws: PostgresError.self) {
                try connection.pipeline(["select nothing", "select \(1) as one"])
            }
            #expect(try connection.pipeline(["select \(1) as one"]).first?.count == 1)
            #expect(connection.preparedCount == 1)
        }
    }

    @Test func `a full registry makes room, and never gives up what it is about to send`() throws {
        let pool = try pool()
        try pool.withConnection { (connection: Connection) throws in
            for number in 0..<3 {
                let queries = (0..<Connection.pipelineLimit).map {
                    Query(unsafeSQL: "select \($0) as a\(number)")
                }
                let answers = try connection.pipeline(queries)
                #expect(
                    try answers.map { try $0.first?.decode(Int.self, at: 0) }
                        == Array(0..<Connection.pipelineLimit))
            }
            #expect(connection.preparedCount <= 2 * Connection.pipelineLimit)
            let tooMany = [Query](repeating: "select 1", count: Connection.pipelineLimit + 1)
            #expect(throws: PostgresError.self) { try connection.pipeline(tooMany) }
        }
    }

    @Test func `a stale plan is an error once and new the next time`() throws {
        let pool = try pool()
        try pool.withConnection { (connection: Connection) throws in
            let query: Query = "select * from entry"
            _ = try connection.pipeline([query])
            try connection.execute(script: "alter table entry add column more int")
            let error = #expect(throws: PostgresError.self) { try connection.pipeline([query]) }
            #expect(error?.sqlState == "0A000")
            #expect(try connection.pipeline([query]).count == 1)
        }
    }

    @Test func `a value that cannot be sent is refused before anything is`() throws {
        let pool = try pool()
        let error = #expect(throws: PostgresError.self) {
            try pool.withConnection {
                try $0.pipeline(["insert into entry values (1, 'a')", "select \("a\u{0}")"])
            }
        }
        #expect(error?.code == .encoding)
        #expect(try count(pool) == 0)
    }

    /// More than both sockets hold, both ways at once: neither side may wait for the other.
    @Test func `large questions with large answers do not lock up`() throws {
        let pool = try pool()
        let large = String(repeating: "x", count: 2_000_000)
        let answers = try pool.withConnection { (connection: Connection) throws in
            try connection.pipeline((0..<8).map { _ in "select \(large) as text" })
        }
        #expect(try answers.allSatisfy { try $0.first?.decode(String.self, "text") == large })
    }

    @Test func `COPY is refused and its connection closed`() throws {
        let pool = try pool()
        let error = #expect(throws: PostgresError.self) {
            try pool.withConnection { try $0.pipeline(["select 1", "copy entry to stdout"]) }
        }
        #expect(error != nil)
        #expect(try count(pool) == 0)
    }

    @Test func `a deadline is for all of it and closes the connection`() throws {
        let pool = try pool()
        let begin = ContinuousClock.now
        let error = #expect(throws: PostgresError.self) {
            try pool.withConnection {
                try $0.pipeline(
                    ["select pg_sleep(20)", "select 1"], within: .milliseconds(100))
            }
        }
        #expect(error?.code == .deadlineExceeded)
        #expect(ContinuousClock.now - begin < .seconds(15))
        #expect(pool.counts.open == 0)
    }

    @Test func `a backend that dies under it is a connection lost`() throws {
        let pool = try pool()
        let error = #expect(throws: PostgresError.self) {
            try pool.withConnection {
                try $0.pipeline([
                    "select 1", "select pg_terminate_backend(pg_backend_pid())", "select 2",
                ])
            }
        }
        #expect(error?.code == .connectionLost)
        #expect(error?.sqlState == "57P01")
        #expect(try count(pool) == 0)
    }

    @Test func `however many statements, it is one round trip`() throws {
        let server = try makeOwnServer()
        defer { server.remove() }
        let counter = try TurnCounter(server: server.folder)
        defer { counter.stop() }
        let url = server.url().replacing(server.folder, with: counter.folder)
        let pool = try Pool(PoolSettings(url: url, localSettings: []))
        defer { pool.close() }
        let queries: [Query] = ["begin", "select \(1)", "select \("two")", "commit"]
        try pool.withConnection { (connection: Connection) throws in
            #expect(
                try counter.turns { for query in queries { _ = try connection.query(query) } } == 8)
            #expect(
                try counter.turns { for query in queries { _ = try connection.query(query) } } == 4)
            #expect(try counter.turns { _ = try connection.pipeline(queries) } == 1)
            let unknown = queries + ["select \(2) as unknown"]
            #expect(try counter.turns { _ = try connection.pipeline(unknown) } == 1)
        }
        let turns = try counter.turns {
            try pool.transaction(opening: ["select \(1)"]) { connection, _ in
                _ = try connection.query("select \("two")")
            }
        }
        #expect(turns == 3)
    }
}
