import FoundationEssentials
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// Two agencies with rows in every table, and keys of the first: for all of it and for parts.
struct Keys {
    /// Which part of the agency a key is for.
    enum Part: CaseIterable {
        case all, client, app, both, nothing
    }

    let agencies: Agencies
    /// Of one client the first two, of another the third.
    let apps: [AppID]
    let clients: [ClientID]
    let gateway: RetentionStore

    init() throws {
        agencies = try Agencies()
        try FilledTables.fill(agencies.database)
        gateway = RetentionStore(pool: agencies.database.gateway)
        let tenant = agencies.first.scope.tenant.uuid
        let rows: [(UUID, UUID)] = try agencies.database.superuser.withConnection { connection in
            try connection.query(
                """
                select app_id, client_id from holdfast.app where tenant_id = \(tenant)
                order by app_apple_id
                """
            ).map { (try $0.decode("app_id"), try $0.decode("client_id")) }
        }
        apps = rows.map { AppID($0.0) }
        clients = rows.map { ClientID($0.1) }
        try #require(clients[0] == clients[1] && clients[1] != clients[2])
    }

    /// What a key for this part may see.
    func apps(of part: Part) -> [AppID] {
        switch part {
        case .all: apps
        case .client: [apps[2]]
        case .app: [apps[0]]
        case .both: [apps[0], apps[2]]
        case .nothing: []
        }
    }

    func make(
        _ part: Part, scopes: [AccessScope] = AccessScope.all, expiresAt: Instant? = nil
    ) throws -> APIKeyToken {
        try agencies.change(agencies.first) {
            try $0.createAPIKey(
                NewAPIKey(
                    id: .make(at: Agencies.now), name: "\(part)", scopes: scopes,
                    clients: part == .client || part == .both ? [clients[2]] : nil,
                    apps: part == .app || part == .both
                        ? [apps[0]] : part == .nothing ? [] : nil,
                    expiresAt: expiresAt))
        }
    }

    /// Plain SQL in the gateway's role, after showing the key.
    func run<R>(
        _ token: APIKeyToken, _ body: (Connection) throws -> R
    ) throws -> R {
        try agencies.database.gateway.transaction { connection in
            let now = Timestamp(milliseconds: Agencies.now.milliseconds)
            let rows = try connection.query(
                "select tenant_id from holdfast_sec.enter_key(\(token.hash), \(now))")
            try #require(rows.count == 1)
            return try body(connection)
        }
    }

    /// What the statement does in the gateway's role: rows it changed, or why it was refused.
    func attempt(_ token: APIKeyToken, _ query: Query) throws -> Attempt {
        do {
            return .changed(try run(token) { try $0.query(query).affected })
        } catch let error as PostgresError {
            return .refused(error.sqlState)
        }
    }

    enum Attempt: Equatable {
        case changed(Int)
        case refused(String?)

        static let forbidden = Attempt.refused("42501")
    }

    /// Tables that have the column, by name; partitions are reached through their parent.
    func tables(with column: String) throws -> [String] {
        try agencies.database.superuser.withConnection { connection in
            try connection.query(
                """
                select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid
                where c.relnamespace = 'holdfast'::regnamespace and c.relkind in ('r', 'p')
                  and not c.relispartition and a.attname = \(column)
                order by 1
                """
            ).map { try $0.decode(at: 0) }
        }
    }
}
