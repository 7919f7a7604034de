/// Text as a JSON string that is safe to show: besides what JSON demands, everything that moves a
/// cursor, colours a terminal, ends a line or turns the reading direction leaves escaped.
enum JSONText {
    static func append(_ text: some StringProtocol, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": bytes += "\\\"".utf8
            case "\\": bytes += "\\\\".utf8
            case "\n": bytes += "\\n".utf8
            case "\r": bytes += "\\r".utf8
            case "\t": bytes += "\\t".utf8
            case _ where isHarmful(scalar): bytes += escaped(scalar.value).utf8
            default: bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    static func append(_ texts: [String], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "["))
        for (place, text) in texts.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            append(text, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f...0x9f: true  // C0, DEL and C1: U+009B alone begins an ANSI sequence
        case 0x2028, 0x2029: true  // line and paragraph separator
        case 0x061c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: true  // reading direction
        case 0xfeff, 0xfff9...0xfffb: true  // byte order mark, interlinear marks
        case 0xe0000...0xe007f: true  // tags: invisible text
        default: false
        }
    }

    /// Outside the basic plane JSON writes a surrogate pair.
    private static func escaped(_ value: UInt32) -> String {
        guard value > 0xffff else { return "\\u" + hex(value) }
        let offset = value - 0x10000
        return "\\u" + hex(0xd800 + offset >> 10) + "\\u" + hex(0xdc00 + offset & 0x3ff)
    }

    private static func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }
}
