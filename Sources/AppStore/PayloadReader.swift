internal import FoundationEssentials
internal import Retention

/// Reads the members of one signed object. Members nobody asks for are ignored; `null` is as good
/// as none.
struct PayloadReader {
    /// Apple's have 2 to 6 KB.
    static let bytesLimit = 64 * 1024
    /// Of any text that is not signed data itself.
    static let textBytesLimit = 255

    private let object: JSONObject
    private let kind: PayloadError.Kind
    /// Of the members, in errors: `data.`.
    private let prefix: String

    init(_ bytes: [UInt8], _ kind: PayloadError.Kind) throws(PayloadError) {
        guard bytes.count <= Self.bytesLimit else {
            throw PayloadError(code: .tooLong, kind: kind, member: nil)
        }
        do { object = try JSONObject(bytes) } catch {
            throw PayloadError(code: .notStrictJSON, kind: kind, member: nil)
        }
        self.kind = kind
        prefix = ""
    }

    private init(_ object: JSONObject, _ kind: PayloadError.Kind, prefix: String) {
        self.object = object
        self.kind = kind
        self.prefix = prefix
    }

    func error(_ code: PayloadError.Code, _ member: String) -> PayloadError {
        PayloadError(code: code, kind: kind, member: prefix + member)
    }

    func required<Value>(_ value: Value?, _ member: String) throws(PayloadError) -> Value {
        guard let value else { throw error(.memberMissing, member) }
        return value
    }

    func object(_ member: String) throws(PayloadError) -> PayloadReader? {
        guard let value = object.present(member) else { return nil }
        guard let inner = JSONObject(value) else { throw error(.wrongType, member) }
        return PayloadReader(inner, kind, prefix: prefix + member + ".")
    }

    func integer(_ member: String) throws(PayloadError) -> Int64? {
        guard let value = object.present(member) else { return nil }
        guard case .integer(let integer) = value else { throw error(.wrongType, member) }
        return integer
    }

    func flag(_ member: String) throws(PayloadError) -> Bool? {
        guard let value = object.present(member) else { return nil }
        guard case .boolean(let flag) = value else { throw error(.wrongType, member) }
        return flag
    }

    /// UNIX milliseconds.
    func instant(_ member: String) throws(PayloadError) -> Instant? {
        guard let milliseconds = try integer(member) else { return nil }
        guard (0...SignedDataVerifier.signedDateLimit).contains(milliseconds) else {
            throw error(.badForm, member)
        }
        return Instant(milliseconds: milliseconds)
    }

    private func bytes(_ member: String) throws(PayloadError) -> ArraySlice<UInt8>? {
        guard let value = object.present(member) else { return nil }
        guard case .string(let text) = value else { throw error(.wrongType, member) }
        return text
    }

    /// Signed data inside, not yet looked into.
    func compactJWS(_ member: String) throws(PayloadError) -> [UInt8]? {
        try bytes(member).map(Array.init)
    }

    func text(_ member: String) throws(PayloadError) -> String? {
        guard let bytes = try bytes(member) else { return nil }
        guard Self.isText(bytes) else { throw error(.badForm, member) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Texts of which only the first so many are kept.
    func texts(_ member: String, limit: Int) throws(PayloadError) -> [String] {
        guard let value = object.present(member) else { return [] }
        guard case .array(let values) = value else { throw error(.wrongType, member) }
        var texts: [String] = []
        for value in values.prefix(limit) {
            guard case .string(let bytes) = value else { throw error(.wrongType, member) }
            guard Self.isText(bytes) else { throw error(.badForm, member) }
            texts.append(String(decoding: bytes, as: UTF8.self))
        }
        return texts
    }

    /// No text column can hold a NUL, and no word of Apple's has a control character.
    private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count <= textBytesLimit && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    /// Of a transaction: Apple's are decimal numbers. Printable ASCII without blanks, so that two
    /// are the same only if their bytes are.
    func identifier(_ member: String) throws(PayloadError) -> String? {
        guard let bytes = try bytes(member) else { return nil }
        guard !bytes.isEmpty, bytes.count <= Self.textBytesLimit,
            bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw error(.badForm, member) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Any other text than a UUID is as good as none: an app can have set any.
    func token(_ member: String) throws(PayloadError) -> UUID? {
        try bytes(member).flatMap(Hexadecimal.uuid)
    }

    func uuid(_ member: String) throws(PayloadError) -> UUID? {
        guard let bytes = try bytes(member) else { return nil }
        guard let uuid = Hexadecimal.uuid(bytes) else { throw error(.badForm, member) }
        return uuid
    }

    func word<Word: RawRepresentable>(
        _ member: String, _ type: Word.Type
    ) throws(PayloadError) -> Word? where Word.RawValue == String {
        try text(member).flatMap(Word.init(rawValue:))
    }

    func number<Word: RawRepresentable>(
        _ member: String, _ type: Word.Type
    ) throws(PayloadError) -> Word? where Word.RawValue == Int64 {
        try integer(member).flatMap(Word.init(rawValue:))
    }

    func offer() throws(PayloadError) -> OfferMark? {
        let mark = OfferMark(
            type: try number("offerType", OfferType.self),
            identifier: try text("offerIdentifier"),
            discountType: try word("offerDiscountType", OfferDiscountType.self),
            period: try text("offerPeriod"))
        let isEmpty =
            mark.type == nil && mark.identifier == nil && mark.discountType == nil
            && mark.period == nil
        return isEmpty ? nil : mark
    }
}
