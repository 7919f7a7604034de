import Foundation
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

@Suite(.database) struct AppDeletionTests {
    /// Whoever adds a table with an app sees here whether the app still goes in one piece.
    @Test func `an app goes with all it has, and leaves what was decided and done`() throws {
        let agencies = try Agencies()
        let app = agencies.first.keys[0].app
        try agencies.change(agencies.first) { transaction in
            try transaction.createRuleSetDraft(RuleSet(rules: []), of: app)
            try transaction.recordAudit(
                AuditEvent(
                    action: "x.y", resourceType: "x", resourceId: "1", app: app,
                    changes: Array("{}".utf8)))
        }
        let others = try agencies.digest(of: agencies.second.scope.tenant)
        let before = try rows(of: app, agencies)
        #expect(before.filter { $0.value > 0 }.count > 12, "\(before)")
        try agencies.change(agencies.first) { try $0.deleteApp(app) }
        let left = try rows(of: app, agencies).filter { $0.value > 0 }
        #expect(left == ["audit_event": 1])
        #expect(try agencies.digest(of: agencies.second.scope.tenant) == others)
    }

    @Test func `an app goes with more subscribers than one statement removes`() throws {
        let agencies = try Agencies()
        let key = agencies.first.keys[0]
        let before = try rows(of: key.app, agencies)["profile"] ?? 0
        try agencies.change(agencies.first) { transaction in
            for batch in 0..<3 {
                let names = (0..<4_000).map { "9\(batch)\($0)" }
                try transaction.upsertProfiles(
                    names.map {
                        NewProfile(
                            originalTransactionId: $0,
                            profile: StoredProfile(body: [1], asOf: Agencies.now))
                    }, at: key)
                try transaction.upsertGovernorCounters(
                    names.map {
                        NewGovernorCounters(
                            originalTransactionId: $0,
                            counters: GovernorCounters(
                                offersTaken: 1, lastOfferAt: nil, escalationLevel: 0))
                    }, at: key)
            }
        }
        #expect(try rows(of: key.app, agencies)["profile"] == before + 12_000)
        try agencies.change(agencies.first) { try $0.deleteApp(key.app) }
        #expect(try rows(of: key.app, agencies).values.allSatisfy { $0 == 0 })
    }

    /// How many rows of each table name the app.
    private func rows(of app: AppID, _ agencies: Agencies) throws -> [String: Int64] {
        try agencies.database.superuser.withConnection { connection in
            let tables = try connection.query(
                """
                select c.relname as name from pg_class c
                join pg_attribute a on a.attrelid = c.oid and a.attname = 'app_id'
                where c.relnamespace = 'holdfast'::regnamespace and c.relkind in ('r', 'p')
                  and not c.relispartition
                """)
            return Dictionary(
                uniqueKeysWithValues: try tables.map { table in
                    let name: String = try table.decode("name")
                    let counted = try connection.query(
                        Query(
                            unsafeSQL: """
                                select count(*) from holdfast.\(name)
                                where app_id = '\(app.uuid)'
                                """))
                    return (name, try #require(counted.first).decode(Int64.self, at: 0))
                })
        }
    }
}
