package import FoundationEssentials
package import Retention

/// A notification that was verified, taken apart as far as its own JSON goes: what was signed
/// inside it is still to be verified.
///
/// Apple's page: appstoreservernotifications/responsebodyv2decodedpayload
package struct NotificationPayload: Equatable, Sendable {
    /// Apple's `data`, of one app and mostly of one subscription.
    package struct Content: Equatable, Sendable {
        package let environment: String
        package let bundleId: String
        /// May be missing in the sandbox.
        package let appAppleId: Int64?
        package let bundleVersion: String?
        /// Compact JWS.
        package let signedTransactionInfo: [UInt8]?
        /// Compact JWS.
        package let signedRenewalInfo: [UInt8]?
        package let status: SubscriptionStatus?
        package let consumptionRequestReason: ConsumptionRequestReason?
    }

    /// What the other bodies say of whose they are; any of it may be missing.
    package struct Sender: Equatable, Sendable {
        package let environment: String?
        package let bundleId: String?
        package let appAppleId: Int64?
    }

    package enum Body: Equatable, Sendable {
        case data(Content)
        /// Of a mass extension of renewal dates.
        case summary(Sender)
        case externalPurchaseToken(Sender)
        case appData(Sender)
        /// None that is known: it is stored, and nothing is done.
        case unknown
    }

    package let uuid: UUID
    package let type: NotificationType
    package let subtype: NotificationSubtype?
    package let signedDate: Instant
    /// `2.0`.
    package let version: String?
    package let body: Body
    private let fingerprint: UInt64

    /// - Parameter payload: of a JWS that was believed (`SignedDataVerifier.verify`).
    /// - Throws: `memberMissing` for other kinds of signed data: a transaction has no
    ///   `notificationUUID`.
    package init(_ payload: [UInt8]) throws(PayloadError) {
        let reader = try PayloadReader(payload, .notification)
        uuid = try reader.required(reader.uuid("notificationUUID"), "notificationUUID")
        type = try reader.required(
            reader.word("notificationType", NotificationType.self), "notificationType")
        subtype = try reader.word("subtype", NotificationSubtype.self)
        signedDate = try reader.required(reader.instant("signedDate"), "signedDate")
        version = try reader.text("version")
        body = try Self.body(reader)
        fingerprint = Fingerprint.of(payload)
    }

    private static func body(_ reader: PayloadReader) throws(PayloadError) -> Body {
        if let data = try reader.object("data") { return .data(try content(data)) }
        if let inner = try reader.object("summary") { return .summary(try sender(inner)) }
        if let inner = try reader.object("externalPurchaseToken") {
            return .externalPurchaseToken(try sender(inner))
        }
        if let inner = try reader.object("appData") { return .appData(try sender(inner)) }
        return .unknown
    }

    private static func content(_ data: PayloadReader) throws(PayloadError) -> Content {
        Content(
            environment: try data.required(data.text("environment"), "environment"),
            bundleId: try data.required(data.text("bundleId"), "bundleId"),
            appAppleId: try data.integer("appAppleId"),
            bundleVersion: try data.text("bundleVersion"),
            signedTransactionInfo: try data.compactJWS("signedTransactionInfo"),
            signedRenewalInfo: try data.compactJWS("signedRenewalInfo"),
            status: try data.number("status", SubscriptionStatus.self),
            consumptionRequestReason: try data.word(
                "consumptionRequestReason", ConsumptionRequestReason.self))
    }

    private static func sender(_ inner: PayloadReader) throws(PayloadError) -> Sender {
        Sender(
            environment: try inner.text("environment"), bundleId: try inner.text("bundleId"),
            appAppleId: try inner.integer("appAppleId"))
    }

    /// What it tells of a subscription, with what was signed inside it once that was verified and
    /// decoded. A renewal info of another subscription than the transaction's is left out.
    package func fact(
        transaction: SignedFact.Signed<TransactionFact>?,
        renewal: SignedFact.Signed<RenewalFact>?
    ) -> SignedFact {
        var status: SubscriptionStatus?
        var reason: ConsumptionRequestReason?
        if case .data(let content) = body {
            status = content.status
            reason = content.consumptionRequestReason
        }
        let own = NotificationFact(
            uuid: uuid, type: type, subtype: subtype, signedDate: signedDate, status: status,
            consumptionRequestReason: reason)
        let subscription = transaction?.content.originalTransactionId
        let isOfAnother =
            subscription != nil && renewal?.content.originalTransactionId != subscription
        return SignedFact(
            notification: SignedFact.Signed(own, fingerprint: fingerprint),
            transaction: transaction, renewal: isOfAnother ? nil : renewal)
    }
}
