internal import FoundationEssentials
internal import HTTPClient
internal import Migrations
package import Postgres
internal import Retention
internal import RetentionStore
package import Service

/// The processes of the demo, each with its own log file, all ended when this one ends.
package final class DemoProcesses {
    /// Above the role's own `statement_timeout`, as for every pool.
    package static let operatorQueryTimeout: Duration = .seconds(35)
    private static let readyLimit: Duration = .seconds(30)
    private static let readyLookInterval: Duration = .milliseconds(50)
    private static let endLimit: Duration = .seconds(8)
    private static let watchInterval: Duration = .seconds(1)
    private static let logTailBytes = 2_000
    private static let folderPrefix = "holdfast-demo-"

    package let simulator: SimulatorControl
    package let platformKey: PlatformKey
    private let settings: DemoSettings
    private let stop: StopSignal
    private let say: (String) -> Void
    private let folder: String
    private let ports: Ports
    private let binaries: String
    private var postgres: PrivatePostgres?
    private var children: [(name: String, process: ChildProcess)] = []
    private var pools: [Pool] = []

    private struct Ports {
        let proxy, responder, responderAdmin, gateway, gatewayAdmin, syncAdmin: UInt16
        let simulator, simulatorAdmin, appleProduction, appleSandbox: UInt16

        init() throws {
            let free = try FreePort.find(10)
            (proxy, responder, responderAdmin) = (free[0], free[1], free[2])
            (gateway, gatewayAdmin, syncAdmin) = (free[3], free[4], free[5])
            (simulator, simulatorAdmin) = (free[6], free[7])
            (appleProduction, appleSandbox) = (free[8], free[9])
        }
    }

    package init(
        _ settings: DemoSettings, stop: StopSignal, say: @escaping (String) -> Void
    ) throws {
        self.settings = settings
        self.stop = stop
        self.say = say
        ports = try Ports()
        simulator = SimulatorControl(port: ports.simulator)
        FolderOwner.sweep(settings.parentDirectory, prefix: Self.folderPrefix)
        let name = Self.folderPrefix + UUID().uuidString.lowercased()
        folder = "\(settings.parentDirectory)/\(name)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        try FolderOwner.sign(folder)
        platformKey = try PlatformKey(creatingIn: folder)
        binaries = try settings.programs ?? Self.folderOfThisProgram()
    }

    deinit { end() }

    // MARK: One process each

    package func startPostgres() throws {
        say("starting a private PostgreSQL")
        let roles = try FileBytes.readAll(
            "\(settings.deployDirectory)/\(DemoSettings.rolesFile)", bytesLimit: 1 << 20)
        var server = PrivatePostgres.Settings(roles: roles)
        server.parent = settings.parentDirectory
        let postgres = try PrivatePostgres(server)
        self.postgres = postgres
        let superuser = try Pool(PoolSettings(url: postgres.url(), maximumConnections: 1))
        defer { superuser.close() }
        try superuser.withConnection { connection in
            for statement in [
                "create database holdfast owner holdfast_owner",
                "revoke all on database holdfast from public",
                "grant connect on database holdfast to holdfast_migrator, holdfast_operator, "
                    + "holdfast_responder, holdfast_gateway, holdfast_sync",
            ] { try connection.execute(script: statement) }
        }
        try Schema.migrate(
            url: postgres.url(database: "holdfast", role: "holdfast_migrator"),
            nowMilliseconds: Clock.system.now(), progress: say)
    }

    package func startSimulator() throws {
        say("starting app-store-simulator")
        try start(
            "app-store-simulator", binaries + "/app-store-simulator",
            environment: [
                "HOLDFAST_SIMULATOR_CONTROL_PORT": String(ports.simulator),
                "HOLDFAST_SIMULATOR_ADMIN_PORT": String(ports.simulatorAdmin),
                "HOLDFAST_SIMULATOR_PRODUCTION_PORT": String(ports.appleProduction),
                "HOLDFAST_SIMULATOR_SANDBOX_PORT": String(ports.appleSandbox),
            ], readyAt: "http://127.0.0.1:\(ports.simulatorAdmin)/readyz", status: 200)
        try write(try simulator.rootCertificate(), to: furtherRoot)
        try simulator.mapOrigin(
            SampleAgency.publicOrigin, to: "http://127.0.0.1:\(ports.proxy)")
    }

    /// - Parameter trustsSimulator: false for a responder that trusts Apple alone.
    package func startResponder(trustsSimulator: Bool = true) throws {
        say("starting realtime-responder")
        var environment = [
            "HOLDFAST_DATABASE_URL": try url(role: "holdfast_responder"),
            "HOLDFAST_RESPONDER_PORT": String(ports.responder),
            "HOLDFAST_RESPONDER_ADMIN_PORT": String(ports.responderAdmin),
            "HOLDFAST_PLATFORM_PRIVATE_KEY_FILE": platformKey.privatePath,
            "HOLDFAST_SPOOL_DIRECTORY": folder + "/spool",
            "HOLDFAST_STATE_DIRECTORY": folder + "/state",
            // Each approval is a snapshot, and people wait for it.
            "HOLDFAST_SNAPSHOT_POLL_MILLISECONDS": "200",
        ]
        if trustsSimulator { environment["HOLDFAST_FURTHER_TRUST_ROOT_FILE"] = furtherRoot }
        try start(
            "realtime-responder", binaries + "/realtime-responder",
            environment: environment,
            readyAt: "http://127.0.0.1:\(ports.responderAdmin)/readyz", status: 200)
    }

    package func startGateway() throws {
        say("starting api-gateway")
        try start(
            "api-gateway", binaries + "/api-gateway",
            environment: [
                "HOLDFAST_DATABASE_URL": try url(role: "holdfast_gateway"),
                "HOLDFAST_GATEWAY_PORT": String(ports.gateway),
                "HOLDFAST_GATEWAY_ADMIN_PORT": String(ports.gatewayAdmin),
                "HOLDFAST_PLATFORM_PUBLIC_KEY_FILE": platformKey.publicPath,
                // The simulator signs notifications too.
                "HOLDFAST_FURTHER_TRUST_ROOT_FILE": furtherRoot,
            ], readyAt: "http://127.0.0.1:\(ports.gatewayAdmin)/readyz", status: 200)
    }

    package func startSync() throws {
        say("starting apple-sync")
        try start(
            "apple-sync", binaries + "/apple-sync",
            environment: [
                "HOLDFAST_DATABASE_URL": try url(role: "holdfast_sync"),
                "HOLDFAST_PLATFORM_PRIVATE_KEY_FILE": platformKey.privatePath,
                "HOLDFAST_PUBLIC_ORIGIN": SampleAgency.publicOrigin,
                "HOLDFAST_APPLE_PRODUCTION_URL": "http://127.0.0.1:\(ports.appleProduction)",
                "HOLDFAST_APPLE_SANDBOX_URL": "http://127.0.0.1:\(ports.appleSandbox)",
                "HOLDFAST_SYNC_ADMIN_PORT": String(ports.syncAdmin),
                "HOLDFAST_SYNC_LOAD_ORIGIN": proxyOrigin,
                "HOLDFAST_SYNC_POLL_MILLISECONDS": "100",
            ], readyAt: "http://127.0.0.1:\(ports.syncAdmin)/readyz", status: 200)
    }

    package func startProxy() throws {
        say("starting HAProxy")
        let configuration = "\(settings.deployDirectory)/\(DemoSettings.proxyFile)"
        guard FileManager.default.fileExists(atPath: "/usr/sbin/haproxy") else {
            throw DemoError(description: "haproxy is not installed; deploy/demo installs it")
        }
        try start(
            "haproxy", "/usr/sbin/haproxy", arguments: ["-db", "-f", configuration],
            environment: [
                "HOLDFAST_PROXY_BIND": "127.0.0.1:\(ports.proxy)",
                "HOLDFAST_RESPONDER_ADDRESS": "127.0.0.1:\(ports.responder)",
                "HOLDFAST_GATEWAY_ADDRESS": "127.0.0.1:\(ports.gateway)",
            ], readyAt: "http://127.0.0.1:\(ports.proxy)/", status: 404)
    }

    private func start(
        _ name: String, _ program: String, arguments: [String] = [],
        environment: [String: String], readyAt url: String, status: Int
    ) throws {
        var plan = ChildProcess.Plan(program, arguments)
        plan.environment.merge(environment) { _, ours in ours }
        plan.output = .file(logPath(name))
        let process = try ChildProcess.start(plan)
        children.append((name, process))
        try awaitReady(name, process, at: url, status: status)
    }

    private func awaitReady(
        _ name: String, _ process: ChildProcess, at url: String, status: Int
    ) throws {
        let transport = Transport()
        let deadline = ContinuousClock.now + Self.readyLimit
        while ContinuousClock.now < deadline {
            let answer = try? transport.send(ClientRequest(method: "GET", url: url))
            if answer?.status == status { return }
            if process.wait(for: Self.readyLookInterval) != nil { break }
            if stop.isRequested { throw DemoError(description: "interrupted") }
        }
        let verb = process.ended == nil ? "is not ready in time" : "ended at once"
        throw DemoError(description: "\(name) \(verb); its last words:\n\(logTail(name))")
    }

    /// Ends one process, as `signal` does it, and forgets it.
    package func end(_ name: String, by signal: ChildProcess.Signal) {
        guard let index = children.firstIndex(where: { $0.name == name }) else { return }
        children.remove(at: index).process.terminate(signal, within: Self.endLimit)
    }

    // MARK: For those who work with them

    package var postgresServer: PrivatePostgres? { postgres }

    package var proxyOrigin: String { "http://127.0.0.1:\(ports.proxy)" }
    package var responderOrigin: String { "http://127.0.0.1:\(ports.responder)" }
    package var responderAdminOrigin: String { "http://127.0.0.1:\(ports.responderAdmin)" }
    package var gatewayAdminOrigin: String { "http://127.0.0.1:\(ports.gatewayAdmin)" }
    package var simulatorControlOrigin: String { simulator.base }

    package func operatorPool() throws -> Pool {
        if let pool = pools.first { return pool }
        let pool = try Pool(
            PoolSettings(
                url: try url(role: "holdfast_operator"), maximumConnections: 2,
                queryTimeout: Self.operatorQueryTimeout, applicationName: "holdfast-demo"))
        pools.append(pool)
        return pool
    }

    /// Makes the sample agency as its own engineers would: a tenant and its first key as an
    /// operator's command makes them, everything else over the admin API.
    package func makeAgency() throws -> (agency: SampleAgency, api: AdminClient) {
        let database = OperatorStore(
            store: RetentionStore(pool: try operatorPool()),
            now: Instant(milliseconds: Clock.system.now()))
        let tenant = try database.createTenant(name: SampleAgency.name)
        let (_, token) = try database.createKey(KeyOrder(tenant: tenant.id, name: "demo"))
        let authorization = "Bearer \(token.text)"
        try write(Array("Authorization: \(authorization)\n".utf8), to: authorizationFile)
        let api = AdminClient(origin: proxyOrigin, authorization: authorization, stop: stop)
        let agency = try SampleAgency.build(of: tenant.id, over: api, now: database.now)
        return (agency, api)
    }

    func whereToLook(_ agency: SampleAgency) -> String {
        let curl = "curl -H @\(authorizationFile)"
        let app = "\(proxyOrigin)\(agency.apps.first?.path ?? "/v1/apps")"
        return """

            It stays up until Ctrl-C. Where to look:
              admin API   \(curl) \(proxyOrigin)/v1/apps
                          curl \(proxyOrigin)/openapi.json
                          metrics and readiness: curl \(gatewayAdminOrigin)/metrics
              sync        \(curl) '\(app)/plan?environment=Production'
                          \(curl) '\(app)/sync-runs?environment=Production'
                          \(curl) '\(app)/apple-calls?environment=Production'
                          metrics and readiness: curl http://127.0.0.1:\(ports.syncAdmin)/metrics
              metrics     curl http://127.0.0.1:\(ports.responderAdmin)/metrics
              readiness   curl http://127.0.0.1:\(ports.responderAdmin)/readyz
              simulator   curl http://127.0.0.1:\(ports.simulator)/control/statistics
                          curl http://127.0.0.1:\(ports.simulator)/control/calls?limit=3
                          curl http://127.0.0.1:\(ports.simulator)/control/api-calls?limit=3
              decisions   psql '\(postgres?.url(database: "holdfast", role: "postgres") ?? "")' \
            -c 'select kind, count(*) from holdfast.decision group by kind'
              logs        \(folder)

            """
    }

    /// Returns on Ctrl-C; throws when one of the processes ends by itself.
    func watch() throws {
        while !stop.wait(for: Self.watchInterval) {
            if let gone = children.first(where: { $0.process.ended != nil }) {
                throw DemoError(
                    description: "\(gone.name) ended; its last words:\n\(logTail(gone.name))")
            }
        }
    }

    /// Ends all in the reverse order of their start and removes the folder. Twice does no harm.
    package func end() {
        for pool in pools { pool.close() }
        pools = []
        for (_, process) in children.reversed() { process.terminate(within: Self.endLimit) }
        children = []
        postgres?.remove()
        postgres = nil
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: Files

    private var furtherRoot: String { folder + "/simulator-root.der" }

    /// A header for `curl -H @file`: so the key stands in no list of processes.
    private var authorizationFile: String { folder + "/authorization" }

    private func logPath(_ name: String) -> String { "\(folder)/\(name).log" }

    private func logTail(_ name: String) -> String {
        let path = logPath(name)
        let size = (try? FileBytes.sizeBytes(path)) ?? 0
        let bytes = try? FileBytes.read(
            path, from: size - Int64(Self.logTailBytes), count: Self.logTailBytes)
        return String(decoding: bytes ?? [], as: UTF8.self)
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let file = try AppendFile(path: path)
        defer { file.close() }
        try file.append(bytes)
    }

    private func url(role: String) throws -> String {
        guard let postgres else {
            throw DemoError(description: "PostgreSQL is not running; start it first")
        }
        return postgres.url(database: "holdfast", role: role)
    }

    static func folderOfThisProgram() throws -> String {
        let link = "/proc/self/exe"
        let path = try FileManager.default.destinationOfSymbolicLink(atPath: link)
        guard let slash = path.lastIndex(of: "/") else {
            throw DemoError(description: "\(link) does not name this program's folder")
        }
        return String(path[..<slash])
    }
}
