package import FoundationEssentials

/// Values in PostgreSQL's binary form, one after another, each behind its length (-1 is NULL): as
/// an array holds its elements. What is written so once can be kept, and be bound later without
/// being read.
package struct BinaryRow: Sendable {
    package private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: in bytes; more costs a copy.
    package init(reserving capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    package mutating func append(_ uuid: UUID?) {
        guard let uuid else { return appendNull() }
        unsafe withUnsafeBytes(of: uuid.uuid) { unsafe append(value: $0) }
    }

    /// A NUL, which no text column holds, is refused by the server, as part of its row.
    package mutating func append(_ text: String?) {
        guard let text else { return appendNull() }
        append(length: text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    package mutating func append(_ value: [UInt8]?) {
        guard let value else { return appendNull() }
        append(length: value.count)
        bytes.append(contentsOf: value)
    }

    package mutating func append(_ number: Int64?) {
        guard let number else { return appendNull() }
        append(length: 8)
        append(integer: number)
    }

    package mutating func append(_ number: Int16?) {
        guard let number else { return appendNull() }
        append(length: 2)
        append(integer: number)
    }

    package mutating func append(_ flag: Bool) {
        append(length: 1)
        bytes.append(flag ? 1 : 0)
    }

    /// What no `timestamptz` reaches is refused by the server, as part of its row.
    package mutating func append(_ timestamp: Timestamp) {
        append(timestamp.onWire)
    }

    private mutating func appendNull() { append(integer: Int32(-1)) }

    /// Of more than 2 GB nothing is ever kept; the server refuses what it cuts off.
    private mutating func append(length: Int) { append(integer: Int32(clamping: length)) }

    private mutating func append(value: UnsafeRawBufferPointer) {
        append(length: value.count)
        unsafe bytes.append(contentsOf: value)
    }

    private mutating func append(integer: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: integer.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }
}

/// Rows turned into one array a column, for `unnest`, byte by byte: no value is read.
package struct BinaryColumns: Sendable {
    /// One array; in a query it is a value like any other.
    package struct Column: Sendable {
        let type: SQLType
        let bytes: [UInt8]
    }

    package let columns: [Column]

    /// - Parameters:
    ///   - rows: the bytes of a `BinaryRow` each.
    ///   - types: of the columns, as arrays.
    /// - Throws: `encoding` for a row that is not exactly as many values.
    package init(_ rows: [ArraySlice<UInt8>], types: [SQLType]) throws(PostgresError) {
        guard let count = Int32(exactly: rows.count) else {
            throw PostgresError(.encoding, "an array has more elements than PostgreSQL can hold")
        }
        var arrays = types.map { _ in (bytes: [UInt8](), hasNull: false) }
        for row in rows {
            guard unsafe row.withUnsafeBytes({ unsafe Self.append($0, to: &arrays) }) else {
                throw PostgresError(.encoding, "a row has not \(types.count) whole values")
            }
        }
        columns = zip(types, arrays).map { type, array in
            let element = SQLType.elementTypes[type] ?? .unknown
            let header = arrayHeader(count: count, of: element, hasNull: array.hasNull)
            return Column(type: type, bytes: header + array.bytes)
        }
    }

    /// Whether `row` is exactly one value for each of `types`, those of fixed width of their width:
    /// one that is too short would be called a fault of the protocol, not of its row.
    package static func isRow(_ row: ArraySlice<UInt8>, of types: [SQLType]) -> Bool {
        unsafe row.withUnsafeBytes { row in
            var offset = 0
            for type in types {
                guard let end = unsafe Self.end(ofValueAt: offset, in: row) else { return false }
                let bytes = end - offset - 4
                if let width = width(of: type), bytes != width {
                    guard bytes == 0, unsafe row[offset] & 0x80 != 0 else { return false }
                }
                offset = end
            }
            return offset == row.count
        }
    }

    /// In bytes, of one element; nil where it is not fixed.
    private static func width(of array: SQLType) -> Int? {
        switch array {
        case .uuidArray: 16
        case .int8Array, .timestamptzArray, .float8Array: 8
        case .int4Array, .float4Array: 4
        case .int2Array: 2
        case .boolArray: 1
        default: nil
        }
    }

    private static func append(
        _ row: UnsafeRawBufferPointer, to arrays: inout [(bytes: [UInt8], hasNull: Bool)]
    ) -> Bool {
        var offset = 0
        for place in arrays.indices {
            guard let end = unsafe end(ofValueAt: offset, in: row) else { return false }
            unsafe arrays[place].bytes.append(contentsOf: row[offset..<end])
            // A sign bit: the length -1 of a NULL.
            if unsafe row[offset] & 0x80 != 0 { arrays[place].hasNull = true }
            offset = end
        }
        return offset == row.count
    }

    private static func end(ofValueAt offset: Int, in row: UnsafeRawBufferPointer) -> Int? {
        guard offset <= row.count - 4 else { return nil }
        let length = Int32(
            bigEndian: unsafe row.loadUnaligned(fromByteOffset: offset, as: Int32.self))
        if length == -1 { return offset + 4 }
        guard length >= 0, Int(length) <= row.count - offset - 4 else { return nil }
        return offset + 4 + Int(length)
    }
}
