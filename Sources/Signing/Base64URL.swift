/// Base64 with the URL alphabet and without padding (RFC 7515 §2): the form of the JWS segments.
package enum Base64URL {
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: encodedBytes(bytes), as: UTF8.self)
    }

    /// The same as ASCII bytes, for callers that go on in bytes.
    package static func encodedBytes(_ bytes: some Collection<UInt8>) -> [UInt8] {
        Base64Alphabet.url.encode(bytes)
    }

    /// nil unless `text` is the one spelling of its bytes: no padding, no `+` or `/`, no length of
    /// one over a multiple of four, no bits set behind the last byte.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        Base64Alphabet.url.decode(text)
    }
}
