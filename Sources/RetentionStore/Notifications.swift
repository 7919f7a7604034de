// Table: notification. What the App Store signed about an app's subscriptions, as it came.
package import FoundationEssentials
internal import Postgres
package import Retention

/// How a notification came.
package enum NotificationSource: String, Sendable, CaseIterable {
    /// Apple called the URL.
    case pushed
    /// Out of Apple's history: the call itself was missed, or came later.
    case history
}

/// A notification to be kept. It was verified: nothing here looks at its signature again.
package struct NewNotification: Equatable, Sendable {
    package let notificationUUID: UUID
    /// Open, as `subtype` is: 1 to 128 characters.
    package let notificationType: String
    package let subtype: String?
    package let signedDate: Instant
    /// `nil` where it is about no transaction.
    package let originalTransactionId: String?
    package let appTransactionId: String?
    /// The compact JWS, 256 KiB at most.
    package let signedPayload: [UInt8]

    package init(
        notificationUUID: UUID, notificationType: String, subtype: String? = nil,
        signedDate: Instant, originalTransactionId: String? = nil,
        appTransactionId: String? = nil, signedPayload: [UInt8]
    ) {
        self.notificationUUID = notificationUUID
        self.notificationType = notificationType
        self.subtype = subtype
        self.signedDate = signedDate
        self.originalTransactionId = originalTransactionId
        self.appTransactionId = appTransactionId
        self.signedPayload = signedPayload
    }
}

/// A notification as it is shown, without what Apple signed.
package struct StoredNotification: Sendable {
    package let notificationUUID: UUID
    package let notificationType: String
    package let subtype: String?
    package let signedDate: Instant
    package let originalTransactionId: String?
    package let source: NotificationSource
    package let receivedAt: Instant
    /// When it went into its subscriber's state, or was passed over; `nil` while it waits.
    package let foldedAt: Instant?
    /// Why it was passed over.
    package let foldFailure: String?
}

/// Which notifications are listed; `nil` is all.
package struct NotificationFilter: Sendable {
    package let notificationType: String?
    package let originalTransactionId: String?

    package init(notificationType: String? = nil, originalTransactionId: String? = nil) {
        self.notificationType = notificationType
        self.originalTransactionId = originalTransactionId
    }
}

/// Where a list of notifications goes on.
package struct NotificationPlace: Sendable {
    package let signedDate: Instant
    package let notificationUUID: UUID

    package init(signedDate: Instant, notificationUUID: UUID) {
        self.signedDate = signedDate
        self.notificationUUID = notificationUUID
    }
}

extension TenantTransaction {
    /// Adds what is not here yet; what is stays as it came first. A batch may hold one twice, and
    /// may be sent again after a lost answer.
    ///
    /// - Returns: how many were not here yet.
    @discardableResult
    package func recordNotifications(
        _ notifications: [NewNotification], from source: NotificationSource, at key: AppEnvironment
    ) throws -> Int {
        // In one order: two who add the same ones do not wait for each other in a ring.
        let rows = notifications.sorted {
            $0.notificationUUID.bytes.lexicographicallyPrecedes($1.notificationUUID.bytes)
        }
        return try connection.query(
            """
            insert into holdfast.notification (tenant_id, app_id, environment, notification_uuid,
              notification_type, subtype, signed_date, original_transaction_id,
              app_transaction_id, signed_payload, source, received_at)
            select \(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue), n.*,
              \(source.rawValue), \(timestamp)
            from unnest(\(rows.map(\.notificationUUID)), \(rows.map(\.notificationType)),
              \(rows.map(\.subtype)),
              \(rows.map { Timestamp(milliseconds: $0.signedDate.milliseconds) }),
              \(rows.map(\.originalTransactionId)), \(rows.map(\.appTransactionId)),
              \(rows.map(\.signedPayload))) as n
            on conflict do nothing
            """
        ).affected
    }

    /// Newest first by Apple's signature; `after` is the last one of the page before.
    package func listNotifications(
        at key: AppEnvironment, _ filter: NotificationFilter = NotificationFilter(),
        after: NotificationPlace? = nil, limit: Int32
    ) throws -> [StoredNotification] {
        // One statement for each index: one for all would be planned for none.
        let rows =
            if let subscriber = filter.originalTransactionId {
                try ofSubscriber(subscriber, filter.notificationType, at: key, after, limit)
            } else if let type = filter.notificationType {
                try ofType(type, at: key, after, limit)
            } else {
                try ofAll(at: key, after, limit)
            }
        return try rows.map(StoredNotification.init(row:))
    }

