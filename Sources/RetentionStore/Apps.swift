// Tables: app, app_environment.
internal import Postgres
package import Retention
internal import Signing

/// An app as it is stored.
package struct StoredApp: Sendable {
    package let app: App
    /// Real-time answers are refused, so that Apple shows its next layer.
    package let isStopped: Bool
    /// When Apple was asked for access to the Retention Messaging API, as the agency says.
    package let accessRequestedAt: Instant?
    package let createdAt: Instant
}

/// How an app is held until the commit.
package enum AppLock: Sendable {
    case none
    /// It is not removed: for whoever adds something to it.
    case shared
    /// Nobody else adds anything meanwhile: for whoever removes what others may be about to name,
    /// and for whoever makes a thing unless it is there.
    case alone
}

extension TenantTransaction {
    private static let saltBytes = 32

    package func createApp(_ app: App, isStopped: Bool = false) throws {
        _ = try connection.query(
            """
            insert into holdfast.app (tenant_id, app_id, client_id, name, bundle_id, app_apple_id,
              default_locale, time_zone, is_stopped, performance_test_transaction_id,
              app_store_connect_layer, apple_id_salt, created_at)
            values (\(tenant.uuid), \(app.id.uuid), \(app.client.uuid), \(app.name),
              \(app.bundleId), \(app.appAppleId), \(app.defaultLocale), \(app.timeZone),
              \(isStopped), \(app.performanceTestTransactionId),
              \(app.appStoreConnectLayer.rawValue), \(randomBytes(Self.saltBytes)),
              \(timestamp))
            """)
        for environment in StoreEnvironment.allCases {
            _ = try connection.query(
                """
                insert into holdfast.app_environment (tenant_id, app_id, environment)
                values (\(tenant.uuid), \(app.id.uuid), \(environment.rawValue))
                """)
            _ = try connection.query(
                """
                insert into holdfast.sync_state (tenant_id, app_id, environment)
                values (\(tenant.uuid), \(app.id.uuid), \(environment.rawValue))
                """)
        }
        touchBoth(app.id)
    }

    /// Whether the app is there and this scope may see it.
    package func hasApp(_ app: AppID, _ lock: AppLock = .shared) throws -> Bool {
        let rows =
            switch lock {
            case .none:
                try connection.query(
                    """
                    select from holdfast.app
                    where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
                    """)
            case .alone:
                try connection.query(
                    """
                    select from holdfast.app
                    where tenant_id = \(tenant.uuid) and app_id = \(app.uuid) for update
                    """)
            case .shared:
                try connection.query(
                    """
                    select from holdfast.app
                    where tenant_id = \(tenant.uuid) and app_id = \(app.uuid) for key share
                    """)
            }
        return rows.count == 1
    }

    /// In the order they were made; `after` is the last one of the page before.
    package func listApps(of client: ClientID?, after: AppID?, limit: Int32) throws -> [StoredApp] {
        let rows = try connection.query(
            """
            select app_id, client_id, name, bundle_id, app_apple_id, default_locale, time_zone,
              is_stopped, created_at, performance_test_transaction_id, app_store_connect_layer,
              (select min(s.access_requested_at) from holdfast.sync_state s
                where s.tenant_id = app.tenant_id and s.app_id = app.app_id)
                as access_requested_at
            from holdfast.app
            where tenant_id = \(tenant.uuid)
              and (\(client?.uuid)::uuid is null or client_id = \(client?.uuid))
              and (\(after?.uuid)::uuid is null or app_id > \(after?.uuid))
            order by app_id
            limit \(limit)
            """)
        return try rows.map(StoredApp.init(row:))
    }

    /// - Parameter forUpdate: nobody else changes it until the commit; to add something to it is
    ///   no change.
    /// - Throws: `StoreError.notFound`, also where this scope may not see it.
    package func getApp(_ id: AppID, forUpdate: Bool = false) throws -> StoredApp {
        if forUpdate {
            _ = try connection.query(
                """
                select from holdfast.app
                where tenant_id = \(tenant.uuid) and app_id = \(id.uuid) for no key update
                """)
        }
        let rows = try connection.query(
            """
            select app_id, client_id, name, bundle_id, app_apple_id, default_locale, time_zone,
              is_stopped, created_at, performance_test_transaction_id, app_store_connect_layer,
              (select min(s.access_requested_at) from holdfast.sync_state s
                where s.tenant_id = app.tenant_id and s.app_id = app.app_id)
                as access_requested_at
            from holdfast.app where tenant_id = \(tenant.uuid) and app_id = \(id.uuid)
            """)
        guard let row = rows.first else { throw StoreError.noApp(id) }
        return try StoredApp(row: row)
    }

