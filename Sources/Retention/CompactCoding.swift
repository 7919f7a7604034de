package import FoundationEssentials

/// Numbers in network order, texts with their lengths before them.
package struct CompactWriter {
    package private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: in bytes; more costs a copy.
    package init(reserving capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    package mutating func append(_ byte: UInt8) {
        bytes.append(byte)
    }

    // One for each width that occurs: a generic one would not be specialised for other modules.
    package mutating func append(_ number: UInt16) { append(integer: number) }
    package mutating func append(_ number: UInt32) { append(integer: number) }
    package mutating func append(_ number: Int32) { append(integer: number) }
    package mutating func append(_ number: Int64) { append(integer: number) }
    package mutating func append(_ number: UInt64) { append(integer: number) }

    private mutating func append(integer: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: integer.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Over the four bytes at `offset`, which were written before.
    package mutating func write(_ number: UInt32, at offset: Int) {
        for place in 0..<4 {
            bytes[offset + place] = UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * place))
        }
    }

    package mutating func append(_ flag: Bool) {
        bytes.append(flag ? 1 : 0)
    }

    package mutating func append(_ uuid: UUID) {
        unsafe withUnsafeBytes(of: uuid.uuid) { unsafe bytes.append(contentsOf: $0) }
    }

    /// As they are, without a length.
    package mutating func append(plain more: ArraySlice<UInt8>) {
        bytes.append(contentsOf: more)
    }

    /// What is longer than 65,535 bytes is cut.
    package mutating func append(_ text: String) {
        let count = min(text.utf8.count, Int(UInt16.max))
        append(UInt16(count))
        bytes.append(contentsOf: text.utf8.prefix(count))
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
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    package init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    package var isAtEnd: Bool { position == bytes.endIndex }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= bytes.endIndex - position else { return nil }
        defer { position += count }
        return bytes[position..<position + count]
    }

    package mutating func byte() -> UInt8? {
        guard position < bytes.endIndex else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    package mutating func flag() -> Bool? {
        switch byte() {
        case 0: false
        case 1: true
        default: nil
        }
    }

    private mutating func number(octets: Int) -> UInt64? {
        guard octets <= bytes.endIndex - position else { return nil }
        var number: UInt64 = 0
        for place in position..<position + octets { number = number << 8 | UInt64(bytes[place]) }
        position += octets
        return number
    }

    package mutating func integer() -> Int64? {
        number(octets: 8).map { Int64(bitPattern: $0) }
    }

    package mutating func integer32() -> Int32? {
        number(octets: 4).map { Int32(bitPattern: UInt32(truncatingIfNeeded: $0)) }
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

    /// Bytes with their length before them: a view of what is read.
    package mutating func block() -> ArraySlice<UInt8>? {
        number(octets: 2).flatMap { take(Int($0)) }
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
