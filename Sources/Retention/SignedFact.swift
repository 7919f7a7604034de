package import FoundationEssentials

/// Something the App Store signed about one subscription, read and believed.
package struct SignedFact: Equatable, Sendable {
    /// A text of Apple's, taken apart, with the fingerprint of the payload that it was.
    package struct Signed<Content: Equatable & Sendable>: Equatable, Sendable {
        package let content: Content
        /// `Fingerprint.of` the payload's bytes.
        package let fingerprint: UInt64

        package init(_ content: Content, fingerprint: UInt64) {
            self.content = content
            self.fingerprint = fingerprint
        }
    }

    /// The notification that it came in; `nil` for what was read by itself, from histories and
    /// statuses.
    package let notification: Signed<NotificationFact>?
    package let transaction: Signed<TransactionFact>?
    package let renewal: Signed<RenewalFact>?

    /// - Parameter notification: with what was signed inside it.
    package init(
        notification: Signed<NotificationFact>, transaction: Signed<TransactionFact>? = nil,
        renewal: Signed<RenewalFact>? = nil
    ) {
        self.notification = notification
        self.transaction = transaction
        self.renewal = renewal
    }

    /// Read by itself.
    package init(transaction: Signed<TransactionFact>) {
        notification = nil
        self.transaction = transaction
        renewal = nil
    }

    /// Read by itself.
    package init(renewal: Signed<RenewalFact>) {
        notification = nil
        transaction = nil
        self.renewal = renewal
    }

    /// Which subscription it is about; `nil` for one about none, such as a test.
    package var originalTransactionId: String? {
        transaction?.content.originalTransactionId ?? renewal?.content.originalTransactionId
    }

    /// Of the outermost thing that was signed.
    package var key: FactKey {
        if let notification {
            return FactKey(
                signedDate: notification.content.signedDate, uuid: notification.content.uuid,
                fingerprint: notification.fingerprint)
        }
        return transactionKey ?? renewalKey ?? .first
    }

    /// What is inside a notification has a date of its own, and the notification's UUID.
    package var transactionKey: FactKey? {
        transaction.map {
            FactKey(
                signedDate: $0.content.signedDate, uuid: notification?.content.uuid,
                fingerprint: $0.fingerprint)
        }
    }

    package var renewalKey: FactKey? {
        renewal.map {
            FactKey(
                signedDate: $0.content.signedDate, uuid: notification?.content.uuid,
                fingerprint: $0.fingerprint)
        }
    }
}

/// What a notification says beside the signed data inside it.
///
/// Apple's page: appstoreservernotifications/responsebodyv2decodedpayload
package struct NotificationFact: Equatable, Sendable {
    package let uuid: UUID
    package let type: NotificationType
    package let subtype: NotificationSubtype?
    package let signedDate: Instant
    /// Apple's word for where the subscription stood then.
    package let status: SubscriptionStatus?
    package let consumptionRequestReason: ConsumptionRequestReason?

    package init(
        uuid: UUID, type: NotificationType, subtype: NotificationSubtype?, signedDate: Instant,
        status: SubscriptionStatus?, consumptionRequestReason: ConsumptionRequestReason?
    ) {
        self.uuid = uuid
        self.type = type
        self.subtype = subtype
        self.signedDate = signedDate
        self.status = status
        self.consumptionRequestReason = consumptionRequestReason
    }
}

/// The order of facts: by date, then by UUID, then by content. Of two facts that speak of one thing
/// the greater one holds, in whatever order they came.
package struct FactKey: Hashable, Comparable, Sendable {
    package let signedDate: Instant
    /// Of the notification; the sixteen zero bytes for what was read by itself.
    package let uuid: UUID
    package let fingerprint: UInt64

    static let first = FactKey(signedDate: Instant(milliseconds: 0), uuid: nil, fingerprint: 0)
    static let noUUID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    package init(signedDate: Instant, uuid: UUID?, fingerprint: UInt64) {
        self.signedDate = signedDate
        self.uuid = uuid ?? Self.noUUID
        self.fingerprint = fingerprint
    }

    package static func < (a: FactKey, b: FactKey) -> Bool {
        if a.signedDate != b.signedDate { return a.signedDate < b.signedDate }
        if a.uuid != b.uuid { return a.uuid.bytes.lexicographicallyPrecedes(b.uuid.bytes) }
        return a.fingerprint < b.fingerprint
    }
}

/// Tells two payloads apart that have the same date and UUID, which Apple does not make; in which
/// way it orders them means nothing, as long as it is always the same.
package enum Fingerprint {
    /// FNV-1a with 64 bits.
    package static func of(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
}
