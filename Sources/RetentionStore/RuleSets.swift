// Tables: rule_set, rule_set_publication.
internal import FoundationEssentials
internal import Postgres
package import Retention

extension TenantTransaction {
    /// Stores the rules as the app's next version. Nothing serves it until it is published.
    ///
    /// - Returns: the version, from 1.
    /// - Throws: `StoreError.invalid` for more rules than a reader takes.
    package func createRuleSet(_ ruleSet: RuleSet, of app: AppID) throws -> Int32 {
        guard ruleSet.rules.count <= RuleSet.rulesLimit else {
            throw StoreError(
                code: .invalid,
                message: "\(ruleSet.rules.count) rules, \(RuleSet.rulesLimit) are allowed")
        }
        let body = try JSONEncoder().encode(ruleSet)
        // The lock makes the next number ours: two writers would otherwise both take it. It is no
        // stronger, so that nobody waits who adds a product or a message to the app meanwhile.
        let locked = try connection.query(
            """
            select app_id from holdfast.app
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid) for no key update
            """)
        guard locked.first != nil else { throw StoreError.noApp(app) }
        let rows = try connection.query(
            """
            insert into holdfast.rule_set (tenant_id, app_id, version, body, created_at,
              created_by)
            select \(tenant.uuid), \(app.uuid), coalesce(max(version), 0) + 1, \(JSON(Array(body))),
              \(timestamp), \(scope.actor.record)
            from holdfast.rule_set
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
            returning version
            """)
        guard let row = rows.first else { throw StoreError.noApp(app) }
        return try row.decode("version")
    }

    /// Serves a version in one environment from the next snapshot on; an older version rolls back.
    package func publishRuleSet(version: Int32, at key: AppEnvironment) throws {
        _ = try connection.query(
            """
            insert into holdfast.rule_set_publication (tenant_id, app_id, environment, version,
              published_at)
            values (\(tenant.uuid), \(key.app.uuid), \(key.environment.rawValue), \(version),
              \(timestamp))
            on conflict (tenant_id, app_id, environment)
              do update set version = excluded.version, published_at = excluded.published_at
            """)
        touch(key)
    }

    func publishedRuleSet(at key: AppEnvironment) throws -> RuleSet {
        let rows = try connection.query(
            """
            select r.body
            from holdfast.rule_set_publication p
            join holdfast.rule_set r using (tenant_id, app_id, version)
            where p.tenant_id = \(tenant.uuid) and p.app_id = \(key.app.uuid)
              and p.environment = \(key.environment.rawValue)
            """)
        guard let row = rows.first else { return RuleSet(rules: []) }
        let body: JSON = try row.decode("body")
        return try JSONDecoder().decode(RuleSet.self, from: Data(body.bytes))
    }
}
