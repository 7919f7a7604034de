/// A value that can be bound to `$n`. It travels in PostgreSQL's binary form with its type.
package protocol SQLEncodable: Sendable {
    static var sqlType: SQLType { get }
    /// The binary form; nil is NULL. Throws `encoding` for what PostgreSQL cannot hold.
    func encoded() throws(PostgresError) -> [UInt8]?
}

/// A value that a column can be read as. The column's type is checked; nothing is guessed.
package protocol SQLDecodable {
    static func decode(_ bytes: RawSpan, type: SQLType) throws(PostgresError) -> Self
    /// What NULL becomes; refused unless the type is an Optional.
    static func decodeNull() throws(PostgresError) -> Self
}

/// A value that can stand alone and inside an array.
package protocol SQLScalar: SQLEncodable, SQLDecodable, SQLElement {
    static var sqlArrayType: SQLType { get }
}

extension SQLDecodable {
    package static func decodeNull() throws(PostgresError) -> Self {
        throw PostgresError(.decoding, "NULL where \(Self.self) was asked for; ask for an Optional")
    }
}

extension Optional: SQLEncodable where Wrapped: SQLEncodable {
    package static var sqlType: SQLType { Wrapped.sqlType }

    package func encoded() throws(PostgresError) -> [UInt8]? {
        guard let value = self else { return nil }
        return try value.encoded()
    }
}

extension Optional: SQLDecodable where Wrapped: SQLDecodable {
    package static func decode(_ bytes: RawSpan, type: SQLType) throws(PostgresError) -> Wrapped? {
        try Wrapped.decode(bytes, type: type)
    }

    package static func decodeNull() throws(PostgresError) -> Wrapped? { nil }
}

func require(_ type: SQLType, among accepted: [SQLType]) throws(PostgresError) {
    guard accepted.contains(type) else {
        let names = accepted.map(\.description).joined(separator: " or ")
        throw PostgresError(.decoding, "the column is \(type) and \(names) was expected")
    }
}

/// In network order.
func bytesOf(_ value: some FixedWidthInteger) -> [UInt8] {
    unsafe withUnsafeBytes(of: value.bigEndian) { bytes in unsafe [UInt8](bytes) }
}

func copy(_ bytes: RawSpan) -> [UInt8] {
    unsafe bytes.withUnsafeBytes { buffer in unsafe [UInt8](buffer) }
}

/// All the bytes as one integer; any other count than the integer's own is refused.
func integer<T: FixedWidthInteger & BitwiseCopyable>(_ bytes: RawSpan) throws(PostgresError) -> T {
    guard bytes.byteCount == MemoryLayout<T>.size else {
        throw PostgresError(
            .decoding, "\(bytes.byteCount) bytes came for an integer of \(MemoryLayout<T>.size)")
    }
    return T(bigEndian: unsafe bytes.unsafeLoadUnaligned(as: T.self))
}
