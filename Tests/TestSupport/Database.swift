internal import FoundationEssentials
package import Postgres

/// A migrated database of one test's own, made from a template in about 0.15 s and dropped
/// afterwards.
///
/// ```swift
/// @Test(.database) func aTenantSeesItsOwnRows() throws {
///     let database = try Database.current()
///     try database.operator.transaction { … }
/// }
/// ```
package final class Database: Sendable {
    @TaskLocal static var ofTest: Database?

    package let name: String
    /// As a superuser, whom row-level security does not hold: for looking at what is really there.
    package let superuser: Pool
    package let migrator: Pool
    package let `operator`: Pool
    package let responder: Pool
    package let gateway: Pool
    package let sync: Pool

    /// The database of the running test, which must have the trait `.database`.
    package static func current() throws -> Database {
        guard let database = ofTest else {
            throw PostgresError(.closed, "this test has no database; give it the trait .database")
        }
        return database
    }

    /// Prefer the trait; with this, `drop()` is yours.
    package static func make() throws -> Database {
        try make(template: "holdfast_template")
    }

    /// Without any migration, for tests of the migrations themselves; `drop()` is yours.
    package static func makeEmpty() throws -> Database {
        try make(template: "template1")
    }

    private static func make(template: String) throws -> Database {
        let server = try TestServer.shared.get()
        let name = "test_\(UUID().uuidString.lowercased().replacing("-", with: "_"))"
        try server.execute("create database \(name) template \(template) owner holdfast_owner")
        try server.execute(
            "revoke all on database \(name) from public; grant connect on database \(name) to "
                + "holdfast_migrator, holdfast_operator, holdfast_responder, holdfast_gateway, "
                + "holdfast_sync")
        return try Database(name: name, server)
    }

    private init(name: String, _ server: TestServer) throws {
        self.name = name
        superuser = try Database.pool(name, server, role: "postgres")
        migrator = try Database.pool(name, server, role: "holdfast_migrator")
        `operator` = try Database.pool(name, server, role: "holdfast_operator")
        responder = try Database.pool(name, server, role: "holdfast_responder")
        gateway = try Database.pool(name, server, role: "holdfast_gateway")
        sync = try Database.pool(name, server, role: "holdfast_sync")
    }

    /// For a pool of other settings, or a real program.
    package func url(role: String) throws -> String {
        try TestServer.shared.get().url(database: name, role: role)
    }

    package func drop() throws {
        for pool in [superuser, migrator, `operator`, responder, gateway, sync] { pool.close() }
        try TestServer.shared.get().execute("drop database if exists \(name) with (force)")
    }

    /// Generous: tests share their machine with builds. What must be late says so itself.
    private static func pool(_ name: String, _ server: TestServer, role: String) throws -> Pool {
        var settings = PoolSettings(url: server.url(database: name, role: role))
        settings.acquireTimeout = .seconds(60)
        settings.connectTimeout = .seconds(60)
        settings.queryTimeout = .seconds(60)
        settings.applicationName = "tests"
        return try Pool(settings)
    }
}
