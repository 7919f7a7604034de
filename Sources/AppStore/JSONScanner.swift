internal import Signing

/// Reads JSON (RFC 8259) strictly from bytes, one value after another.
///
/// Parsers that differ over duplicate keys, lone surrogates or bad UTF-8 let one signed document
/// mean two things; here such a document means nothing. Depth and the length of numbers are
/// bounded, so that neither the stack nor arithmetic depends on the sender.
struct JSONScanner {
    /// The outermost object has depth 1.
    static let depthLimit = 32
    /// Of one number, all its parts together. An unsigned 64-bit number has 20.
    static let numberDigitsLimit = 20
    /// Of one object, as Apple's are; more costs a copy.
    private static let usualMembers = 8

    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The members of the one object that the bytes must be.
    mutating func document() throws(JSONError) -> [JSONObject.Member] {
        skipBlanks()
        guard peek() == UInt8(ascii: "{") else {
            throw error(bytes.isEmpty ? .unexpectedEnd : .notAnObject)
        }
        let members = try object(depth: 1)
        skipBlanks()
        guard position == bytes.count else { throw error(.trailingBytes) }
        return members
    }

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private func error(_ code: JSONError.Code) -> JSONError {
        JSONError(code: code, offset: position)
    }

    /// What to say of a byte that does not fit here.
    private func misfit() -> JSONError {
        error(position < bytes.count ? .unexpectedByte : .unexpectedEnd)
    }

    private mutating func skipBlanks() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }

    private mutating func expect(_ scalar: Unicode.Scalar) throws(JSONError) {
        guard peek() == UInt8(ascii: scalar) else { throw misfit() }
        position += 1
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }
}

// MARK: - Values

extension JSONScanner {
    private mutating func object(depth: Int) throws(JSONError) -> [JSONObject.Member] {
        guard depth <= Self.depthLimit else { throw error(.tooDeep) }
        try expect("{")
        var members: [JSONObject.Member] = []
        members.reserveCapacity(Self.usualMembers)
        var keys = SeenKeys()
        skipBlanks()
        if skip("}") { return members }
        repeat {
            skipBlanks()
            let start = position
            let key = try string()
            guard keys.insert(key, after: members) else {
                throw JSONError(code: .duplicateKey, offset: start)
            }
            skipBlanks()
            try expect(":")
            members.append(JSONObject.Member(key: key, value: try value(depth: depth + 1)))
            skipBlanks()
        } while skip(",")
        try expect("}")
        return members
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        guard depth <= Self.depthLimit else { throw error(.tooDeep) }
        try expect("[")
        var values: [JSONValue] = []
        skipBlanks()
        if skip("]") { return .array(values) }
        repeat {
            values.append(try value(depth: depth + 1))
            skipBlanks()
        } while skip(",")
        try expect("]")
        return .array(values)
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        skipBlanks()
        switch peek() {
        case UInt8(ascii: "\""):
            return .string(try string())
        case UInt8(ascii: "{"):
            return .object(try object(depth: depth))
        case UInt8(ascii: "["):
            return try array(depth: depth)
        case UInt8(ascii: "t"):
            return try word("true", .boolean(true))
        case UInt8(ascii: "f"):
            return try word("false", .boolean(false))
        case UInt8(ascii: "n"):
            return try word("null", .null)
        default:
            return try number()
        }
    }

    private mutating func word(
        _ text: String, _ value: JSONValue
    ) throws(JSONError) -> JSONValue {
        for scalar in text.unicodeScalars { try expect(scalar) }
        return value
    }
}

// MARK: - Numbers

extension JSONScanner {
    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        let isNegative = skip("-")
        guard let first = peek(), Self.isDigit(first) else { throw misfit() }
        let whole = try digits(after: start)
        if first == UInt8(ascii: "0"), whole.count > 1 {
            throw JSONError(code: .badNumber, offset: start)
        }
        let isWhole = try !skipFractionAndExponent(after: start)
        guard isWhole, let integer = Self.integer(whole, isNegative: isNegative) else {
            return .number(bytes[start..<position])
        }
        return .integer(integer)
    }

    /// True when there was one.
    private mutating func skipFractionAndExponent(after start: Int) throws(JSONError) -> Bool {
        var found = false
        if skip(".") {
            found = true
            guard try !digits(after: start).isEmpty else { throw misfit() }
        }
        if skip("e") || skip("E") {
            found = true
            if !skip("+") { _ = skip("-") }
            guard try !digits(after: start).isEmpty else { throw misfit() }
        }
        return found
    }

    /// The run of digits here; the number that began at `start` must stay within its limit, counted
    /// with the few bytes of its signs and point.
    private mutating func digits(after start: Int) throws(JSONError) -> ArraySlice<UInt8> {
        let first = position
        while let byte = peek(), Self.isDigit(byte) {
            position += 1
            let seen = bytes[start..<position]
            if seen.count > Self.numberDigitsLimit,
                seen.count(where: Self.isDigit) > Self.numberDigitsLimit
            {
                throw JSONError(code: .numberTooLong, offset: start)
            }
        }
        return bytes[first..<position]
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    private static func integer(_ digits: ArraySlice<UInt8>, isNegative: Bool) -> Int64? {
        var result: Int64 = 0
        for byte in digits {
            let digit = Int64(byte - UInt8(ascii: "0"))
            let (product, overflow) = result.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(isNegative ? -digit : digit)
            if overflow || carry { return nil }
            result = sum
        }
        return result
    }
}

