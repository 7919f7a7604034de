import FoundationEssentials
import Postgres
import TestSupport
import Testing

@Suite(.database) struct BindingTests {
    private func roundTrip<T: SQLEncodable & SQLDecodable>(_ value: T) throws -> T {
        try Database.current().superuser.withConnection { connection in
            let row = try #require(try connection.query("select \(value) as value").first)
            return try row.decode("value")
        }
    }

    @Test func integersKeepTheirExtremes() throws {
        for value in [Int64.min, -1, 0, 1, Int64.max] { #expect(try roundTrip(value) == value) }
        for value in [Int32.min, 0, Int32.max] { #expect(try roundTrip(value) == value) }
        for value in [Int16.min, 0, Int16.max] { #expect(try roundTrip(value) == value) }
        for value in [Int.min, 0, Int.max] { #expect(try roundTrip(value) == value) }
    }

    @Test func theServerSeesTheSameValuesAsWe() throws {
        let id = UUID()
        try Database.current().superuser.withConnection { connection in
            let row = try #require(
                try connection.query(
                    """
                    select \(Int64.min)::text, \(id)::text, \(true)::text,
                      \(Timestamp(microseconds: 1_700_000_000_123_456)) at time zone 'UTC'
                        = '2023-11-14 22:13:20.123456', \([1, 2, 3] as [Int64])::text,
                      encode(\([0xDE, 0xAD] as [UInt8]), 'hex'),
                      \(["a", nil, "c,\"d"] as [String?])::text
                    """
                ).first)
            #expect(try row.decode(String.self, at: 0) == "-9223372036854775808")
            #expect(try row.decode(String.self, at: 1) == id.uuidString.lowercased())
            #expect(try row.decode(String.self, at: 2) == "true")
            #expect(try row.decode(Bool.self, at: 3))
            #expect(try row.decode(String.self, at: 4) == "{1,2,3}")
            #expect(try row.decode(String.self, at: 5) == "dead")
            #expect(try row.decode(String.self, at: 6) == #"{a,NULL,"c,\"d"}"#)
        }
    }

    @Test func truthUUIDsAndNumbersWithFractionsComeBack() throws {
        #expect(try roundTrip(true))
        #expect(try !roundTrip(false))
        let id = UUID()
        #expect(try roundTrip(id) == id)
        for value in [Double.pi, -0.0, .infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude]
        {
            #expect(try roundTrip(value).bitPattern == value.bitPattern)
        }
        #expect(try roundTrip(Double.nan).isNaN)
    }

    @Test func timesKeepTheirMicroseconds() throws {
        for microseconds: Int64 in [0, 1, -1, 946_684_800_000_000, 1_764_475_200_123_456] {
            let time = Timestamp(microseconds: microseconds)
            #expect(try roundTrip(time) == time)
        }
        #expect(Timestamp(milliseconds: -1).microseconds == -1_000)
        #expect(Timestamp(microseconds: -1).milliseconds == -1)
        #expect(Timestamp(microseconds: 1_999).milliseconds == 1)
    }

    @Test func timesThatPostgreSQLCannotHoldAreAnErrorByName() throws {
        for time in [
            Timestamp(milliseconds: .max), Timestamp(milliseconds: .min),
            Timestamp(microseconds: .min), Timestamp(microseconds: .min + 946_684_800_000_000),
        ] {
            let error = #expect(throws: PostgresError.self) { _ = try roundTrip(time) }
            #expect(error?.code == .encoding)
        }
    }

    @Test(arguments: ["'infinity'", "'-infinity'", "'294276-12-31'"])
    func timesThatATimestampCannotHoldAreADecodingError(text: String) throws {
        try Database.current().superuser.withConnection { connection in
            let rows = try connection.query(Query(unsafeSQL: "select \(text)::timestamptz as t"))
            let error = #expect(throws: PostgresError.self) {
                _ = try rows.first?.decode(Timestamp.self, "t")
            }
            #expect(error?.code == .decoding)
        }
    }

    @Test func textOfAnyLanguageComesBackByteForByte() throws {
        for text in ["", "e\u{301}", "é", "日本語 👩‍👩‍👧‍👦", "line\nbreak\t\"'\\$1", "\u{FFFF}"] {
            #expect(try Array(roundTrip(text).utf8) == Array(text.utf8))
        }
    }

    @Test func aNULCharacterInTextIsAnErrorByNameAndTheConnectionGoesOn() throws {
        try Database.current().superuser.withConnection { connection in
            let error = #expect(throws: PostgresError.self) {
                _ = try connection.query("select \("a\0b")")
            }
            #expect(error?.code == .encoding)
            let array = #expect(throws: PostgresError.self) {
                _ = try connection.query("select \(["fine", "a\0b"])")
            }
            #expect(array?.code == .encoding)
            let rows = try connection.query("select 1")
            #expect(rows.count == 1)
        }
    }

