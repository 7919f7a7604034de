import Foundation
import Operator
import Postgres
import Retention
import RetentionStore
import Signing
import TestSupport
import Testing

/// Two agencies in one database that hold the same apps, by bundle and Apple's number.
struct Agencies {
    static let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))

    let database: Database
    let store: RetentionStore
    let platformKey: PrivateKey
    let first: SampleAgency
    let second: SampleAgency

    init() throws {
        database = try Database.current()
        store = RetentionStore(pool: database.operator)
        platformKey = try PrivateKey.generate()
        first = try PlacedAgency.load(
            into: store, platformKey: platformKey.publicKey, now: Self.now
        ).agency
        second = try PlacedAgency.load(
            into: store, platformKey: platformKey.publicKey, now: Self.now
        ).agency
    }

    /// Changes something of an agency.
    @discardableResult
    func change<R>(
        _ agency: SampleAgency, _ body: (TenantTransaction) throws -> R
    ) throws -> R {
        try store.transaction(agency.scope, at: Self.now, body)
    }

    func head(_ agency: SampleAgency, _ key: AppEnvironment) throws -> SnapshotHead {
        let heads = try RetentionStore(pool: database.responder).snapshotHeads(.routing)
        return try #require(heads.first { $0.tenant == agency.scope.tenant && $0.key == key })
    }

    func snapshot(_ agency: SampleAgency, _ key: AppEnvironment) throws -> Snapshot {
        try RetentionStore(pool: database.responder).snapshot(.routing, head(agency, key))
    }

    /// One value of the superuser's, who sees everything.
    func value<T: SQLDecodable>(_ query: Query) throws -> T {
        try database.superuser.withConnection { connection in
            try #require(try connection.query(query).first).decode(at: 0)
        }
    }

    /// A digest of every row that a tenant has in any table.
    func digest(of tenant: TenantID) throws -> String {
        try database.superuser.withConnection { connection in
            let tables = try connection.query(
                """
                select c.relname as name from pg_class c
                where c.relnamespace = 'holdfast'::regnamespace and c.relkind in ('r', 'p')
                  and not c.relispartition order by 1
                """)
            return try tables.map { table in
                let name: String = try table.decode("name")
                let rows = try connection.query(
                    Query(
                        unsafeSQL: """
                            select coalesce(md5(string_agg(t::text, '|' order by t::text)), '-')
                            from holdfast.\(name) t where tenant_id = '\(tenant.uuid)'
                            """))
                return "\(name) " + (try #require(rows.first).decode(String.self, at: 0))
            }.joined(separator: "\n")
        }
    }
}
