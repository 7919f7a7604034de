internal import FoundationEssentials
internal import HTTPClient
internal import Postgres
internal import Retention
internal import RetentionStore
internal import Service

/// What a benchmark of the real-time path needs around it:
///
///     PostgreSQL ─ migrations ─ apps ─ chain of the simulator's ─ responder, alone on its core
///       ─ (peer, idle on the same core until it is its turn)
///
/// The generator, PostgreSQL and everything else share the other cores.
final class BenchStage {
    private static let folderPrefix = "holdfast-bench-"
    private static let readyLimit: Duration = .seconds(30)
    private static let endLimit: Duration = .seconds(8)
    private static let runLimit: Duration = .seconds(120)
    /// The responder answers on one thread: the figures are those of one core.
    private static let threads = 1

    let settings: BenchSettings
    let processes: DemoProcesses
    let postgres: PrivatePostgres
    let store: RetentionStore
    private(set) var apps: [BenchApp]
    private(set) var responder: ChildProcess?
    private(set) var peer: ChildProcess?
    private let folder: String
    private let binaries: String
    private let ports: [UInt16]

    init(_ settings: BenchSettings, stop: StopSignal, say: @escaping (String) -> Void) throws {
        self.settings = settings
        FolderOwner.sweep(settings.parentDirectory, prefix: Self.folderPrefix)
        folder = "\(settings.parentDirectory)/\(Self.folderPrefix)\(UUID().uuidString.lowercased())"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        try FolderOwner.sign(folder)
        binaries = try DemoProcesses.folderOfThisProgram()
        ports = try FreePort.find(3)
        processes = try DemoProcesses(
            DemoSettings(
                deployDirectory: settings.deployDirectory,
                parentDirectory: settings.parentDirectory),
            stop: stop, say: say)
        try processes.startPostgres()
        guard let postgres = processes.postgresServer else {
            throw LoadError(description: "PostgreSQL is gone again; see its log")
        }
        self.postgres = postgres
        store = RetentionStore(pool: try processes.operatorPool())
        apps = try BenchApp.make(
            1, in: store, sealedTo: processes.platformKey.publicKey, now: Self.now)
    }

    deinit { end() }

    static var now: Instant { Instant(milliseconds: Clock.system.now()) }

    var app: BenchApp { apps[0] }

    /// More apps beside the first.
    func addApps(_ count: Int) throws {
        apps += try BenchApp.make(
            count, after: apps.count, in: store, sealedTo: processes.platformKey.publicKey,
            now: Self.now)
    }