    @Test func bytesComeBackUpToAMegabyte() throws {
        for bytes in [[], [0], [UInt8](0...255), (0..<1_048_576).map { UInt8($0 % 251) }] {
            #expect(try roundTrip(bytes) == bytes)
        }
    }

    @Test func arraysComeBackEmptyAndWithNULLs() throws {
        #expect(try roundTrip([] as [Int64]) == [])
        #expect(try roundTrip([Int64.min, .max]) == [Int64.min, .max])
        #expect(try roundTrip([1, nil, 3] as [Int32?]) == [1, nil, 3])
        #expect(try roundTrip([nil, nil] as [String?]) == [nil, nil])
        #expect(try roundTrip(["", "b"]) == ["", "b"])
        #expect(try roundTrip([[], [0, 255]] as [[UInt8]]) == [[], [0, 255]])
        #expect(try roundTrip([true, false]) == [true, false])
        #expect(try roundTrip([1.5]) == [1.5])
        let ids = [UUID(), UUID()]
        #expect(try roundTrip(ids) == ids)
        let times = [Timestamp(microseconds: 7)]
        #expect(try roundTrip(times) == times)
        #expect(try roundTrip([Int16.min]) == [Int16.min])
    }

    @Test func nothingIsNULLForEveryType() throws {
        #expect(try roundTrip(nil as Int64?) == nil)
        #expect(try roundTrip(nil as String?) == nil)
        #expect(try roundTrip(nil as UUID?) == nil)
        #expect(try roundTrip(nil as [UInt8]?) == nil)
        #expect(try roundTrip(nil as [Int64]?) == nil)
        #expect(try roundTrip(5 as Int64?) == 5)
        #expect(try roundTrip("" as String?) == "")
        #expect(try roundTrip([] as [UInt8]?) == [])
    }

    @Test func jsonIsReadFromBothItsTypes() throws {
        let json = JSON([UInt8](#"{"a": [1, null, "ü"]}"#.utf8))
        #expect(try roundTrip(json) == json)
        #expect(try roundTrip([json]) == [json])
        try Database.current().superuser.withConnection { connection in
            let row = try #require(try connection.query("select '{\"b\":1}'::json as j").first)
            #expect(try row.decode(JSON.self, "j").bytes == Array(#"{"b":1}"#.utf8))
            let error = #expect(throws: PostgresError.self) {
                _ = try connection.query("select \(JSON([0x7B]))")
            }
            #expect(error?.sqlState == "22P02")
        }
    }

    @Test(arguments: ["'; drop table t; --", "$1", "\\'; select 1", "') or (1=1", "\u{2019}"])
    func textThatLooksLikeSQLStaysAValue(text: String) throws {
        try Database.current().superuser.withConnection { connection in
            try connection.execute(script: "create table t (name text)")
            _ = try connection.query("insert into t values (\(text))")
            let found = try connection.query("select name from t where name = \(text)")
            #expect(found.count == 1)
            #expect(try found.first?.decode(String.self, "name") == text)
        }
    }

    @Test func moreThan65535ValuesAreAnErrorByName() throws {
        var interpolation = Query.StringInterpolation(
            literalCapacity: 0, interpolationCount: 70_000)
        for _ in 0..<65_536 { interpolation.appendInterpolation(1) }
        let query = Query(stringInterpolation: interpolation)
        try Database.current().superuser.withConnection { connection in
            let error = #expect(throws: PostgresError.self) { _ = try connection.query(query) }
            #expect(error?.code == .encoding)
        }
    }
}
