/// The judgement on a request's head: whether everybody who reads these bytes, a proxy or us,
/// agrees where the request ends and what it asks. Pure; runs before a byte of the body is taken.
enum Framing {
    /// The version as the library reports it.
    enum Version {
        case http10
        case http11
        case other
    }

    enum Verdict {
        /// `announcedBytes` is nil when the body is chunked.
        case accepted(announcedBytes: Int?)
        case refused(Refusal)
    }

    static func judge(
        target: [UInt8], version: Version, fields: HeaderFields, limits: Limits,
        bodyLimit: Int
    ) -> Verdict {
        if let refusal = judgeTarget(target, limits) ?? judgeFields(fields, limits) {
            return .refused(refusal)
        }
        if version == .other { return .refused(.version) }
        let hosts = fields.count(of: "host")
        // HTTP/1.0 knows no Host; two are ambiguous in any version.
        guard hosts == 1 || (hosts == 0 && version == .http10) else { return .refused(.host) }
        return judgeBody(version: version, fields: fields, bodyLimit: bodyLimit)
    }

    /// Origin form only, visible ASCII only: everything else is percent-encoded by an honest
    /// client.
    private static func judgeTarget(_ target: [UInt8], _ limits: Limits) -> Refusal? {
        if target.count > limits.requestLineBytes { return .targetTooLong }
        let isOrigin = target.first == UInt8(ascii: "/")
        return isOrigin && target.allSatisfy { (0x21...0x7E).contains($0) } ? nil : .target
    }

    private static func judgeFields(_ fields: HeaderFields, _ limits: Limits) -> Refusal? {
        if fields.count > limits.headerCount || fields.byteCount > limits.headerBytes {
            return .fieldsTooLarge
        }
        let allWellFormed = (0..<fields.count).allSatisfy {
            !fields.name(at: $0).isEmpty && fields.name(at: $0).allSatisfy(isToken)
                && fields.value(at: $0).allSatisfy(isText)
        }
        return allWellFormed ? nil : .field
    }

    private static func judgeBody(
        version: Version, fields: HeaderFields, bodyLimit: Int
    ) -> Verdict {
        let lengths = fields.count(of: "content-length")
        let encodings = fields.count(of: "transfer-encoding")
        if lengths > 0 && encodings > 0 { return .refused(.lengthBesideEncoding) }
        if let index = fields.firstIndex(of: "transfer-encoding") {
            let isChunked = equalIgnoringASCIICase(fields.value(at: index), "chunked".utf8)
            guard encodings == 1, isChunked, version == .http11 else { return .refused(.encoding) }
            return .accepted(announcedBytes: nil)
        }
        guard let index = fields.firstIndex(of: "content-length") else {
            return .accepted(announcedBytes: 0)
        }
        guard lengths == 1, let length = decimal(fields.value(at: index)) else {
            return .refused(.length)
        }
        if length > bodyLimit { return .refused(.bodyTooLarge) }
        return .accepted(announcedBytes: length)
    }

    /// Digits alone, at most 19 of them: no sign, no list, no blank.
    static func decimal(_ digits: ArraySlice<UInt8>) -> Int? {
        guard (1...19).contains(digits.count) else { return nil }
        var value = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            let (tens, isOver) = value.multipliedReportingOverflow(by: 10)
            let (next, isOverToo) = tens.addingReportingOverflow(Int(digit - 0x30))
            if isOver || isOverToo { return nil }
            value = next
        }
        return value
    }

    /// RFC 9110 token characters. A blank before the colon is none of them.
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
        default: false
        }
    }

    /// Anything but control bytes; a lone carriage return is one.
    private static func isText(_ byte: UInt8) -> Bool {
        byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
    }
}
