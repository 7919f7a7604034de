/// What happened, in Apple's word. Open: a type that is not known is kept, and changes nothing.
///
/// Apple's page: appstoreservernotifications/notificationtype
package struct NotificationType: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let consumptionRequest = NotificationType(rawValue: "CONSUMPTION_REQUEST")
    package static let refund = NotificationType(rawValue: "REFUND")
    package static let refundDeclined = NotificationType(rawValue: "REFUND_DECLINED")
    package static let refundReversed = NotificationType(rawValue: "REFUND_REVERSED")
    package static let renewalExtended = NotificationType(rawValue: "RENEWAL_EXTENDED")
    /// The library's spelling.
    package static let migration = NotificationType(rawValue: "MIGRATION")
    /// The changelog's spelling of the same.
    package static let migrate = NotificationType(rawValue: "MIGRATE")
    package static let test = NotificationType(rawValue: "TEST")

    package static let known: Set<NotificationType> = Set(
        [
            "SUBSCRIBED", "DID_RENEW", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS",
            "OFFER_REDEEMED", "EXPIRED", "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED",
            "PRICE_INCREASE", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED",
            "CONSUMPTION_REQUEST", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION", "REVOKE", "TEST",
            "ONE_TIME_CHARGE", "EXTERNAL_PURCHASE_TOKEN", "RESCIND_CONSENT", "METADATA_UPDATE",
            "MIGRATION", "MIGRATE", "PRICE_CHANGE",
        ].map(NotificationType.init))

    package var isKnown: Bool { Self.known.contains(self) }
}

/// Open, and kept as it came; no logic depends on it, since the signed data inside says the same.
///
/// Apple's page: appstoreservernotifications/subtype
package struct NotificationSubtype: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// Why a customer asks for money back: `UNINTENDED_PURCHASE` and others. Open.
package struct ConsumptionRequestReason: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
