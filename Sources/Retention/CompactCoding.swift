package import FoundationEssentials

/// Numbers in network order, texts with their lengths before them.
package struct CompactWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func append(_ byte: UInt8) {
        bytes.append(byte)
    }

    package mutating func append(_ number: some FixedWidthInteger) {
        let width = type(of: number).bitWidth
        for shift in stride(from: width - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    package mutating func append(_ flag: Bool) {
        bytes.append(flag ? 1 : 0)
    }

    package mutating func append(_ uuid: UUID) {
        bytes += uuid.bytes
    }

    /// What is longer than 65,535 bytes is cut.
    package mutating func append(_ text: String) {
        append(bytes: Array(text.utf8))
    }

    package mutating func append(bytes more: [UInt8]) {
        let fitting = more.prefix(Int(UInt16.max))
        append(UInt16(fitting.count))
        bytes += fitting
    }

    package mutating func append(_ text: String?) {
        append(text) { $0.append($1) }
    }

    package mutating func append(_ uuid: UUID?) {
        append(uuid) { $0.append($1) }
    }

    package mutating func append(_ instant: Instant?) {
        append(instant?.milliseconds) { $0.append($1) }
    }

    /// A byte that says whether there is a value, then the value.
    package mutating func append<Value>(
        _ value: Value?, _ write: (inout CompactWriter, Value) -> Void
    ) {
        append(value != nil)
        if let value { write(&self, value) }
    }
}

/// Reads what `CompactWriter` wrote; `nil` at the first byte that does not fit.
package struct CompactReader {
    private let bytes: [UInt8]
    private var position = 0

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package var isAtEnd: Bool { position == bytes.count }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= bytes.count - position else { return nil }
        defer { position += count }
        return bytes[position..<position + count]
    }

    package mutating func byte() -> UInt8? {
        take(1)?.first
    }

    package mutating func flag() -> Bool? {
        switch byte() {
        case 0: false
        case 1: true
        default: nil
        }
    }

    package mutating func integer() -> Int64? {
        take(8).map { Int64(bitPattern: $0.reduce(0) { $0 << 8 | UInt64($1) }) }
    }

    package mutating func integer32() -> Int32? {
        take(4).map { Int32(bitPattern: $0.reduce(0) { $0 << 8 | UInt32($1) }) }
    }

    package mutating func instant() -> Instant? {
        integer().map(Instant.init(milliseconds:))
    }

    package mutating func uuid() -> UUID? {
        take(16).flatMap { UUID(bytes: $0) }
    }

    package mutating func text() -> String? {
        block().flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Bytes with their length before them.
    package mutating func block() -> [UInt8]? {
        guard let length = take(2)?.reduce(0, { $0 << 8 | Int($1) }) else { return nil }
        return take(length).map(Array.init)
    }

    /// The outer `nil` is a fault, the inner one an absent value.
    package mutating func optional<Value>(
        _ read: (inout CompactReader) -> Value?
    ) -> Value?? {
        switch flag() {
        case false: .some(nil)
        case true: read(&self).map(Optional.some)
        case nil: nil
        }
    }
}
