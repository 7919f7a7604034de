/// Walks over the bytes of one JSON text (RFC 8259, nothing beyond it). The bytes are known to be
/// UTF-8; every position is checked before it is read.
struct JSONReader {
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func text() throws(JSONError) -> JSONValue {
        let value = try self.value()
        skipSpace()
        guard position == bytes.count else { throw malformed("nothing after the value") }
        return value
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        skipSpace()
        switch peek() {
        case UInt8(ascii: "{"):
            return try nested { reader throws(JSONError) in try reader.object() }
        case UInt8(ascii: "["): return try nested { reader throws(JSONError) in try reader.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func nested(
        _ body: (inout JSONReader) throws(JSONError) -> JSONValue
    ) throws(JSONError) -> JSONValue {
        depth += 1
        guard depth <= JSONValue.depthLimit else {
            throw JSONError(.tooDeep, "More than \(JSONValue.depthLimit) levels of nesting.")
        }
        position += 1
        let value = try body(&self)
        depth -= 1
        return value
    }

    private mutating func object() throws(JSONError) -> JSONValue {
        var members: [JSONValue.Member] = []
        var names: Set<[UInt8]> = []
        if take(UInt8(ascii: "}")) { return .object([]) }
        repeat {
            skipSpace()
            guard peek() == UInt8(ascii: "\"") else { throw malformed("a name in quotes") }
            let name = try string()
            guard names.insert(Array(name.utf8)).inserted else {
                throw JSONError(.duplicateName, "A name occurs twice in one object.")
            }
            guard take(UInt8(ascii: ":")) else { throw malformed("a colon") }
            members.append(.init(name: name, value: try value()))
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw malformed("a comma or }") }
        return .object(members)
    }

    private mutating func array() throws(JSONError) -> JSONValue {
        var elements: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return .array([]) }
        repeat { elements.append(try value()) } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw malformed("a comma or ]") }
        return .array(elements)
    }

    private mutating func word(
        _ text: StaticString, _ value: JSONValue
    ) throws(JSONError) -> JSONValue {
        for byte in text.description.utf8 {
            guard peek() == byte else { throw malformed("true, false or null") }
            position += 1
        }
        return value
    }

    private mutating func number() throws(JSONError) -> [UInt8] {
        let start = position
        takeOne(UInt8(ascii: "-"))
        let leadingZero = peek() == UInt8(ascii: "0")
        let wholeDigits = digits()
        guard wholeDigits > 0, !(leadingZero && wholeDigits > 1) else { throw malformed("a value") }
        if takeOne(UInt8(ascii: ".")) {
            guard digits() > 0 else { throw malformed("a digit after the point") }
        }
        if takeOne(UInt8(ascii: "e")) || takeOne(UInt8(ascii: "E")) {
            if !takeOne(UInt8(ascii: "-")) { takeOne(UInt8(ascii: "+")) }
            guard digits() > 0 else { throw malformed("a digit of the exponent") }
        }
        guard position - start <= JSONValue.numberBytesLimit else {
            throw JSONError(
                .numberTooLong, "A number is longer than \(JSONValue.numberBytesLimit) bytes.")
        }
        return Array(bytes[start..<position])
    }

    private mutating func digits() -> Int {
        let start = position
        while let byte = peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            position += 1
        }
        return position - start
    }

    private mutating func string() throws(JSONError) -> String {
        position += 1
        var content: [UInt8] = []
        while let byte = peek() {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"): content.append(contentsOf: try escape())
            case 0..<0x20: throw malformed("no control character in a string")
            default: content.append(byte)
            }
        }
        throw malformed("the end of a string")
    }

    private mutating func escape() throws(JSONError) -> [UInt8] {
        guard let byte = peek() else { throw malformed("an escape") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return try scalar()
        default: throw malformed("an escape that JSON knows")
        }
    }

    private mutating func scalar() throws(JSONError) -> [UInt8] {
        let first = try fourHexDigits()
        var value = first
        if (0xD800..<0xDC00).contains(first) {
            guard takeOne(UInt8(ascii: "\\")), takeOne(UInt8(ascii: "u")) else {
                throw malformed("the second half of a surrogate pair")
            }
            let second = try fourHexDigits()
            guard (0xDC00..<0xE000).contains(second) else {
                throw malformed("the second half of a surrogate pair")
            }
            value = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(value) else { throw malformed("a Unicode scalar") }
        return Array(String(Character(scalar)).utf8)
    }

    private mutating func fourHexDigits() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue
            else { throw malformed("four hexadecimal digits") }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    private func peek() -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }

    /// Takes the byte if it comes next, blanks before it aside.
    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        return takeOne(byte)
    }

    @discardableResult
    private mutating func takeOne(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        position += 1
        return true
    }

    private func malformed(_ expected: String) -> JSONError {
        JSONError(.malformed, "Byte \(position) is wrong: JSON expects \(expected) here.")
    }
}
