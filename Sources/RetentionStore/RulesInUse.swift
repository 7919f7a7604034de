// Tables: rule_set_draft, rule_set_publication, rule_set: which rules name what is to be removed.
internal import FoundationEssentials
internal import Postgres
package import Retention

/// Rules that are being written or are served.
package struct RulesInUse: Sendable {
    package enum Place: Hashable, Sendable {
        case draft
        case published(version: Int32, StoreEnvironment)
    }

    package let place: Place
    /// `nil` where a release of another form wrote it: it may name anything.
    package let ruleSet: RuleSet?
}

extension TenantTransaction {
    /// The app's draft and what is published. Who removes something that they may name holds the
    /// app alone before (`AppLock.alone`), so that no new rules come up meanwhile.
    package func listRulesInUse(of app: AppID) throws -> [RulesInUse] {
        let rows = try connection.query(
            """
            select null::integer as version, null::text collate "C" as environment, body
            from holdfast.rule_set_draft
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
            union all
            select p.version, p.environment, r.body
            from holdfast.rule_set_publication p
            join holdfast.rule_set r using (tenant_id, app_id, version)
            where p.tenant_id = \(tenant.uuid) and p.app_id = \(app.uuid)
            order by environment nulls first
            """)
        return try rows.map { row in
            let body: JSON = try row.decode("body")
            return RulesInUse(
                place: try RulesInUse.Place(row: row),
                ruleSet: try? JSONDecoder().decode(RuleSet.self, from: Data(body.bytes)))
        }
    }
}

extension RulesInUse.Place {
    fileprivate init(row: Row) throws {
        let version: Int32? = try row.decode("version")
        let environment: String? = try row.decode("environment")
        guard let version, let environment else {
            self = .draft
            return
        }
        guard let environment = StoreEnvironment(rawValue: environment) else {
            throw StoreError(code: .invalid, message: "environment \(environment) is not known")
        }
        self = .published(version: version, environment)
    }
}
