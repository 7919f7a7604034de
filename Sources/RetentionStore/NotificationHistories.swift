// Table: notification_history. How far Apple's history of notifications was read.
internal import FoundationEssentials
internal import Postgres
package import Retention

/// How far Apple's history of one app in one environment was read.
package struct NotificationHistoryProgress: Equatable, Sendable {
    /// A reading under way: the same question is asked page after page.
    package struct Walk: Equatable, Sendable {
        /// Of the notifications' signatures; before `to`.
        package let from: Instant
        package let to: Instant
        /// Apple's, of the next page; `nil` for the first.
        package let paginationToken: String?

        package init(from: Instant, to: Instant, paginationToken: String? = nil) {
            self.from = from
            self.to = to
            self.paginationToken = paginationToken
        }
    }

    /// What was signed before is here, as far as Apple tells; `nil` before the first reading.
    package var readTo: Instant?
    package var walk: Walk?
    /// When a reading last came to its end, in business time.
    package var readAt: Instant?
    /// Since the last reading that came to its end.
    package var failures: Int32

    package init(
        readTo: Instant? = nil, walk: Walk? = nil, readAt: Instant? = nil, failures: Int32 = 0
    ) {
        self.readTo = readTo
        self.walk = walk
        self.readAt = readAt
        self.failures = failures
    }
}

extension TenantTransaction {
    /// What is known of it, and whether it is to be looked into now; nothing known is due.
    package func findNotificationHistory(
        at key: AppEnvironment
    ) throws -> (progress: NotificationHistoryProgress, isDue: Bool) {
        let rows = try connection.query(
            """
            select read_to, window_from, window_to, pagination_token, read_at, failures,
              due_at <= clock_timestamp() as is_due
            from holdfast.notification_history
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
            """)
        guard let row = rows.first else { return (NotificationHistoryProgress(), true) }
        return (try NotificationHistoryProgress(row: row), try row.decode("is_due"))
    }

    /// Writes down how far it is; the next look is so long from now, in real time.
    package func saveNotificationHistory(
        _ progress: NotificationHistoryProgress, nextIn wait: Duration, at key: AppEnvironment
    ) throws {
        let walk = progress.walk
        let seconds = wait / .seconds(1)
        func time(_ instant: Instant?) -> Timestamp? {
            instant.map { Timestamp(milliseconds: $0.milliseconds) }
        }
        _ = try connection.query(
            """
            insert into holdfast.notification_history (tenant_id, app_id, environment, read_to,
              window_from, window_to, pagination_token, read_at, failures, due_at)
            values (\(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue),
              \(time(progress.readTo)), \(time(walk?.from)), \(time(walk?.to)),
              \(walk?.paginationToken), \(time(progress.readAt)), \(progress.failures),
              clock_timestamp() + make_interval(secs => \(seconds)))
            on conflict (tenant_id, app_id, environment) do update
            set read_to = excluded.read_to, window_from = excluded.window_from,
              window_to = excluded.window_to, pagination_token = excluded.pagination_token,
              read_at = excluded.read_at, failures = excluded.failures, due_at = excluded.due_at
            """)
    }
}

extension RetentionStore {
    /// Has every app's history looked into at once: some notifications were not taken.
    package func hurryNotificationHistories(_ platform: PlatformScope) throws {
        try pool.withConnection { connection in
            _ = try connection.query(
                "select holdfast_ops.hurry_notification_history() as hurried")
        }
    }
}

extension NotificationHistoryProgress {
    fileprivate init(row: Row) throws {
        let from = try row.optionalInstant("window_from")
        let to = try row.optionalInstant("window_to")
        let token: String? = try row.decode("pagination_token")
        let walk = from.flatMap { from in
            to.map { Walk(from: from, to: $0, paginationToken: token) }
        }
        self.init(
            readTo: try row.optionalInstant("read_to"), walk: walk,
            readAt: try row.optionalInstant("read_at"), failures: try row.decode("failures"))
    }
}
