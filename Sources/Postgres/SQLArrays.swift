/// What an array can be made of. `UInt8` is the exception: an array of them is one `bytea`.
package protocol SQLElement: Sendable {
    static var sqlTypeOfArray: SQLType { get }
    static func encodeArray(_ array: [Self]) throws(PostgresError) -> [UInt8]
    static func decodeArray(_ bytes: RawSpan, type: SQLType) throws(PostgresError) -> [Self]
}

extension Array: SQLEncodable where Element: SQLElement {
    package static var sqlType: SQLType { Element.sqlTypeOfArray }

    package func encoded() throws(PostgresError) -> [UInt8]? { try Element.encodeArray(self) }
}

extension Array: SQLDecodable where Element: SQLElement {
    package static func decode(_ bytes: RawSpan, type: SQLType) throws(PostgresError) -> [Element] {
        try Element.decodeArray(bytes, type: type)
    }
}

extension UInt8: SQLElement {
    package static var sqlTypeOfArray: SQLType { .bytea }

    package static func encodeArray(_ array: [UInt8]) throws(PostgresError) -> [UInt8] { array }

    package static func decodeArray(
        _ bytes: RawSpan, type: SQLType
    ) throws(PostgresError) -> [UInt8] {
        try require(type, among: [.bytea])
        return copy(bytes)
    }
}

/// `bytea[]`.
extension Array: SQLElement, SQLScalar where Element == UInt8 {
    package static var sqlArrayType: SQLType { .byteaArray }
}

extension SQLElement where Self: SQLScalar {
    package static var sqlTypeOfArray: SQLType { sqlArrayType }

    package static func encodeArray(_ array: [Self]) throws(PostgresError) -> [UInt8] {
        try encodeElements(array, of: sqlType)
    }

    package static func decodeArray(
        _ bytes: RawSpan, type: SQLType
    ) throws(PostgresError) -> [Self] {
        try decodeElements(bytes, type: type)
    }
}

extension Optional: SQLElement where Wrapped: SQLScalar {
    package static var sqlTypeOfArray: SQLType { Wrapped.sqlArrayType }

    package static func encodeArray(_ array: [Wrapped?]) throws(PostgresError) -> [UInt8] {
        try encodeElements(array, of: Wrapped.sqlType)
    }

    package static func decodeArray(
        _ bytes: RawSpan, type: SQLType
    ) throws(PostgresError) -> [Wrapped?] {
        try decodeElements(bytes, type: type)
    }
}

/// Dimensions (0 or 1), whether NULLs occur, element type; then count and lower bound; then each
/// element as a length (-1 is NULL) and its bytes.
private func encodeElements<E: SQLEncodable>(
    _ array: [E], of type: SQLType
) throws(PostgresError) -> [UInt8] {
    guard let count = Int32(exactly: array.count) else {
        throw PostgresError(.encoding, "an array has more elements than PostgreSQL can hold")
    }
    var hasNull = false
    var elements: [UInt8] = []
    for element in array {
        guard let bytes = try element.encoded() else {
            hasNull = true
            elements += bytesOf(Int32(-1))
            continue
        }
        elements += bytesOf(try lengthOnWire(bytes.count))
        elements += bytes
    }
    return arrayHeader(count: count, of: type, hasNull: hasNull) + elements
}

func arrayHeader(count: Int32, of type: SQLType, hasNull: Bool) -> [UInt8] {
    var header = bytesOf(Int32(count == 0 ? 0 : 1))
    header += bytesOf(Int32(hasNull ? 1 : 0))
    header += bytesOf(type.oid)
    if count > 0 {
        header += bytesOf(count)
        header += bytesOf(Int32(1))
    }
    return header
}

func lengthOnWire(_ count: Int) throws(PostgresError) -> Int32 {
    guard let length = Int32(exactly: count) else {
        throw PostgresError(.encoding, "a value is larger than PostgreSQL can take (1 GB)")
    }
    return length
}

private func decodeElements<E: SQLDecodable>(
    _ bytes: RawSpan, type: SQLType
) throws(PostgresError) -> [E] {
    var offset = 0
    let dimensions = try takeInt32(bytes, &offset)
    _ = try takeInt32(bytes, &offset)
    let elementType = SQLType(oid: UInt32(bitPattern: try takeInt32(bytes, &offset)))
    guard type.isUserDefined || SQLType.elementTypes[type] == elementType else {
        throw PostgresError(.decoding, "the column is \(type) and an array was expected")
    }
    if dimensions == 0 { return [] }
    guard dimensions == 1 else {
        throw PostgresError(.decoding, "an array of \(dimensions) dimensions was not expected")
    }
    let count = try takeInt32(bytes, &offset)
    _ = try takeInt32(bytes, &offset)
    var elements: [E] = []
    for _ in 0..<max(0, count) {
        let length = Int(try takeInt32(bytes, &offset))
        if length < 0 {
            elements.append(try E.decodeNull())
            continue
        }
        guard length <= bytes.byteCount - offset else { throw truncatedArray }
        let element = bytes.extracting(offset..<offset + length)
        elements.append(try E.decode(element, type: elementType))
        offset += length
    }
    return elements
}

private let truncatedArray = PostgresError(.decoding, "an array ends before its last element")

private func takeInt32(_ bytes: RawSpan, _ offset: inout Int) throws(PostgresError) -> Int32 {
    guard bytes.byteCount - offset >= 4 else { throw truncatedArray }
    defer { offset += 4 }
    return try integer(bytes.extracting(offset..<offset + 4))
}