    private func ofSubscriber(
        _ id: String, _ type: String?, at key: AppEnvironment, _ after: NotificationPlace?,
        _ limit: Int32
    ) throws -> Rows {
        let (date, uuid) = Self.bound(after)
        return try connection.query(
            """
            select notification_uuid, notification_type, subtype, signed_date,
              original_transaction_id, source, received_at, folded_at, fold_failure
            from holdfast.notification
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and original_transaction_id = \(id)
              and (\(type)::text is null or notification_type = \(type))
              and (signed_date, notification_uuid)
                < (coalesce(\(date), 'infinity'::timestamptz), \(uuid))
            order by signed_date desc, notification_uuid desc
            limit \(limit)
            """)
    }

    private func ofType(
        _ type: String, at key: AppEnvironment, _ after: NotificationPlace?, _ limit: Int32
    ) throws -> Rows {
        let (date, uuid) = Self.bound(after)
        return try connection.query(
            """
            select notification_uuid, notification_type, subtype, signed_date,
              original_transaction_id, source, received_at, folded_at, fold_failure
            from holdfast.notification
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and notification_type = \(type)
              and (signed_date, notification_uuid)
                < (coalesce(\(date), 'infinity'::timestamptz), \(uuid))
            order by signed_date desc, notification_uuid desc
            limit \(limit)
            """)
    }

    private func ofAll(
        at key: AppEnvironment, _ after: NotificationPlace?, _ limit: Int32
    ) throws -> Rows {
        let (date, uuid) = Self.bound(after)
        return try connection.query(
            """
            select notification_uuid, notification_type, subtype, signed_date,
              original_transaction_id, source, received_at, folded_at, fold_failure
            from holdfast.notification
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
              and (signed_date, notification_uuid)
                < (coalesce(\(date), 'infinity'::timestamptz), \(uuid))
            order by signed_date desc, notification_uuid desc
            limit \(limit)
            """)
    }

    private static var highest: UUID {
        UUID(
            uuid: (
                255, 255, 255, 255, 255, 255, 255, 255,
                255, 255, 255, 255, 255, 255, 255, 255
            ))
    }

    /// Below what a page begins; below everything for the first one.
    private static func bound(_ after: NotificationPlace?) -> (Timestamp?, UUID) {
        let date = after.map { Timestamp(milliseconds: $0.signedDate.milliseconds) }
        return (date, after?.notificationUUID ?? highest)
    }

    /// With the compact JWS as it came.
    package func findNotification(
        _ notificationUUID: UUID, at key: AppEnvironment
    ) throws -> (notification: StoredNotification, signedPayload: [UInt8])? {
        let rows = try connection.query(
            """
            select notification_uuid, notification_type, subtype, signed_date,
              original_transaction_id, source, received_at, folded_at, fold_failure, signed_payload
            from holdfast.notification
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
              and notification_uuid = \(notificationUUID)
            """)
        guard let row = rows.first else { return nil }
        return (try StoredNotification(row: row), try row.decode("signed_payload"))
    }

    /// Forgets all that names the subscription, and what names no transaction and is of the same
    /// customer of the app.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package func deleteNotifications(
        of originalTransactionId: String, at key: AppEnvironment
    ) throws -> Int {
        try connection.query(
            """
            with gone as (
              select notification_uuid, app_transaction_id from holdfast.notification
              where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
                and environment = \(key.environment.rawValue)
                and original_transaction_id = \(originalTransactionId)
            ), nameless as (
              select n.notification_uuid from holdfast.notification n
              where n.tenant_id = \(tenant.uuid) and n.app_id = \(key.app.uuid)
                and n.environment = \(key.environment.rawValue)
                and n.original_transaction_id is null
                and n.app_transaction_id in (
                  select g.app_transaction_id from gone g where g.app_transaction_id is not null)
            )
            delete from holdfast.notification
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
              and notification_uuid in (
                select notification_uuid from gone union all
                select notification_uuid from nameless)
            """
        ).affected
    }
}

extension StoredNotification {
    fileprivate init(row: Row) throws {
        let word: String = try row.decode("source")
        guard let source = NotificationSource(rawValue: word) else {
            throw StoreError(
                code: .invalid, message: "notifications of source \(word) are not known here")
        }
        self.source = source
        notificationUUID = try row.decode("notification_uuid")
        notificationType = try row.decode("notification_type")
        subtype = try row.decode("subtype")
        signedDate = try row.instant("signed_date")
        originalTransactionId = try row.decode("original_transaction_id")
        receivedAt = try row.instant("received_at")
        foldedAt = try row.optionalInstant("folded_at")
        foldFailure = try row.decode("fold_failure")
    }
}
