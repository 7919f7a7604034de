internal import FoundationEssentials
internal import Glibc
internal import Postgres

/// A PostgreSQL server of one's own, for tests and the demo: fresh, reached through a socket
/// only, and gone with us.
///
/// ```
///   make folder ─▶ initdb ─▶ postgres (child, dies with us) ─▶ answers? ─▶ roles.sql ─▶ ready
///                                                         stop ─▶ folder removed ◀────────┘
/// ```
///
/// PostgreSQL refuses to run as root. As root, everything runs as the system user `postgres`, in a
/// folder under /var/tmp that this user can reach. Roles log in by peer authentication: the
/// system user we are may be any role, so there is no password to keep.
///
/// If we are killed, the kernel ends the server; the folder goes when the next one is made.
package final class PrivatePostgres: Sendable {
    package struct Settings: Sendable {
        package var binaries = "/usr/lib/postgresql/15/bin"
        /// Under it the folder is made. A socket's path may have 107 bytes.
        package var parent = "/var/tmp"
        /// Off for tests: a power cut would lose the cluster, which lasts for minutes anyway.
        package var fsync = true
        package var maximumConnections = 100
        package var startDeadline: Duration = .seconds(60)
        package var stopDeadline: Duration = .seconds(10)
        /// The roles we may log in as, besides the superuser.
        package var logins = [
            "holdfast_migrator", "holdfast_operator", "holdfast_responder", "holdfast_gateway",
            "holdfast_sync",
        ]
        /// The text of `deploy/roles.sql`.
        package var roles: [UInt8]

        package init(roles: [UInt8]) {
            self.roles = roles
        }
    }

    /// The superuser of the cluster, for set-up only.
    package static let superuser = "postgres"
    private static let port = 5432
    private static let folderPrefix = "holdfast-pg-"
    private static let socketPathBytesLimit = 107

    package let folder: String
    package let settings: Settings
    private let server: ServerOfFolder

    /// Makes the cluster, starts it, waits until it answers and applies the roles.
    package init(_ settings: Settings) throws {
        self.settings = settings
        folder = try PrivatePostgres.makeFolder(settings)
        server = ServerOfFolder(folder: folder, settings: settings)
        do {
            try server.initialise()
            try start()
            let pool = try Pool(PoolSettings(url: url(), maximumConnections: 1))
            defer { pool.close() }
            try pool.withConnection { try $0.execute(script: settings.roles) }
        } catch {
            remove()
            throw error
        }
    }

    deinit { remove() }

    /// A URL for libpq.
    package func url(
        database: String = "postgres", role: String = PrivatePostgres.superuser
    ) -> String {
        "postgresql:///\(database)?host=\(folder)&port=\(PrivatePostgres.port)&user=\(role)"
    }

    /// The postmaster, or nil while it is stopped.
    package var pid: Int32? { server.pid }

    /// Starts a stopped server again on the same data and waits until it answers.
    package func start() throws {
        try server.start()
        try awaitAnswer()
    }

    /// Sends a signal to the postmaster alone.
    package func send(_ signal: ChildProcess.Signal) { server.send(signal) }

    /// `kill -9` of the postmaster and all it started, as a crash of the machine would do it.
    package func killAll() {
        signalAll(.kill)
        _ = server.hasEnded(within: settings.stopDeadline)
    }

    /// Every process of the server stands still: connections stay open and nothing answers.
    package func freeze() { signalAll(.stop) }

    /// After `freeze`.
    package func thaw() { signalAll(.resume) }

    private func signalAll(_ signal: ChildProcess.Signal) {
        guard let postmaster = server.pid else { return }
        // Starts no other process while its children are listed.
        server.send(.stop)
        for child in Descendants.pids(of: postmaster) { kill(child, signal.number) }
        server.send(signal)
    }

    /// Ends the server in order (fast shutdown), after the deadline by force. Keeps the folder.
    package func stop() { server.stop() }

    /// Stops the server and removes its folder. Also done when the last reference goes.
    package func remove() {
        server.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// What the server wrote last, for an error message.
    package func logTail(bytes: Int = 2_000) -> String { server.logTail(bytes: bytes) }

    /// Asks again and again: a server that starts has no other way to tell. Each question is
    /// answered or refused at once, and between two of them is a bounded wait on the server's end.
    private func awaitAnswer() throws {
        let deadline = ContinuousClock.now.advanced(by: settings.startDeadline)
        var settings = PoolSettings(url: url(), maximumConnections: 1)
        settings.connectTimeout = .seconds(2)
        let pool = try Pool(settings)
        defer { pool.close() }
        while true {
            do {
                return try pool.withConnection { _ = try $0.query("select 1") }
            } catch {
                let isOver = server.hasEnded(within: .milliseconds(20))
                guard !isOver, ContinuousClock.now < deadline else {
                    throw ChildProcess.Failure(
                        message: "PostgreSQL did not start: \(error); its log: \(logTail())")
                }
            }
        }
    }

    private static func makeFolder(_ settings: Settings) throws -> String {
        FolderOwner.sweep(settings.parent, prefix: folderPrefix)
        let name = "\(folderPrefix)\(UUID().uuidString.prefix(13).lowercased())"
        let folder = "\(settings.parent)/\(name)"
        guard "\(folder)/.s.PGSQL.\(port).lock".utf8.count <= socketPathBytesLimit else {
            throw ChildProcess.Failure(
                message: "\(folder) is too long for a socket; choose a shorter parent folder")
        }
        var attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        if geteuid() == 0 {
            attributes[.ownerAccountName] = ServerOfFolder.systemUser
        }
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: attributes)
        try FolderOwner.sign(folder)
        return folder
    }
}
