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
}
