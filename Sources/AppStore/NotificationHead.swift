package import FoundationEssentials

/// What is read of an App Store Server Notification (version 2) before it is kept: what names it,
/// and whom it is about. Everything else stays in the signed payload for whoever folds it.
///
/// Apple's page: appstoreservernotifications/responsebodyv2decodedpayload
package struct NotificationHead: Sendable, Equatable {
    /// Of a type or subtype. Apple's longest has 25 bytes; both sets are open.
    static let wordBytesLimit = 128
    /// Of an identifier, as the tables hold it. Apple's have some 16 digits.
    static let identifierBytesLimit = 64

    /// The same in each repeat.
    package let notificationUUID: UUID
    package let notificationType: String
    package let subtype: String?
    /// UNIX milliseconds.
    package let signedDate: Int64
    /// Of the transaction in it, else of the renewal; `nil` where it has neither.
    package let originalTransactionId: String?
    /// Of the customer's app transaction; `nil` where Apple names none.
    package let appTransactionId: String?

    /// - Parameters:
    ///   - payload: of the notification.
    ///   - parts: payloads of the signed data in it, in the order in which they are asked for what
    ///     both may say.
    init(
        _ payload: JSONObject, signedDate: Int64, parts: [JSONObject]
    ) throws(VerificationError) {
        guard let uuid = payload.string("notificationUUID").flatMap(Hexadecimal.uuid) else {
            throw Self.malformed("notificationUUID")
        }
        guard let type = try Self.text(payload, "notificationType", limit: Self.wordBytesLimit)
        else { throw Self.malformed("notificationType") }
        notificationUUID = uuid
        notificationType = type
        subtype = try Self.text(payload, "subtype", limit: Self.wordBytesLimit)
        self.signedDate = signedDate
        originalTransactionId = try Self.identifier("originalTransactionId", in: parts)
        appTransactionId = try Self.identifier("appTransactionId", in: parts)
    }

    /// Other signed data has no such fields.
    static func requireKind(_ payload: JSONObject) throws(VerificationError) {
        guard payload.has("notificationType"), payload.has("notificationUUID") else {
            throw VerificationError(
                .wrongType, "The payload is no notification: it has no type or no identifier.")
        }
    }

    private static func identifier(
        _ field: String, in parts: [JSONObject]
    ) throws(VerificationError) -> String? {
        for part in parts {
            let text = try text(part, field, limit: identifierBytesLimit)
            if let text { return text }
        }
        return nil
    }

    /// nil where the field is absent or null. 1 to `limit` bytes of visible text.
    private static func text(
        _ object: JSONObject, _ field: String, limit: Int
    ) throws(VerificationError) -> String? {
        guard let value = object.present(field) else { return nil }
        guard case .string(let bytes) = value, (1...limit).contains(bytes.count),
            bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw malformed(field) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func malformed(_ field: String) -> VerificationError {
        VerificationError(
            .payloadMalformed, "The field \(field) does not have the type and form Apple gives it.")
    }
}
