package import FoundationEssentials

extension Bool: SQLScalar {
    package static let sqlType = SQLType.bool
    package static let sqlArrayType = SQLType.boolArray

    package func encoded() throws(PostgresError) -> [UInt8]? { [self ? 1 : 0] }

    package static func decode(_ bytes: RawSpan, type: SQLType) throws(PostgresError) -> Bool {
        try require(type, among: [.bool])
        let value: UInt8 = try integer(bytes)
        return value != 0
    }
}

extension Int16: SQLScalar {
    package static let sqlType = SQLType.int2
    package static let sqlArrayType = SQLType.int2Array

    package func encoded() throws(PostgresError) -> [UInt8]? { bytesOf(self) }

    package static func decode(_ bytes: RawSpan, type: SQLType) throws(PostgresError) -> Int16 {
        try require(type, among: [.int2])
        return try integer(bytes)
    }
}

extension Int32: SQLScalar {
    package static let sqlType = SQLType.int4
    package static let sqlArrayType = SQLType.int4Array

    package func encoded() throws(PostgresError) -> [UInt8]? { bytesOf(self) }

    /// Also reads the narrower `int2`, never the wider `int8`.
    package static func decode(_ bytes: RawSpan, type: SQLType) throws(PostgresError) -> Int32 {
        try require(type, among: [.int4, .int2])
        if type == .int2 { return Int32(try integer(bytes) as Int16) }
        return try integer(bytes)
    }
}

extension Int64: SQLScalar {
    package static let sqlType = SQLType.int8
    package static let sqlArrayType = SQLType.int8Array

    package func encoded() throws(PostgresError) -> [UInt8]? { bytesOf(self) }

    /// Also reads the narrower `int4` and `int2`.
    package static func decode(_ bytes: RawSpan, type: SQLType) throws(PostgresError) -> Int64 {
        try require(type, among: [.int8, .int4, .int2])
        if type == .int8 { return try integer(bytes) }
        return Int64(try Int32.decode(bytes, type: type))
    }
}

extension Int: SQLScalar {
    package static let sqlType = SQLType.int8
    package static let sqlArrayType = SQLType.int8Array

    package func encoded() throws(PostgresError) -> [UInt8]? { bytesOf(self) }

    package static func decode(_ bytes: RawSpan, type: SQLType) throws(PostgresError) -> Int {
        Int(try Int64.decode(bytes, type: type))
    }
}

extension Double: SQLScalar {
    package static let sqlType = SQLType.float8
    package static let sqlArrayType = SQLType.float8Array

    package func encoded() throws(PostgresError) -> [UInt8]? { bytesOf(bitPattern) }

    package static func decode(_ bytes: RawSpan, type: SQLType) throws(PostgresError) -> Double {
        try require(type, among: [.float8, .float4])
        if type == .float4 { return Double(Float(bitPattern: try integer(bytes))) }
        return Double(bitPattern: try integer(bytes))
    }
}

extension String: SQLScalar {
    package static let sqlType = SQLType.text
    package static let sqlArrayType = SQLType.textArray

    package func encoded() throws(PostgresError) -> [UInt8]? {
        let bytes = [UInt8](utf8)
        guard !bytes.contains(0) else {
            throw PostgresError(.encoding, "PostgreSQL's text cannot hold a NUL character")
        }
        return bytes
    }

    /// Reads the text types and user-defined types whose binary form is text (enums, citext).
    /// A composite or range is told apart by its NUL bytes, which no text has.
    package static func decode(_ bytes: RawSpan, type: SQLType) throws(PostgresError) -> String {
        if !type.isUserDefined {
            try require(type, among: [.text, .varchar, .bpchar, .name, .char, .unknown])
        }
        let text = copy(bytes)
        guard !text.contains(0), let string = String(validating: text, as: UTF8.self) else {
            throw PostgresError(.decoding, "a column of \(type) does not hold UTF-8 text")
        }
        return string
    }
}

extension UUID: SQLScalar {
    package static let sqlType = SQLType.uuid
    package static let sqlArrayType = SQLType.uuidArray

    package func encoded() throws(PostgresError) -> [UInt8]? {
        unsafe withUnsafeBytes(of: uuid) { bytes in unsafe [UInt8](bytes) }
    }

    package static func decode(_ bytes: RawSpan, type: SQLType) throws(PostgresError) -> UUID {
        try require(type, among: [.uuid])
        guard bytes.byteCount == 16 else {
            throw PostgresError(.decoding, "\(bytes.byteCount) bytes came for a UUID")
        }
        return UUID(uuid: unsafe bytes.unsafeLoadUnaligned(as: uuid_t.self))
    }
}
