/// One segment of a URL's path, RFC 3986.
enum PathSegment {
    /// All but the unreserved characters are escaped. Nil where no segment can say it: nothing at
    /// all would leave two slashes, and dots alone are taken for a step up, escaped or not.
    static func encode(_ text: String) -> String? {
        guard !text.utf8.allSatisfy({ $0 == UInt8(ascii: ".") }) else { return nil }
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = text.utf8.flatMap { byte in
            isUnreserved(byte)
                ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func isUnreserved(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "-._~".utf8.contains(byte)
    }

    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
