// Tables: fold_lease, notification. Who folds which app's notifications, and which wait for it.
package import FoundationEssentials
internal import Postgres
package import Retention

/// The right to fold the notifications of one app in one environment; measured by the database's
/// clock.
package struct FoldLease: Hashable, Sendable {
    package let tenant: TenantID
    package let key: AppEnvironment
    /// Rises with each claim, so that a worker that was replaced is told from the one that replaced
    /// it. Worth something only as the database gave it.
    package let token: Int64

    package init(tenant: TenantID, key: AppEnvironment, token: Int64) {
        self.tenant = tenant
        self.key = key
        self.token = token
    }

    /// Goes out with the `BEGIN` of the transaction that acts for the app.
    func enterQuery(for duration: Duration) -> Query {
        """
        select holdfast_sec.enter_fold(\(tenant.uuid), \(key.app.uuid),
          \(key.environment.rawValue), \(token), make_interval(secs => \(duration / .seconds(1))))
          as is_held
        """
    }

    func requireEntered(_ rows: [Rows]) throws {
        guard try rows.first?.first?.decode("is_held") == true else { throw StoreError.lost(self) }
    }
}

extension StoreError {
    fileprivate static func lost(_ lease: FoldLease) -> StoreError {
        StoreError(
            code: .leaseLost,
            message: "the notifications of \(lease.key.app) are not this worker's any more; "
                + "leave them")
    }
}

/// A notification with what Apple signed, for whoever folds it.
package struct InboxNotification: Sendable {
    package let notificationUUID: UUID
    package let notificationType: String
    package let subtype: String?
    package let signedDate: Instant
    package let originalTransactionId: String?
    /// The compact JWS, verified when it came.
    package let signedPayload: [UInt8]
}

/// One notification that goes into no state, and why.
package struct FoldFailure: Sendable {
    /// Longer reasons are cut.
    package static let reasonLimit = 200

    package let notificationUUID: UUID
    /// For people; nothing of the payload.
    package let reason: String

    package init(notificationUUID: UUID, reason: String) {
        self.notificationUUID = notificationUUID
        self.reason = reason
    }
}

/// How many apps wait to be folded, and for how long, over all tenants.
package struct FoldBacklog: Sendable {
    /// Apps, each environment for itself.
    package let apps: Int
    /// When the one that waits longest was received.
    package let oldestReceivedAt: Instant?
}

extension RetentionStore {
    /// Takes an app whose notifications wait, of any tenant; `nil` where none does.
    ///
    /// - Parameters:
    ///   - worker: its name, for people.
    ///   - perTenant: so many apps of one tenant are leased at one time, over all workers.
    package func claimFold(
        _ platform: PlatformScope, worker: String, for duration: Duration, perTenant: Int32
    ) throws -> FoldLease? {
        try pool.withConnection { connection in
            let rows = try connection.query(
                """
                select tenant_id, app_id, environment, lease_token
                from holdfast_ops.claim_fold(\(worker),
                  make_interval(secs => \(duration / .seconds(1))), \(perTenant))
                """)
            guard let row = rows.first else { return nil }
            let environment: String = try row.decode("environment")
            guard let known = StoreEnvironment(rawValue: environment) else {
                throw StoreError(code: .invalid, message: "environment \(environment) is unknown")
            }
            return FoldLease(
                tenant: TenantID(try row.decode("tenant_id")),
                key: AppEnvironment(app: AppID(try row.decode("app_id")), environment: known),
                token: try row.decode("lease_token"))
        }
    }

    package func foldBacklog(_ platform: PlatformScope) throws -> FoldBacklog {
        try pool.withConnection { connection in
            let rows = try connection.query(
                """
                select count(*) as apps, min(received_at) as oldest
                from holdfast_ops.waiting_folds()
                """)
            guard let row = rows.first else { return FoldBacklog(apps: 0, oldestReceivedAt: nil) }
            return FoldBacklog(
                apps: try row.decode("apps"), oldestReceivedAt: try row.optionalInstant("oldest"))
        }
    }
}

extension TenantTransaction {
    /// Those that wait, in the order of arrival.
    package func listWaitingNotifications(
        at key: AppEnvironment, limit: Int32
    ) throws -> [InboxNotification] {
        let rows = try connection.query(
            """
            select notification_uuid, notification_type, subtype, signed_date,
              original_transaction_id, signed_payload
            from holdfast.notification
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue) and folded_at is null
            order by arrival_number
            limit \(limit)
            """)
        return try rows.map(InboxNotification.init(row:))
    }

    /// All that names the subscription, folded or not, in the order in which it is folded: by
    /// Apple's date, then by identifier.
    package func listAllNotifications(
        of originalTransactionId: String, at key: AppEnvironment
    ) throws -> [InboxNotification] {
        let rows = try connection.query(
            """
            select notification_uuid, notification_type, subtype, signed_date,
              original_transaction_id, signed_payload
            from holdfast.notification
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
              and original_transaction_id = \(originalTransactionId)
            order by signed_date, notification_uuid
            """)
        return try rows.map(InboxNotification.init(row:))
    }

    /// Says that these went into their subscribers' states in this very transaction, those that
    /// failed into none. One that was folded before stays as it is.
    package func markFolded(
        _ notifications: [UUID], failures: [FoldFailure] = [], at key: AppEnvironment
    ) throws {
        let failed = Dictionary(
            failures.map {
                ($0.notificationUUID, String($0.reason.prefix(FoldFailure.reasonLimit)))
            },
            uniquingKeysWith: { first, _ in first })
        let all = Set(notifications).union(failed.keys).sorted {
            $0.bytes.lexicographicallyPrecedes($1.bytes)
        }
        _ = try connection.query(
            """
            update holdfast.notification n
            set folded_at = \(timestamp), fold_failure = f.reason
            from unnest(\(all), \(all.map { failed[$0] })) as f (notification_uuid, reason)
            where n.tenant_id = \(tenant.uuid) and n.app_id = \(key.app.uuid)
              and n.environment = \(key.environment.rawValue)
              and n.notification_uuid = f.notification_uuid and n.folded_at is null
            """)
    }

    /// Gives the lease back; what waits there may be lent to anybody at once.
    package func releaseFold(_ lease: FoldLease) throws {
        let rows = try connection.query(
            """
            select holdfast_sec.leave_fold(\(lease.key.environment.rawValue), \(lease.token))
              as is_left
            """)
        guard try rows.first?.decode("is_left") == true else { throw StoreError.lost(lease) }
    }
}

extension InboxNotification {
    fileprivate init(row: Row) throws {
        notificationUUID = try row.decode("notification_uuid")
        notificationType = try row.decode("notification_type")
        subtype = try row.decode("subtype")
        signedDate = try row.instant("signed_date")
        originalTransactionId = try row.decode("original_transaction_id")
        signedPayload = try row.decode("signed_payload")
    }
}
