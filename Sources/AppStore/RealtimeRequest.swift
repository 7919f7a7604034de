package import FoundationEssentials

/// Apple's question: what to show to a subscriber who opened the page where one can cancel.
/// Apple's page: retentionmessaging/decodedrealtimerequestbody.
package struct RealtimeRequest: Sendable, Equatable {
    /// Of `originalTransactionId` and `productId`; both are short at Apple.
    package static let identifierBytesLimit = 255

    package let originalTransactionId: String
    package let appAppleId: Int64
    package let productId: String
    /// As Apple sent it: any text, to be matched by a locale matcher that expects any text.
    package let userLocale: String
    package let requestIdentifier: UUID
    /// `Production` or `Sandbox` once verified.
    package let environment: String
    /// UNIX milliseconds.
    package let signedDate: Int64

    private static let fields = [
        "originalTransactionId", "appAppleId", "productId", "userLocale", "requestIdentifier",
        "environment", "signedDate",
    ]

    /// All seven fields are required. Without one it is another kind of signed data (`wrongType`);
    /// with one of the wrong JSON type or form it is malformed.
    init(_ payload: JSONObject) throws(VerificationError) {
        for field in Self.fields where !payload.has(field) {
            throw VerificationError(
                .wrongType, "The payload is no real-time request: it has no \(field).")
        }
        originalTransactionId = try Self.identifier(payload, "originalTransactionId")
        appAppleId = try Self.integer(payload, "appAppleId")
        productId = try Self.identifier(payload, "productId")
        userLocale = try Self.text(payload, "userLocale")
        environment = try Self.text(payload, "environment")
        signedDate = try Self.integer(payload, "signedDate")
        guard let uuid = payload.string("requestIdentifier").flatMap(Hexadecimal.uuid) else {
            throw Self.malformed("requestIdentifier")
        }
        requestIdentifier = uuid
    }

    private static func text(
        _ payload: JSONObject, _ field: String
    ) throws(VerificationError) -> String {
        // No text column can hold a NUL.
        guard let bytes = payload.string(field), !bytes.contains(0) else { throw malformed(field) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func identifier(
        _ payload: JSONObject, _ field: String
    ) throws(VerificationError) -> String {
        guard let bytes = payload.string(field), !bytes.isEmpty,
            bytes.count <= identifierBytesLimit,
            bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw malformed(field) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func integer(
        _ payload: JSONObject, _ field: String
    ) throws(VerificationError) -> Int64 {
        guard let value = payload.integer(field) else { throw malformed(field) }
        return value
    }

    private static func malformed(_ field: String) -> VerificationError {
        VerificationError(
            .payloadMalformed, "The field \(field) does not have the type and form Apple gives it.")
    }
}
