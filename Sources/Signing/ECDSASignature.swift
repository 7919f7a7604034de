/// The two spellings of a P-256 signature: JOSE's 64 bytes R ‖ S, and the DER that OpenSSL speaks.
enum ECDSASignature {
    static let rawBytes = 64
    /// SEQUENCE header 2, and twice: INTEGER header 2, sign byte 1, number 32.
    static let derBytesLimit = 72

    private static let sequence: UInt8 = 0x30
    private static let integer: UInt8 = 0x02
    private static let numberBytes = 32

    /// nil unless `raw` is exactly 64 bytes. Whether r and s are in range is left to OpenSSL, which
    /// refuses zero and whatever is not below the group order.
    static func der(raw: [UInt8]) -> [UInt8]? {
        guard raw.count == rawBytes else { return nil }
        var der: [UInt8] = [sequence, 0]
        der.reserveCapacity(derBytesLimit)
        appendInteger(raw[..<numberBytes], to: &der)
        appendInteger(raw[numberBytes...], to: &der)
        der[1] = UInt8(der.count - 2)
        return der
    }

    private static func appendInteger(_ number: ArraySlice<UInt8>, to der: inout [UInt8]) {
        let significant = number.drop { $0 == 0 }
        let isSigned = (significant.first ?? 0x80) >= 0x80
        der.append(integer)
        der.append(UInt8(significant.count + (isSigned ? 1 : 0)))
        if isSigned { der.append(0) }
        der.append(contentsOf: significant)
    }

    /// nil unless `der` is a SEQUENCE of two positive INTEGERs of at most 32 bytes, and nothing
    /// more.
    static func raw(der: [UInt8]) -> [UInt8]? {
        guard der.count >= 2, der.count <= derBytesLimit, der[0] == sequence,
            Int(der[1]) == der.count - 2
        else { return nil }
        var rest = der[2...]
        guard let r = takeInteger(from: &rest), let s = takeInteger(from: &rest), rest.isEmpty
        else { return nil }
        return r + s
    }

    private static func takeInteger(from rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.popFirst() == integer, let length = rest.popFirst(), length > 0,
            Int(length) <= rest.count
        else { return nil }
        let number = rest.prefix(Int(length))
        rest = rest.dropFirst(Int(length))
        guard let first = number.first, first < 0x80 else { return nil }
        let significant = number.drop { $0 == 0 }
        guard significant.count <= numberBytes else { return nil }
        return [UInt8](repeating: 0, count: numberBytes - significant.count) + significant
    }
}
