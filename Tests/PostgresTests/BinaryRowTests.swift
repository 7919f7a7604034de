import FoundationEssentials
import Postgres
import TestSupport
import Testing

/// Rows that are kept in the server's form and bound as columns, against the server itself.
@Suite(.database) struct BinaryRowTests {
    private static let types: [SQLType] = [
        .uuidArray, .textArray, .int8Array, .int2Array, .boolArray, .byteaArray, .timestamptzArray,
    ]

    private static func row(_ number: Int64, _ id: UUID, isNull: Bool) -> BinaryRow {
        var row = BinaryRow(reserving: 16)
        row.append(isNull ? nil : id)
        row.append(isNull ? nil : "日本 \(number)")
        row.append(isNull ? nil : number)
        row.append(isNull ? nil : Int16(truncatingIfNeeded: number))
        row.append(number.isMultiple(of: 2))
        row.append(isNull ? nil : [UInt8](repeating: 0xfe, count: Int(number.magnitude % 70)))
        row.append(Timestamp(milliseconds: 1_700_000_000_123 + number % 1_000))
        return row
    }

    @Test func `the server reads each value as it was written, NULL among them`() throws {
        let numbers: [Int64] = [0, 1, -1, .min, .max, 255, 256, 69]
        let ids = numbers.map { _ in UUID() }
        let rows = zip(numbers, ids).map { Self.row($0, $1, isNull: $0 == 255).bytes[...] }
        let columns = try BinaryColumns(rows, types: Self.types)
        let found = try Database.current().superuser.withConnection { connection in
            try connection.query(
                """
                select a, b, c, d, e, f, g from unnest(\(columns)) with ordinality
                  as t (a, b, c, d, e, f, g, place) order by place
                """)
        }
        #expect(found.count == numbers.count)
        for (row, (number, id)) in zip(found, zip(numbers, ids)) {
            let isNull = number == 255
            #expect(try row.decode(UUID?.self, "a") == (isNull ? nil : id))
            #expect(try row.decode(String?.self, "b") == (isNull ? nil : "日本 \(number)"))
            #expect(try row.decode(Int64?.self, "c") == (isNull ? nil : number))
            #expect(
                try row.decode(Int16?.self, "d")
                    == (isNull ? nil : Int16(truncatingIfNeeded: number)))
            #expect(try row.decode(Bool.self, "e") == number.isMultiple(of: 2))
            let bytes = [UInt8](repeating: 0xfe, count: Int(number.magnitude % 70))
            #expect(try row.decode([UInt8]?.self, "f") == (isNull ? nil : bytes))
            #expect(
                try row.decode(Timestamp.self, "g")
                    == Timestamp(milliseconds: 1_700_000_000_123 + number % 1_000))
        }
    }

    @Test func `no rows are empty arrays`() throws {
        let columns = try BinaryColumns([], types: Self.types)
        let found = try Database.current().superuser.withConnection { connection in
            try connection.query("select * from unnest(\(columns))")
        }
        #expect(found.isEmpty)
    }

    @Test func `what no column takes is refused by the server, and the connection lives on`() throws
    {
        var nul = BinaryRow(reserving: 16)
        nul.append("a\0b")
        var never = BinaryRow(reserving: 16)
        never.append(Timestamp(milliseconds: .max))
        for (row, type) in [(nul, SQLType.textArray), (never, .timestamptzArray)] {
            let columns = try BinaryColumns([row.bytes[...]], types: [type])
            try Database.current().superuser.withConnection { connection in
                let error = #expect(throws: PostgresError.self) {
                    _ = try connection.query("select * from unnest(\(columns))")
                }
                #expect(error?.sqlState?.hasPrefix("22") == true)
                _ = try connection.query("select 1")
            }
        }
    }

    /// Every way to cut a row short or make it long, and lengths that claim anything.
    @Test func `bytes that are no row are found out`() throws {
        let whole = Self.row(69, UUID(), isNull: false).bytes
        #expect(BinaryColumns.isRow(whole[...], of: Self.types))
        #expect(!BinaryColumns.isRow(whole[...], of: Self.types + [.textArray]))
        #expect(!BinaryColumns.isRow(whole[...], of: Array(Self.types.dropLast())))
        for count in whole.indices {
            let cut = whole[..<count]
            #expect(!BinaryColumns.isRow(cut, of: Self.types))
            #expect(throws: PostgresError.self) { _ = try BinaryColumns([cut], types: Self.types) }
        }
        for length in [Int32.min, -2, 17, 1 << 20, .max] {
            let head = (0..<4).map { UInt8(truncatingIfNeeded: length >> Int32(24 - 8 * $0)) }
            let wrong = head + whole.dropFirst(4)
            #expect(!BinaryColumns.isRow(wrong[...], of: Self.types), "\(length)")
            #expect(throws: PostgresError.self) {
                _ = try BinaryColumns([wrong[...]], types: Self.types)
            }
        }
    }

    /// A value of fixed width is of that width or NULL.
    @Test func `no value is shorter or longer than its type`() {
        let widths: [(SQLType, Int)] = [
            (.uuidArray, 16), (.int8Array, 8), (.timestamptzArray, 8), (.int4Array, 4),
            (.int2Array, 2), (.boolArray, 1),
        ]
        for (type, width) in widths {
            for count in 0...20 {
                var row = BinaryRow(reserving: 32)
                row.append([UInt8](repeating: 1, count: count))
                #expect(BinaryColumns.isRow(row.bytes[...], of: [type]) == (count == width))
                #expect(BinaryColumns.isRow(row.bytes[...], of: [.byteaArray]))
            }
            var null = BinaryRow(reserving: 4)
            null.append([UInt8]?.none)
            #expect(BinaryColumns.isRow(null.bytes[...], of: [type]))
        }
    }
}
