// Tables: app, app_environment.
internal import Postgres
package import Retention
internal import Signing

extension TenantTransaction {
    private static let saltBytes = 32

    package func createApp(_ app: App) throws {
        _ = try connection.query(
            """
            insert into holdfast.app (tenant_id, app_id, client_id, name, bundle_id, app_apple_id,
              default_locale, apple_id_salt, created_at)
            values (\(tenant.uuid), \(app.id.uuid), \(app.client.uuid), \(app.name),
              \(app.bundleId), \(app.appAppleId), \(app.defaultLocale),
              \(randomBytes(Self.saltBytes)), \(timestamp))
            """)
        for environment in StoreEnvironment.allCases {
            _ = try connection.query(
                """
                insert into holdfast.app_environment (tenant_id, app_id, environment)
                values (\(tenant.uuid), \(app.id.uuid), \(environment.rawValue))
                """)
        }
        touchBoth(app.id)
    }

    /// Whether the app is there and this scope may see it; it stays so until the commit, for whoever
    /// adds something to it.
    package func hasApp(_ app: AppID) throws -> Bool {
        try connection.query(
            """
            select from holdfast.app
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid) for key share
            """
        ).count == 1
    }

    /// Stops the app's real-time answers in both environments, or lets them go on. Responders take
    /// it up like any change of a snapshot.
    package func setStopped(_ isStopped: Bool, of app: AppID) throws {
        let rows = try connection.query(
            """
            update holdfast.app set is_stopped = \(isStopped)
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
            """)
        guard rows.affected == 1 else { throw StoreError.noApp(app) }
        touchBoth(app)
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

extension StoreError {
    static func noApp(_ app: AppID) -> StoreError {
        StoreError(code: .notFound, message: "there is no app \(app); create it first")
    }
}
