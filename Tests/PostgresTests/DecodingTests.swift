import FoundationEssentials
import Postgres
import TestSupport
import Testing

@Suite(.database) struct DecodingTests {
    private func decode<T: SQLDecodable>(_: T.Type, _ sql: String) throws -> T {
        try Database.current().superuser.withConnection { connection in
            let rows = try connection.query(Query(unsafeSQL: "select \(sql) as v"))
            return try #require(rows.first).decode("v")
        }
    }

    private func refusal<T: SQLDecodable>(_ type: T.Type, _ sql: String) throws -> PostgresError {
        try #require(throws: PostgresError.self) { _ = try decode(type, sql) }
    }

    @Test func aColumnOfAnotherTypeIsRefusedWithBothNames() throws {
        let error = try refusal(UUID.self, "'secret words'::text")
        #expect(error.code == .decoding)
        #expect(error.message.contains("column v"))
        #expect(error.message.contains("text"))
        #expect(error.message.contains("uuid"))
        #expect(!error.message.contains("secret"))
    }

    @Test(arguments: ["1::int8", "1::numeric", "'1'::text", "true", "array[1]"])
    func nothingIsNarrowedToAnInt32(sql: String) throws {
        #expect(try refusal(Int32.self, sql).code == .decoding)
    }

    @Test func narrowerIntegersAreWidened() throws {
        #expect(try decode(Int64.self, "-5::int2") == -5)
        #expect(try decode(Int64.self, "-5::int4") == -5)
        #expect(try decode(Int32.self, "-5::int2") == -5)
        #expect(try decode(Double.self, "1.5::float4") == 1.5)
    }

    @Test func NULLIsRefusedUnlessAskedFor() throws {
        #expect(try refusal(Int64.self, "null::int8").code == .decoding)
        #expect(try decode(Int64?.self, "null::int8") == nil)
        #expect(try refusal([Int64].self, "array[1, null]::int8[]").code == .decoding)
        #expect(try decode([Int64?].self, "array[1, null]::int8[]") == [1, nil])
    }

    @Test func arraysOfOtherElementsOrDimensionsAreRefused() throws {
        #expect(try refusal([Int64].self, "array['a']").code == .decoding)
        #expect(try refusal([Int64].self, "array[[1, 2], [3, 4]]::int8[]").code == .decoding)
        #expect(try refusal([Int64].self, "'not an array'::text").code == .decoding)
        #expect(try refusal([Int64].self, "''::text").code == .decoding)
        #expect(try refusal([Int64].self, "'[1,2]'::jsonb").code == .decoding)
        #expect(try decode([Int64].self, "array[1, 2]::int4[]") == [1, 2])
    }

    @Test func anAbsentColumnIsAnErrorAndNamesAreExact() throws {
        try Database.current().superuser.withConnection { connection in
            let row = try #require(try connection.query("select 1 as one, 2 as \"Two\"").first)
            #expect(try row.decode(Int32.self, "Two") == 2)
            for name in ["two", "three", ""] {
                let error = #expect(throws: PostgresError.self) {
                    _ = try row.decode(Int32.self, name)
                }
                #expect(error?.code == .decoding)
            }
            for position in [-1, 2] {
                let error = #expect(throws: PostgresError.self) {
                    _ = try row.decode(Int32.self, at: position)
                }
                #expect(error?.code == .decoding)
            }
        }
    }

    @Test func enumsReadAsTextAndCompositesDoNot() throws {
        try Database.current().superuser.withConnection { connection in
            try connection.execute(
                script: "create type mood as enum ('glad'); create type pair as (a int, b int)")
        }
        #expect(try decode(String.self, "'glad'::mood") == "glad")
        #expect(try decode([String].self, "array['glad']::mood[]") == ["glad"])
        #expect(try refusal(String.self, "row(1, 2)::pair").code == .decoding)
        #expect(try decode(String.self, "'x'::varchar") == "x")
        #expect(try decode(String.self, "'x'::name") == "x")
    }

    @Test func rowsOutliveTheirConnection() throws {
        let row = try Database.current().superuser.withConnection { connection in
            try #require(try connection.query("select repeat('x', 1000) as text").first)
        }
        #expect(try row.decode(String.self, "text").utf8.count == 1_000)
    }

    @Test func affectedRowsAreCounted() throws {
        try Database.current().superuser.withConnection { connection in
            try connection.execute(script: "create table n (i int)")
            let some = try connection.query("insert into n select generate_series(1, 5)")
            #expect(some.affected == 5)
            #expect(some.isEmpty)
            #expect(try connection.query("delete from n where i > 3").affected == 2)
            #expect(try connection.query("select i from n").map { _ in 1 }.count == 3)
        }
    }
}
