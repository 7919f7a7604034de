/// The outer form of a language tag, checked before ICU sees a byte of it.
///
/// `userLocale` comes from a wire. Accepted: ASCII letters, digits and `-` or `_` between them,
/// beginning with a language of two or three letters. So paths, `C`, `root`, NUL, other scripts
/// and long texts all end here.
struct LocaleTag: Sendable {
    /// Real tags have 2 to 20 bytes; the rest is room for extensions.
    static let bytesLimit = 64

    /// With `-` between subtags.
    let text: String

    init?(_ untrusted: String) {
        // Counted on the fly, so that ten megabytes cost no more than the limit.
        var bytes: [UInt8] = []
        for byte in untrusted.utf8 {
            guard bytes.count < Self.bytesLimit else { return nil }
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: "_"): bytes.append(UInt8(ascii: "-"))
            case _ where byte.isASCIILetter || byte.isASCIIDigit: bytes.append(byte)
            default: return nil
            }
        }
        let subtags = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard subtags.allSatisfy({ !$0.isEmpty }), let language = subtags.first,
            (2...3).contains(language.count), language.allSatisfy(\.isASCIILetter)
        else { return nil }
        text = String(decoding: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isASCIILetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }

    fileprivate var isASCIIDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}
