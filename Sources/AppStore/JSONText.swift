/// Writes a JSON object, its members in the order given.
struct JSONText {
    /// Of an answer with a signature; more costs a copy.
    private static let usualBytes = 1_024

    private(set) var bytes: [UInt8] = []

    init() {
        bytes.reserveCapacity(Self.usualBytes)
        bytes.append(UInt8(ascii: "{"))
    }

    mutating func add(_ key: String, _ value: String) {
        addKey(key)
        bytes.append(UInt8(ascii: "\""))
        // Identifiers and signatures need no escape; they go in as one piece.
        var value = value
        value.withUTF8 { text in
            if unsafe text.allSatisfy(Self.isPlain) {
                unsafe bytes.append(contentsOf: text)
            } else {
                for place in text.indices { append(escaped: unsafe text[place]) }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func add(_ key: String, _ value: Int64) {
        addKey(key)
        bytes += String(value).utf8
    }

    mutating func add(_ key: String, _ value: Bool) {
        addKey(key)
        bytes += (value ? "true" : "false").utf8
    }

    mutating func add(_ key: String, _ value: JSONText) {
        addKey(key)
        bytes += value.closed()
    }

    mutating func add(_ key: String, _ values: [JSONText]) {
        addKey(key)
        bytes.append(UInt8(ascii: "["))
        bytes += values.map { $0.closed() }.joined(separator: [UInt8(ascii: ",")])
        bytes.append(UInt8(ascii: "]"))
    }

    /// The finished object.
    func closed() -> [UInt8] {
        var closed = bytes
        closed.append(UInt8(ascii: "}"))
        return closed
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func addKey(_ key: String) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        bytes += key.utf8
        bytes += "\":".utf8
    }

    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes += [UInt8(ascii: "\\"), byte]
        case 0x00..<0x20:
            let digits = Array("0123456789abcdef".utf8)
            bytes += "\\u00".utf8
            bytes += [digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
        default:
            bytes.append(byte)
        }
    }
}
