/// Standard, padded Base64 (RFC 4648 §4): the form of `x5c` certificates and of PEM bodies.
package enum Base64 {
    private static let padding = UInt8(ascii: "=")

    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: encodedBytes(bytes), as: UTF8.self)
    }

    /// The same as ASCII bytes, for callers that go on in bytes.
    package static func encodedBytes(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var text = Base64Alphabet.standard.encode(bytes)
        while text.count % 4 != 0 { text.append(padding) }
        return text
    }

    /// nil unless `text` is the one standard spelling: padded to a multiple of four, no blanks, no
    /// characters of the URL alphabet, no bits set behind the last byte.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        unsafe text.withBytes { buffer in
            guard buffer.count % 4 == 0 else { return nil }
            var end = buffer.count
            while end > 0, end > buffer.count - 2, unsafe buffer[end - 1] == padding { end -= 1 }
            return unsafe Base64Alphabet.standard.decode(buffer[..<end])
        }
    }
}
