import Migrations
import Operator
import Postgres

/// A migrated database on a server of one test's own, which may stop and kill it.
enum OwnDatabase {
    static let name = "holdfast"

    static func make(on server: PrivatePostgres) throws {
        let admin = try Pool(PoolSettings(url: server.url()))
        defer { admin.close() }
        try admin.withConnection {
            try $0.execute(script: "create database \(name) owner holdfast_owner")
        }
        try Schema.migrate(
            url: server.url(database: name, role: "holdfast_migrator"),
            nowMilliseconds: 1_800_000_000_000)
    }
}
