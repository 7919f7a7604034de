/// Builds a tree in one pass over bytes that the strict reader has found to be clean JSON: what is
/// looked at here is known to be there, and known to be no deeper than `JSONTree.depthLimit`.
///
/// Decoding through `Codable` instead tries each kind of value in turn and throws for all but one:
/// a megabyte of small arrays took nine seconds so.
struct JSONTreeBuilder {
    private let bytes: [UInt8]
    private var position = 0

    init(clean bytes: [UInt8]) { self.bytes = bytes }

    /// `nil` where a number is too large to be held.
    mutating func build() -> JSONTree? {
        skipBlanks()
        return value()
    }

    private var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

    private mutating func skipBlanks() {
        while [0x20, 0x0a, 0x0d, 0x09].contains(current) { position += 1 }
    }

    private mutating func value() -> JSONTree? {
        switch current {
        case UInt8(ascii: "{"): return object()
        case UInt8(ascii: "["): return array()
        case UInt8(ascii: "\""): return .string(string())
        case UInt8(ascii: "t"): return word(4, .boolean(true))
        case UInt8(ascii: "f"): return word(5, .boolean(false))
        case UInt8(ascii: "n"): return word(4, .null)
        default: return number()
        }
    }

    private mutating func word(_ length: Int, _ value: JSONTree) -> JSONTree {
        position += length
        return value
    }

    private mutating func object() -> JSONTree? {
        var members: [String: JSONTree] = [:]
        position += 1
        skipBlanks()
        while current != UInt8(ascii: "}"), position < bytes.count {
            let name = string()
            skipBlanks()
            position += 1  // the colon
            skipBlanks()
            guard let value = value() else { return nil }
            members[name] = value
            skipSeparator()
        }
        position += 1
        return .object(members)
    }

    private mutating func array() -> JSONTree? {
        var elements: [JSONTree] = []
        position += 1
        skipBlanks()
        while current != UInt8(ascii: "]"), position < bytes.count {
            guard let value = value() else { return nil }
            elements.append(value)
            skipSeparator()
        }
        position += 1
        return .array(elements)
    }

    private mutating func skipSeparator() {
        skipBlanks()
        guard current == UInt8(ascii: ",") else { return }
        position += 1
        skipBlanks()
    }

    private mutating func string() -> String {
        position += 1
        let start = position
        while current != UInt8(ascii: "\""), current != UInt8(ascii: "\\"), position < bytes.count {
            position += 1
        }
        var text = Array(bytes[start..<position])
        while current != UInt8(ascii: "\""), position < bytes.count {
            if current == UInt8(ascii: "\\") {
                position += 1
                text += escape()
            } else {
                text.append(current)
                position += 1
            }
        }
        position += 1
        return String(decoding: text, as: UTF8.self)
    }

    /// What stands behind a backslash. Surrogates come in pairs: the strict reader saw to that.
    private mutating func escape() -> [UInt8] {
        let kind = current
        position += 1
        switch kind {
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0c]
        case UInt8(ascii: "n"): return [0x0a]
        case UInt8(ascii: "r"): return [0x0d]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            var scalar = fourDigits()
            if (0xd800..<0xdc00).contains(scalar) {
                position += 2  // backslash and u of the second half
                scalar = 0x10000 + (scalar - 0xd800) << 10 + (fourDigits() &- 0xdc00) & 0x3ff
            }
            return Unicode.Scalar(scalar).map { Array(String(Character($0)).utf8) } ?? []
        default: return [kind]
        }
    }

    private mutating func fourDigits() -> UInt32 {
        let digits = bytes[min(position, bytes.count)..<min(position + 4, bytes.count)]
        position += 4
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0
    }

    /// Whole numbers within 64 bits are integers however they are written.
    private mutating func number() -> JSONTree? {
        let start = position
        while position < bytes.count, Self.isOfNumber(current) { position += 1 }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if let integer = Int64(text) { return .integer(integer) }
        guard let double = Double(text), double.isFinite else { return nil }
        // Beyond 2^53 a double is no longer every whole number: what was meant is not known.
        if abs(double) <= 9_007_199_254_740_992, let integer = Int64(exactly: double) {
            return .integer(integer)
        }
        return .number(double)
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
