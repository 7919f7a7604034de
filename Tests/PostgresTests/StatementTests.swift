import Postgres
import TestSupport
import Testing

@Suite(.database) struct StatementTests {
    private func preparedOnServer(_ connection: Connection) throws -> Int64? {
        // This question is itself prepared, hence not counted.
        try connection.query("select count(*) - 1 from pg_prepared_statements").first?
            .decode(Int64.self, at: 0)
    }

    /// The server waits for a lock that only what is done meanwhile lets go.
    @Test func `what is done meanwhile is done while the server has the statement`() throws {
        let pool = try Database.current().superuser
        try pool.withConnection { holder in
            try pool.withConnection { asker in
                for key in [Int64(41), 42] {
                    _ = try holder.query("select pg_advisory_lock(\(key))")
                    var calls = 0
                    let rows = try asker.query(
                        "select pg_advisory_xact_lock(\(key))::text, 7 as seven",
                        within: .seconds(20)
                    ) {
                        calls += 1
                        _ = try? holder.query("select pg_advisory_unlock(\(key))")
                    }
                    #expect(try rows.first?.decode(Int32.self, "seven") == 7)
                    #expect(calls == 1)
                }
            }
        }
    }

    @Test func aRepeatedTextIsPreparedOnce() throws {
        try Database.current().superuser.withConnection { connection in
            let before = try preparedOnServer(connection)
            for number in 1...20 {
                let row = try connection.query("select \(number) + 0 as n").first
                #expect(try row?.decode(Int.self, "n") == number)
            }
            let after = try preparedOnServer(connection)
            #expect(before.map { $0 + 1 } == after)
        }
    }

    @Test func theSameTextWithOtherTypesIsAnotherStatement() throws {
        try Database.current().superuser.withConnection { connection in
            let number = try connection.query("select \(72 as Int64) as v").first
            let text = try connection.query("select \("seventy") as v").first
            #expect(try number?.decode(Int64.self, "v") == 72)
            #expect(try text?.decode(String.self, "v") == "seventy")
            let again = try connection.query("select \(73 as Int64) as v").first
            #expect(try again?.decode(Int64.self, "v") == 73)
        }
    }

    @Test func textsThatUnicodeCallsEqualAreTwoStatements() throws {
        try Database.current().superuser.withConnection { connection in
            let one = try connection.query("select 'é' as v").first
            let other = try connection.query("select 'e\u{301}' as v").first
            #expect(try one?.decode(String.self, "v").utf8.count == 2)
            #expect(try other?.decode(String.self, "v").utf8.count == 3)
        }
    }

    @Test func theRegistryIsBoundedHereAndOnTheServer() throws {
        try Database.current().superuser.withConnection { connection in
            for number in 0..<400 {
                _ = try connection.query(Query(unsafeSQL: "select \(number)"))
                _ = try connection.query("select 'used all the time'")
            }
            #expect(connection.preparedCount == 256)
            let onServer = try #require(try preparedOnServer(connection))
            #expect(onServer <= 256)
            // Used last, so it was never the one to go.
            let kept = try connection.query(
                """
                select from pg_prepared_statements
                where statement like '%used all' || ' the time%'
                """)
            #expect(kept.count == 1)
        }
    }

    @Test func aChangedColumnIsPreparedAnewByItself() throws {
        try Database.current().superuser.withConnection { connection in
            try connection.execute(script: "create table t (v int4); insert into t values (1)")
            let before = try connection.query("select * from t").first
            #expect(try before?.decode(Int32.self, "v") == 1)
            try connection.execute(script: "alter table t alter v type text")
            let after = try connection.query("select * from t").first
            #expect(try after?.decode(String.self, "v") == "1")
        }
    }

    @Test func insideATransactionAChangedColumnIsAnErrorAndTheNextOneWorks() throws {
        let pool = try Database.current().superuser
        try pool.withConnection { connection in
            try connection.execute(script: "create table t (v int4); insert into t values (1)")
            _ = try connection.query("select * from t")
            try connection.execute(script: "alter table t alter v type text")
        }
        let error = #expect(throws: PostgresError.self) {
            try pool.transaction { _ = try $0.query("select * from t") }
        }
        #expect(error?.sqlState == "0A000")
        let text = try pool.transaction { connection in
            try connection.query("select * from t").first?.decode(String.self, "v")
        }
        #expect(text == "1")
        #expect(pool.counts.opened == 1)
    }

    @Test(arguments: [
        "discard all", "deallocate all", "do $$ begin execute 'deallocate all'; end $$",
    ])
    func statementsTheServerForgotArePreparedAnew(script: String) throws {
        try Database.current().superuser.withConnection { connection in
            _ = try connection.query("select 5 as v")
            try connection.execute(script: script)
            let row = try connection.query("select 5 as v").first
            #expect(try row?.decode(Int32.self, "v") == 5)
        }
    }

    @Test func aWrongStatementIsNotRemembered() throws {
        try Database.current().superuser.withConnection { connection in
            let before = connection.preparedCount
            let error = #expect(throws: PostgresError.self) { _ = try connection.query("selec 1") }
            #expect(error?.sqlState == "42601")
            #expect(connection.preparedCount == before)
            let rows = try connection.query("select 1")
            #expect(rows.count == 1)
        }
    }

    @Test func aNULInAStatementIsRefusedBeforeTheServerCutsItShort() throws {
        try Database.current().superuser.withConnection { connection in
            let query = Query(unsafeSQL: "select 1\0 where false")
            let error = #expect(throws: PostgresError.self) { _ = try connection.query(query) }
            #expect(error?.code == .encoding)
            let script = #expect(throws: PostgresError.self) {
                try connection.execute(script: "select 1\0")
            }
            #expect(script?.code == .encoding)
        }
    }
}
