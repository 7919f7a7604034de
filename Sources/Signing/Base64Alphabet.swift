/// The table work behind `Base64` and `Base64URL`: six bits a character, most significant first.
///
/// Decoding accepts one spelling of each byte string and no other: two accepted spellings of one
/// signature would be two keys for one thing.
struct Base64Alphabet: Sendable {
    /// What stands in the table for a byte that is no character of the alphabet.
    private static let foreign: UInt8 = 0xFF

    private let characters: [UInt8]
    private let values: [UInt8]

    static let standard = Base64Alphabet(last: ("+", "/"))
    static let url = Base64Alphabet(last: ("-", "_"))

    private init(last: (Unicode.Scalar, Unicode.Scalar)) {
        var characters: [UInt8] = []
        characters += UInt8(ascii: "A")...UInt8(ascii: "Z")
        characters += UInt8(ascii: "a")...UInt8(ascii: "z")
        characters += UInt8(ascii: "0")...UInt8(ascii: "9")
        characters += [UInt8(ascii: last.0), UInt8(ascii: last.1)]
        var values = [UInt8](repeating: Self.foreign, count: 256)
        for (value, character) in characters.enumerated() {
            values[Int(character)] = UInt8(value)
        }
        self.characters = characters
        self.values = values
    }

    /// The characters of `bytes`, without padding.
    func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        unsafe bytes.withBytes { buffer in unsafe encode(buffer.span) }
    }

    private func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        let characters = characters.span
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var position = 0
        while position + 3 <= bytes.count {
            let group =
                UInt32(bytes[position]) << 16 | UInt32(bytes[position + 1]) << 8
                | UInt32(bytes[position + 2])
            text.append(characters[Int(group >> 18)])
            text.append(characters[Int(group >> 12) & 0x3F])
            text.append(characters[Int(group >> 6) & 0x3F])
            text.append(characters[Int(group) & 0x3F])
            position += 3
        }
        let left = bytes.count - position
        if left == 1 { append(UInt32(bytes[position]) << 16, characters: 2, to: &text) }
        if left == 2 {
            let group = UInt32(bytes[position]) << 16 | UInt32(bytes[position + 1]) << 8
            append(group, characters: 3, to: &text)
        }
        return text
    }

    private func append(_ group: UInt32, characters count: Int, to text: inout [UInt8]) {
        for index in 0..<count {
            text.append(characters[Int(group >> UInt32(18 - 6 * index)) & 0x3F])
        }
    }

    /// The bytes of unpadded `text`; nil for a foreign character, an impossible length (one
    /// character over a multiple of four), or bits set behind the last byte.
    func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        unsafe text.withBytes { buffer in unsafe decode(buffer.span) }
    }

    private func decode(_ text: Span<UInt8>) -> [UInt8]? {
        let tail = text.count % 4
        if tail == 1 { return nil }
        let whole = text.count - tail
        var bytes: [UInt8] = []
        bytes.reserveCapacity(whole / 4 * 3 + 2)
        var seen: UInt8 = 0
        var position = 0
        while position < whole {
            let group = group(text, at: position, count: 4, seen: &seen)
            bytes.append(UInt8(truncatingIfNeeded: group >> 16))
            bytes.append(UInt8(truncatingIfNeeded: group >> 8))
            bytes.append(UInt8(truncatingIfNeeded: group))
            position += 4
        }
        if tail > 0 {
            let group = group(text, at: whole, count: tail, seen: &seen)
            let unused: UInt32 = tail == 2 ? 0xFFFF : 0xFF
            if group & unused != 0 { return nil }
            bytes.append(UInt8(truncatingIfNeeded: group >> 16))
            if tail == 3 { bytes.append(UInt8(truncatingIfNeeded: group >> 8)) }
        }
        // A foreign character is the only table entry with its top bits set.
        return seen & 0xC0 == 0 ? bytes : nil
    }

    private func group(
        _ text: Span<UInt8>, at position: Int, count: Int, seen: inout UInt8
    ) -> UInt32 {
        var group: UInt32 = 0
        for index in 0..<count {
            let value = values[Int(text[position + index])]
            seen |= value
            group |= UInt32(value & 0x3F) << UInt32(18 - 6 * index)
        }
        return group
    }
}