    func end() {
        for process in [peer, responder] { process?.terminate(within: Self.endLimit) }
        (peer, responder) = (nil, nil)
        processes.end()
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: Processes on the measured core

    /// - Parameter memory: MiB for profiles; 0 asks PostgreSQL for each subscriber.
    func startResponder(memory: Int = 256) throws {
        // Makes the chain, whose root the responder is told to trust.
        _ = try bodies(of: app, product: app.messageProduct, count: 1)
        responder = try start(
            "realtime-responder", onProcessor: "\(binaries)/realtime-responder",
            environment: [
                "HOLDFAST_DATABASE_URL":
                    postgres.url(database: "holdfast", role: "holdfast_responder"),
                "HOLDFAST_RESPONDER_PORT": String(ports[0]),
                "HOLDFAST_RESPONDER_ADMIN_PORT": String(ports[1]),
                "HOLDFAST_RESPONDER_THREADS": String(Self.threads),
                "HOLDFAST_PLATFORM_PRIVATE_KEY_FILE": processes.platformKey.privatePath,
                "HOLDFAST_SPOOL_DIRECTORY": folder + "/spool",
                "HOLDFAST_PROFILE_TABLE_MEBIBYTES": String(memory),
                "HOLDFAST_REVOCATION_CHECKS": "false",
                "HOLDFAST_FURTHER_TRUST_ROOT_FILE": root,
            ], readyAt: "http://127.0.0.1:\(ports[1])/readyz")
    }

    func stopResponder() {
        responder?.terminate(within: Self.endLimit)
        responder = nil
    }

    /// The same job in Python; nothing where it was not asked for.
    func startPeer() throws {
        guard let python = settings.peerPython else { return }
        peer = try start(
            "peer", onProcessor: python,
            arguments: [
                settings.peerScript, "--port", String(ports[2]), "--root", root,
                "--bundle-id", app.bundleId, "--app-apple-id", String(app.appAppleId),
                "--decisions", folder + "/peer-decisions.jsonl",
            ], environment: [:], readyAt: "http://127.0.0.1:\(ports[2])/ready")
    }

    func target(_ app: BenchApp) -> LoadTarget { LoadTarget(port: ports[0], path: app.path) }
    var peerTarget: LoadTarget { LoadTarget(port: ports[2], path: "/realtime/peer") }

    private func start(
        _ name: String, onProcessor program: String, arguments: [String] = [],
        environment: [String: String], readyAt url: String
    ) throws -> ChildProcess {
        let log = "\(folder)/\(name).log"
        var plan = ChildProcess.Plan(
            "/usr/bin/taskset", ["-c", String(settings.processor), program] + arguments)
        plan.environment.merge(environment) { _, ours in ours }
        plan.output = .file(log)
        let process = try ChildProcess.start(plan)
        let transport = Transport()
        let deadline = ContinuousClock.now + Self.readyLimit
        while ContinuousClock.now < deadline, process.wait(for: .milliseconds(50)) == nil {
            let answer = try? transport.send(ClientRequest(method: "GET", url: url))
            if answer?.status == 200 { return process }
        }
        process.terminate(.kill, within: Self.endLimit)
        throw LoadError(description: "\(name) is not ready; its last words:\n\(tail(log))")
    }

    // MARK: Programs that run to their end

    /// Freshly signed bodies in a file of their own.
    func bodies(
        of app: BenchApp, product: String, count: Int, subscribers: Int? = nil
    ) throws -> String {
        let file = "\(folder)/bodies-\(app.appAppleId)-\(product)"
        let arguments = [
            "corpus", "--out", file, "--authority", folder + "/authority",
            "--app-apple-id", String(app.appAppleId), "--product", product,
            "--count", String(count), "--subscribers", String(subscribers ?? count),
            "--locale", "en-US", "--locale", "ja-JP", "--locale", "es-MX", "--locale", "fr-FR",
        ]
        _ = try run("\(binaries)/app-store-simulator", arguments)
        return file
    }

    func speed() throws -> OpenSSLSpeed {
        let text = try run(
            "/usr/bin/taskset",
            [
                "-c", String(settings.processor), "/usr/bin/openssl", "speed", "-seconds",
                String(settings.speedSeconds), "ecdsap256",
            ])
        guard let speed = OpenSSLSpeed(output: text) else {
            throw LoadError(description: "openssl speed printed no figures:\n\(text.suffix(400))")
        }
        return speed
    }

    /// Profiles of the subscribers that the simulator's requests are of: the first so many.
    func loadProfiles(_ count: Int, into app: BenchApp) throws {
        _ = try run(
            "\(binaries)/holdfast",
            [
                "load-profiles", "--tenant", app.tenant.description, "--app", app.id.description,
                "--environment", StoreEnvironment.production.rawValue, "--generate", String(count),
            ],
            environment: [
                "HOLDFAST_DATABASE_URL":
                    postgres.url(database: "holdfast", role: "holdfast_operator")
            ])
    }

    private func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> String {
        let output = "\(folder)/output-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: output) }
        var plan = ChildProcess.Plan(program, arguments)
        plan.environment.merge(environment) { _, ours in ours }
        plan.output = .file(output)
        let process = try ChildProcess.start(plan)
        let end = process.wait(for: Self.runLimit)
        if end == nil { process.terminate(.kill, within: Self.endLimit) }
        let text = tail(output)
        guard end == .exited(0) else {
            throw LoadError(description: "\(program) failed; its last words:\n\(text)")
        }
        return text
    }

    private var root: String { folder + "/authority/root.der" }

    private func tail(_ path: String) -> String {
        let bytes = FileManager.default.contents(atPath: path) ?? Data()
        return String(decoding: bytes.suffix(4_000), as: UTF8.self)
    }
}
