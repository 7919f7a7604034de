internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// The server process of one data folder, and the files it needs.
final class ServerOfFolder: Sendable {
    /// Whom the server runs as when we are root.
    static let systemUser = "postgres"
    private static let initialiseDeadline: Duration = .seconds(60)

    private let folder: String
    private let settings: PrivatePostgres.Settings
    private let process = Mutex<ChildProcess?>(nil)

    init(folder: String, settings: PrivatePostgres.Settings) {
        self.folder = folder
        self.settings = settings
    }

    private var data: String { "\(folder)/data" }
    private var log: String { "\(folder)/log" }

    var pid: Int32? {
        process.withLock { child in child?.ended == nil ? child?.pid : nil }
    }

    func initialise() throws {
        let arguments = [
            "--pgdata", data, "--username", PrivatePostgres.superuser, "--auth", "peer",
            "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync", "--no-instructions",
        ]
        let initdb = try ChildProcess.start(plan("initdb", arguments))
        guard initdb.wait(for: ServerOfFolder.initialiseDeadline) == .exited(0) else {
            initdb.terminate(.kill, within: .zero)
            throw ChildProcess.Failure(
                message: "initdb failed; its words: \(logTail(bytes: 2_000))")
        }
        try write("local all all peer map=us\n", to: "pg_hba.conf")
        try write(try identities(), to: "pg_ident.conf")
        try write(configuration(), to: "postgresql.auto.conf")
    }

    func start() throws {
        var plan = plan("postgres", ["-D", data])
        // Not TERM, which waits until every client has gone; the clients are gone with us.
        plan.signalOnParentDeath = .quit
        let child = try ChildProcess.start(plan)
        process.withLock { $0 = child }
    }

    func send(_ signal: ChildProcess.Signal) {
        process.withLock { $0 }?.send(signal)
    }

    func hasEnded(within limit: Duration) -> Bool {
        guard let child = process.withLock({ $0 }) else { return true }
        return child.wait(for: limit) != nil
    }

    func stop() {
        guard let child = process.withLock({ $0 }) else { return }
        // One that a test has stopped could not obey.
        child.send(.resume)
        child.terminate(.interrupt, within: settings.stopDeadline)
    }

    func logTail(bytes: Int) -> String {
        guard let whole = FileManager.default.contents(atPath: log) else { return "(no log)" }
        return String(decoding: whole.suffix(bytes), as: UTF8.self)
    }

    private func plan(_ program: String, _ arguments: [String]) -> ChildProcess.Plan {
        var plan = ChildProcess.Plan("\(settings.binaries)/\(program)", arguments)
        plan.output = .file(log)
        if geteuid() == 0 { plan.user = ServerOfFolder.systemUser }
        return plan
    }

    /// We may be any of the roles; so may the server's own user, for a look by hand with `psql`.
    /// Each pair is written out: PostgreSQL 15 has no pattern for the role's side.
    private func identities() throws -> String {
        guard let name = SystemProcess.userName() else {
            throw ChildProcess.Failure(message: "user \(geteuid()) has no name in /etc/passwd")
        }
        let roles = [PrivatePostgres.superuser] + settings.logins
        let pairs = Set([name, ServerOfFolder.systemUser]).sorted().flatMap { user in
            roles.map { role in "us \"\(user)\" \"\(role)\"\n" }
        }
        return pairs.joined()
    }

    /// Commits stay synchronous even without fsync: then a killed server (not a power cut) loses
    /// nothing, and without fsync they cost next to nothing.
    private func configuration() -> String {
        """
        listen_addresses = ''
        port = 5432
        unix_socket_directories = '\(folder)'
        unix_socket_permissions = 0777
        max_connections = \(settings.maximumConnections)
        fsync = \(settings.fsync ? "on" : "off")
        full_page_writes = \(settings.fsync ? "on" : "off")
        shared_buffers = 64MB
        timezone = 'UTC'
        log_timezone = 'UTC'
        log_min_messages = warning
        log_line_prefix = '%m [%p] %u@%d '
        lc_messages = 'C.UTF-8'

        """
    }

    private func write(_ text: String, to file: String) throws {
        try text.write(toFile: "\(data)/\(file)", atomically: false, encoding: .utf8)
    }
}