    /// Writes all but what Apple gave the app: its bundle identifier and its number.
    package func updateApp(_ app: App, isStopped: Bool) throws {
        let changed = try connection.query(
            """
            update holdfast.app set client_id = \(app.client.uuid), name = \(app.name),
              default_locale = \(app.defaultLocale), time_zone = \(app.timeZone),
              is_stopped = \(isStopped),
              performance_test_transaction_id = \(app.performanceTestTransactionId),
              app_store_connect_layer = \(app.appStoreConnectLayer.rawValue)
            where tenant_id = \(tenant.uuid) and app_id = \(app.id.uuid)
            """
        ).affected
        guard changed == 1 else { throw StoreError.noApp(app.id) }
        touchBoth(app.id)
    }

    /// Notes when Apple was asked for access, for both environments; `nil` withdraws it.
    package func setAccessRequested(_ at: Instant?, of app: AppID) throws {
        try wakeSyncs(of: app)
        _ = try connection.query(
            """
            update holdfast.sync_state
            set access_requested_at = \(at.map { Timestamp(milliseconds: $0.milliseconds) })
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
            """)
    }

    /// Rows of subscribers that one statement removes. Each is noted in the log of changes, and the
    /// gateway's statements have 4 s.
    private static let subscribersABatch: Int32 = 10_000
    /// Each is some twenty kilobytes.
    private static let notificationsABatch: Int32 = 2_000

    /// Removes the app with all it has. What was decided and what was done to it stay known.
    ///
    /// Its subscribers and notifications go first, in batches: as one cascade, hundreds of
    /// thousands would outlast the time that a statement has.
    package func deleteApp(_ id: AppID) throws {
        var removed: Int64
        repeat {
            let profiles = try connection.query(
                """
                delete from holdfast.profile
                where tenant_id = \(tenant.uuid) and app_id = \(id.uuid)
                  and ctid = any(array(
                    select ctid from holdfast.profile
                    where tenant_id = \(tenant.uuid) and app_id = \(id.uuid)
                    limit \(Self.subscribersABatch)))
                """)
            let counters = try connection.query(
                """
                delete from holdfast.governor_counter
                where tenant_id = \(tenant.uuid) and app_id = \(id.uuid)
                  and ctid = any(array(
                    select ctid from holdfast.governor_counter
                    where tenant_id = \(tenant.uuid) and app_id = \(id.uuid)
                    limit \(Self.subscribersABatch)))
                """)
            let notifications = try connection.query(
                """
                delete from holdfast.notification
                where tenant_id = \(tenant.uuid) and app_id = \(id.uuid)
                  and ctid = any(array(
                    select ctid from holdfast.notification
                    where tenant_id = \(tenant.uuid) and app_id = \(id.uuid)
                    limit \(Self.notificationsABatch)))
                """)
            removed =
                Int64(profiles.affected) + Int64(counters.affected)
                + Int64(notifications.affected)
        } while removed > 0
        _ = try connection.query(
            """
            delete from holdfast.app where tenant_id = \(tenant.uuid) and app_id = \(id.uuid)
            """)
    }

    func appleIdSalt(_ app: AppID) throws -> [UInt8] {
        let rows = try connection.query(
            """
            select apple_id_salt from holdfast.app
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
            """)
        guard let row = rows.first else { throw StoreError.noApp(app) }
        return try row.decode("apple_id_salt")
    }
}

extension StoredApp {
    fileprivate init(row: Row) throws {
        app = App(
            id: AppID(try row.decode("app_id")), client: ClientID(try row.decode("client_id")),
            name: try row.decode("name"), bundleId: try row.decode("bundle_id"),
            appAppleId: try row.decode("app_apple_id"),
            defaultLocale: try row.decode("default_locale"),
            timeZone: try row.decode("time_zone"),
            performanceTestTransactionId: try row.decode("performance_test_transaction_id"),
            appStoreConnectLayer: try Self.layer(row))
        isStopped = try row.decode("is_stopped")
        accessRequestedAt = try row.optionalInstant("access_requested_at")
        createdAt = try row.instant("created_at")
    }

    private static func layer(_ row: Row) throws -> AppStoreConnectLayer {
        let word: String = try row.decode("app_store_connect_layer")
        guard let layer = AppStoreConnectLayer(rawValue: word) else {
            throw StoreError(code: .invalid, message: "the layer \(word) is not known here")
        }
        return layer
    }
}

extension StoreError {
    static func noApp(_ app: AppID) -> StoreError {
        StoreError(code: .notFound, message: "there is no app \(app); create it first")
    }
}
