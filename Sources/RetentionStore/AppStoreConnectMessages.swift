// Table: app_store_connect_message. Messages made in App Store Connect, named for rules.
package import FoundationEssentials
internal import Postgres
package import Retention

package struct StoredAppStoreConnectMessage: Equatable, Sendable {
    /// As App Store Connect shows it.
    package let messageIdentifier: UUID
    package let name: String
    package let createdAt: Instant
    package let createdBy: RecordedActor
    /// When somebody said that a sandbox device showed it.
    package let sandboxDisplayConfirmedAt: Instant?
    package let confirmedBy: RecordedActor?
}

extension TenantTransaction {
    /// Of an app.
    package static let appStoreConnectMessagesLimit = 100

    /// How many the app has. No other ones come up until the commit.
    package func countAppStoreConnectMessages(of app: AppID) throws -> Int {
        _ = try connection.query(
            """
            select from holdfast.app
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid) for no key update
            """)
        let rows = try connection.query(
            """
            select count(*) as count from holdfast.app_store_connect_message
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
            """)
        let count: Int64 = try rows.first?.decode("count") ?? 0
        return Int(clamping: count)
    }

    /// - Parameter name: 1 to 100 characters.
    /// - Throws: a unique constraint's `PostgresError` where the app has the identifier or name.
    package func createAppStoreConnectMessage(
        _ messageIdentifier: UUID, name: String, of app: AppID
    ) throws {
        _ = try connection.query(
            """
            insert into holdfast.app_store_connect_message (tenant_id, app_id, message_identifier,
              name, created_at, created_by)
            values (\(tenant.uuid), \(app.uuid), \(messageIdentifier), \(name), \(timestamp),
              \(scope.actor.record))
            """)
        touchBoth(app)
    }

    /// In the order of their identifiers; `after` is the last one of the page before.
    package func listAppStoreConnectMessages(
        of app: AppID, after: UUID? = nil, limit: Int32
    ) throws -> [StoredAppStoreConnectMessage] {
        try appStoreConnectMessages(of: app, one: nil, after: after, limit: limit)
    }

    package func findAppStoreConnectMessage(
        _ messageIdentifier: UUID, of app: AppID
    ) throws -> StoredAppStoreConnectMessage? {
        try appStoreConnectMessages(of: app, one: messageIdentifier, after: nil, limit: 1).first
    }

    /// Notes who saw a sandbox device show it. The first word stays.
    ///
    /// - Throws: `StoreError.notFound`.
    package func confirmAppStoreConnectMessage(
        _ messageIdentifier: UUID, of app: AppID
    ) throws {
        let rows = try connection.query(
            """
            update holdfast.app_store_connect_message
            set sandbox_display_confirmed_at = coalesce(sandbox_display_confirmed_at, \(timestamp)),
              confirmed_by = coalesce(confirmed_by, \(scope.actor.record))
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and message_identifier = \(messageIdentifier)
            """)
        guard rows.affected == 1 else { throw StoreError.noAppStoreConnectMessage }
        touchBoth(app)
    }

    /// - Throws: `StoreError.notFound`.
    package func deleteAppStoreConnectMessage(
        _ messageIdentifier: UUID, of app: AppID
    ) throws {
        let rows = try connection.query(
            """
            delete from holdfast.app_store_connect_message
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and message_identifier = \(messageIdentifier)
            """)
        guard rows.affected == 1 else { throw StoreError.noAppStoreConnectMessage }
        touchBoth(app)
    }

    /// Those among the ones that the rules name which may be answered: in the sandbox all, in
    /// production those that a sandbox device was seen to show.
    func servedAppStoreConnectMessages(
        at key: AppEnvironment, namedBy ruleSet: RuleSet
    ) throws -> [UUID] {
        let named = ruleSet.appStoreConnectMessages
        if named.isEmpty { return [] }
        let rows = try connection.query(
            """
            select message_identifier from holdfast.app_store_connect_message
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and message_identifier = any(\(Array(named)))
              and (\(key.environment == .sandbox) or sandbox_display_confirmed_at is not null)
            order by message_identifier
            """)
        return try rows.map { try $0.decode("message_identifier") }
    }

    private func appStoreConnectMessages(
        of app: AppID, one: UUID?, after: UUID?, limit: Int32
    ) throws -> [StoredAppStoreConnectMessage] {
        let rows = try connection.query(
            """
            select message_identifier, name, created_at, created_by, sandbox_display_confirmed_at,
              confirmed_by
            from holdfast.app_store_connect_message
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and (\(one)::uuid is null or message_identifier = \(one))
              and (\(after)::uuid is null or message_identifier > \(after))
            order by message_identifier
            limit \(limit)
            """)
        return try rows.map(StoredAppStoreConnectMessage.init(row:))
    }
}

extension StoredAppStoreConnectMessage {
    fileprivate init(row: Row) throws {
        messageIdentifier = try row.decode("message_identifier")
        name = try row.decode("name")
        createdAt = try row.instant("created_at")
        createdBy = try row.decodeActor("created_by")
        sandboxDisplayConfirmedAt = try row.optionalInstant("sandbox_display_confirmed_at")
        confirmedBy = try sandboxDisplayConfirmedAt.map { _ in try row.decodeActor("confirmed_by") }
    }
}

extension StoreError {
    fileprivate static let noAppStoreConnectMessage = StoreError(
        code: .notFound, message: "there is no such message of App Store Connect; name it first")
}
