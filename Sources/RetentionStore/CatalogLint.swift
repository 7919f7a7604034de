// What must hold in the catalog for row security to be worth anything, asked of PostgreSQL itself.
// The migrations make it so; this finds what somebody changed by hand since, or forgot to do.
package import Postgres

/// One thing in the database that must not be so.
package struct CatalogFinding: Hashable, Sendable, CustomStringConvertible {
    package let rule: CatalogRule
    /// What is there, by its name.
    package let offender: String

    package var description: String { "\(offender): \(rule.advice)" }
}

/// Why a program does not start on this database.
package struct CatalogRefusal: Error, CustomStringConvertible {
    package let findings: [CatalogFinding]

    /// `nil` where there are none.
    package init?(_ findings: [CatalogFinding]) {
        if findings.isEmpty { return nil }
        self.findings = findings
    }

    package var description: String {
        "the database does not hold tenants apart, \(findings.count) findings; mend them, or "
            + "restore the grants and policies that holdfast migrate made"
    }
}

package enum CatalogLint {
    /// 15.14 closed a leak of hidden rows through planner statistics (CVE-2025-8713).
    package static let oldestServer: Int32 = 150_014

    /// Tells `report` everything that is wrong.
    ///
    /// - Parameter asNewer: the schema is newer than this build, whose lists then do not know what
    ///   came since: nothing is refused.
    /// - Throws: `CatalogRefusal`; a program must not start on such a database.
    package static func check(
        _ connection: Connection, asNewer: Bool, report: (CatalogFinding) -> Void
    ) throws {
        let findings = try findings(connection)
        findings.forEach(report)
        if !asNewer, let refusal = CatalogRefusal(findings) { throw refusal }
    }

    /// Everything that is wrong, in the order of the rules; any role may ask.
    package static func findings(
        _ connection: Connection, oldestServer: Int32 = oldestServer
    ) throws(PostgresError) -> [CatalogFinding] {
        var findings: [CatalogFinding] = []
        for rule in CatalogRule.allCases {
            for row in try connection.query(rule.query(oldestServer: oldestServer)) {
                findings.append(CatalogFinding(rule: rule, offender: try row.decode(at: 0)))
            }
        }
        return findings
    }
}

/// Each is one query for offenders. Exceptions stand in its query, by name.
package enum CatalogRule: String, Sendable, CaseIterable {
    case rowSecurity, tenantPolicy, ownership, strongRole, invokerView, definer, strongGrant
    case foreignKey, uniqueIndex, partition, materialisedView, serverVersion, publicGrant
    case execution, appPolicy

    /// What to do about an offender.
    var advice: String {
        switch self {
        case .rowSecurity: "enable and force row level security; see holdfast_sec.protect"
        case .tenantPolicy:
            "its roles need one permissive policy that compares tenant_id with "
                + "holdfast_sec.tenant(), and no other; drop what was added"
        case .ownership:
            "nothing that logs in may own objects or be a member of their owner; reassign or revoke"
        case .strongRole: "take the attribute from the role; see deploy/roles.sql"
        case .invokerView: "set (security_invoker = true), or the view passes by row security"
        case .definer:
            "a security definer function belongs to holdfast_definer, pins its search path to "
                + "pg_catalog, pg_temp, and is not PUBLIC's"
        case .strongGrant: "revoke it: TRUNCATE, REFERENCES and TRIGGER pass by row security"
        case .foreignKey: "begin it with tenant_id on both sides, or it reaches across tenants"
        case .uniqueIndex: "begin it with tenant_id, or it tells tenants of each other"
        case .partition:
            "a partition has forced row security, no policy and no grant; use its parent"
        case .materialisedView: "drop it: a materialised view has no row security"
        case .serverVersion: "upgrade PostgreSQL to 15.14 or newer"
        case .publicGrant: "revoke it from PUBLIC; see deploy/roles.sql"
        case .execution: "revoke execute: the function is not on this role's list"
        case .appPolicy: "restrict the gateway's role to a limited key's apps; see protect_app"
        }
    }

    func query(oldestServer: Int32) -> Query {
        switch self {
        case .rowSecurity: Self.rowSecurityQuery
        case .tenantPolicy: Self.tenantPolicyQuery
        case .ownership: Self.ownershipQuery
        case .strongRole: Self.strongRoleQuery
        case .invokerView: Self.invokerViewQuery
        case .definer: Self.definerQuery
        case .strongGrant: Self.strongGrantQuery
        case .foreignKey: Self.foreignKeyQuery
        case .uniqueIndex: Self.uniqueIndexQuery
        case .partition: Self.partitionQuery
        case .materialisedView: Self.materialisedViewQuery
        case .serverVersion:
            """
            select 'server ' || current_setting('server_version')
            where current_setting('server_version_num')::integer < \(oldestServer)
            """
        case .publicGrant: Self.publicGrantQuery
        case .execution: Self.executionQuery
        case .appPolicy: Self.appPolicyQuery
        }
    }
}