// MARK: - Strings

extension JSONScanner {
    /// The text between the quotes as UTF-8: a slice of the input when nothing in it is escaped.
    private mutating func string() throws(JSONError) -> ArraySlice<UInt8> {
        try expect("\"")
        let start = position
        try skipPlainText()
        if peek() == UInt8(ascii: "\"") {
            position += 1
            return bytes[start..<(position - 1)]
        }
        var text = Array(bytes[start..<position])
        while !skip("\"") {
            try expect("\\")
            try appendEscaped(to: &text)
            let plain = position
            try skipPlainText()
            text += bytes[plain..<position]
        }
        return text[...]
    }

    /// To the next quote or backslash.
    private mutating func skipPlainText() throws(JSONError) {
        while true {
            position = endOfPlainText(in: bytes, from: position)
            guard let byte = peek() else { throw error(.unexpectedEnd) }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                return
            case 0x00..<0x20:
                throw error(.controlCharacter)
            default:
                let length = try multibyteLength()
                position += length
            }
        }
    }

    /// Of the UTF-8 sequence here: the shortest form only, no surrogates, nothing past U+10FFFF.
    private func multibyteLength() throws(JSONError) -> Int {
        let second = position + 1 < bytes.count ? bytes[position + 1] : 0
        let (length, allowed): (Int, ClosedRange<UInt8>)
        switch bytes[position] {
        case 0xC2...0xDF: (length, allowed) = (2, 0x80...0xBF)
        case 0xE0: (length, allowed) = (3, 0xA0...0xBF)
        case 0xE1...0xEC, 0xEE...0xEF: (length, allowed) = (3, 0x80...0xBF)
        case 0xED: (length, allowed) = (3, 0x80...0x9F)
        case 0xF0: (length, allowed) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, allowed) = (4, 0x80...0xBF)
        case 0xF4: (length, allowed) = (4, 0x80...0x8F)
        default: throw error(.invalidUTF8)
        }
        guard position + length <= bytes.count, allowed.contains(second),
            bytes[(position + 2)..<(position + length)].allSatisfy({ $0 & 0xC0 == 0x80 })
        else { throw error(.invalidUTF8) }
        return length
    }

    /// The character that the escape behind the backslash names.
    private mutating func appendEscaped(to text: inout [UInt8]) throws(JSONError) {
        guard let byte = peek() else { throw error(.unexpectedEnd) }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text += Array(UTF8.encode(try scalar()) ?? .init())
        default: throw error(.badEscape)
        }
    }

    private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, skip("\\"), skip("u") else { throw error(.loneSurrogate) }
        let second = try codeUnit()
        guard second >= 0xDC00, second <= 0xDFFF else { throw error(.loneSurrogate) }
        let value = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { throw error(.loneSurrogate) }
        return scalar
    }

    private mutating func codeUnit() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek() else { throw error(.unexpectedEnd) }
            guard let digit = Hexadecimal.value(byte) else { throw error(.badEscape) }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}

/// The keys of one object so far. Short objects are compared one by one; long ones hash, so that an
/// object of thousands of keys does not cost their square.
private struct SeenKeys {
    private static let comparisonLimit = 16

    private var many: Set<ArraySlice<UInt8>> = []

    /// False when `key` is among those of the members before it.
    mutating func insert(_ key: ArraySlice<UInt8>, after members: [JSONObject.Member]) -> Bool {
        guard members.count >= Self.comparisonLimit else {
            return unsafe key.withUnsafeBufferPointer { JSONObject.place(of: $0, in: members) }
                == nil
        }
        if many.isEmpty { many = Set(members.map(\.key)) }
        return many.insert(key).inserted
    }
}
