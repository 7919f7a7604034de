internal import FoundationEssentials
internal import Glibc
internal import Migrations
internal import Operator
internal import Postgres

/// The one PostgreSQL of this test process, started when the first test needs it.
///
/// It ends with the process: in order at exit, by the kernel if the process is killed.
struct TestServer: Sendable {
    static let shared = Result { try TestServer() }

    /// Tests run in parallel, each with pools of its own.
    private static let connectionsLimit = 300

    private let postgres: PrivatePostgres
    private let superuser: Pool

    private init() throws {
        var settings = PrivatePostgres.Settings(
            roles: try PackageRoot.bytes(of: "deploy/roles.sql"))
        settings.fsync = false
        settings.maximumConnections = TestServer.connectionsLimit
        postgres = try PrivatePostgres(settings)
        superuser = try Pool(TestServer.patient(postgres.url()))
        atexit { TestServer.endAtExit() }
        try makeTemplate()
    }

    func url(database: String, role: String) -> String {
        postgres.url(database: database, role: role)
    }

    func execute(_ sql: String) throws {
        try superuser.withConnection { try $0.execute(script: sql) }
    }

    private func makeTemplate() throws {
        try execute("create database holdfast_template owner holdfast_owner")
        try Schema.migrate(
            url: url(database: "holdfast_template", role: "holdfast_migrator"),
            nowMilliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    }

    private static func patient(_ url: String) -> PoolSettings {
        var settings = PoolSettings(url: url)
        settings.acquireTimeout = .seconds(60)
        settings.connectTimeout = .seconds(60)
        settings.queryTimeout = .seconds(60)
        return settings
    }

    private static func endAtExit() {
        guard case .success(let server) = shared else { return }
        server.superuser.close()
        server.postgres.remove()
    }
}
