// Table: message_target. In which environments a message is to be at Apple.
internal import FoundationEssentials
internal import Postgres
package import Retention

extension TenantTransaction {
    /// Says that the messages are to be at Apple there; those that are already stay so.
    ///
    /// - Returns: those that were not.
    @discardableResult
    package func addMessageTargets(
        _ messages: [MessageID], at key: AppEnvironment
    ) throws -> [MessageID] {
        let rows = try connection.query(
            """
            insert into holdfast.message_target (tenant_id, app_id, environment, message_id,
              created_at)
            select m.tenant_id, m.app_id, \(key.environment.rawValue), m.message_id, \(timestamp)
            from holdfast.message m
            where m.tenant_id = \(tenant.uuid) and m.app_id = \(key.app.uuid)
              and m.message_id = any(\(messages.map(\.uuid)))
            on conflict do nothing
            returning message_id
            """)
        if rows.count > 0 { try wakeSync(key) }
        return try rows.map { MessageID(try $0.decode("message_id")) }
    }

    /// What a default or the published rules name stays there all the same.
    package func removeMessageTargets(_ messages: [MessageID], at key: AppEnvironment) throws {
        let rows = try connection.query(
            """
            delete from holdfast.message_target
            where tenant_id = \(tenant.uuid) and app_id = \(key.app.uuid)
              and environment = \(key.environment.rawValue)
              and message_id = any(\(messages.map(\.uuid)))
            """)
        if rows.affected > 0 { try wakeSync(key) }
    }

    /// Environments in which each message is to be at Apple.
    package func messageTargets(
        of app: AppID, _ messages: [MessageID]
    ) throws -> [MessageID: [StoreEnvironment]] {
        let rows = try connection.query(
            """
            select message_id, array_agg(environment order by environment) as environments
            from holdfast.message_target
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and message_id = any(\(messages.map(\.uuid)))
            group by message_id
            """)
        var targets: [MessageID: [StoreEnvironment]] = [:]
        for row in rows {
            let environments: [String] = try row.decode("environments")
            targets[MessageID(try row.decode(UUID.self, "message_id"))] = environments.compactMap(
                StoreEnvironment.init(rawValue:))
        }
        return targets
    }

    /// Those of the messages that the app has.
    package func existingMessages(
        _ messages: [MessageID], of app: AppID
    ) throws -> Set<MessageID> {
        let rows = try connection.query(
            """
            select message_id from holdfast.message
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and message_id = any(\(messages.map(\.uuid)))
            """)
        return Set(try rows.map { MessageID(try $0.decode(UUID.self, "message_id")) })
    }

    /// Every message that is wanted in one environment is wanted in another too, and the defaults
    /// of the one become those of the other.
    ///
    /// - Parameter messages: only these; all where `nil`.
    /// - Returns: messages and defaults that were not there so.
    package func promote(
        _ messages: [MessageID]?, of app: AppID, from source: StoreEnvironment,
        to target: StoreEnvironment
    ) throws -> (messages: [MessageID], defaults: [StoredDefault]) {
        let wanted = try wantedMessages(at: AppEnvironment(app: app, environment: source))
        let chosen = messages ?? wanted.keys.sorted { $0.description < $1.description }
        let key = AppEnvironment(app: app, environment: target)
        let added = try addMessageTargets(chosen, at: key)
        try lockDefaults(of: products(withDefaultAt: source, of: app), app: app)
        let rows = try connection.query(
            """
            insert into holdfast.default_message as d (tenant_id, app_id, environment, product_id,
              locale, message_id)
            select tenant_id, app_id, \(target.rawValue), product_id, locale, message_id
            from holdfast.default_message
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and environment = \(source.rawValue)
              and message_id = any(\(chosen.map(\.uuid)))
            on conflict (tenant_id, app_id, environment, product_id, locale)
              do update set message_id = excluded.message_id
              where d.message_id <> excluded.message_id
            returning product_id, locale, message_id
            """)
        if rows.count > 0 { touch(key) }
        return (
            added,
            try rows.map { row in
                StoredDefault(
                    productId: try row.decode("product_id"), locale: try row.decode("locale"),
                    message: MessageID(try row.decode("message_id")))
            }
        )
    }

    private func products(
        withDefaultAt environment: StoreEnvironment, of app: AppID
    ) throws -> [String] {
        let rows = try connection.query(
            """
            select distinct product_id from holdfast.default_message
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and environment = \(environment.rawValue)
            """)
        return try rows.map { try $0.decode("product_id") }
    }
}
