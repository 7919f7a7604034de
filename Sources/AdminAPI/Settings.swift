internal import AppStore
package import HTTPServer
internal import Postgres
internal import RetentionStore
package import Service
internal import Signing

/// What one gateway is told by its environment.
package struct Settings: Sendable {
    /// How long requests in flight may take after SIGTERM.
    static let drainLimit: Duration = .seconds(3)
    static let loopStopLimit: Duration = .seconds(1)
    static let keyUseInterval: Duration = .seconds(30)
    static let jobInterval: Duration = .seconds(1)
    static let purgeInterval: Duration = .seconds(600)
    /// Of the log of profile changes, in one statement and in one round.
    static let purgeStepRows: Int32 = 50_000
    static let purgeStepsLimit = 40
    static let readinessInterval: Duration = .seconds(1)
    /// How long an Idempotency-Key is remembered.
    static let idempotencyMilliseconds: Int64 = 24 * 3_600_000
    /// Connections that may wait for each other; each has a thread.
    private static let threadsLimit = 64
    /// A slow line may take so long for an image of 20 MB.
    private static let requestDeadline: Duration = .seconds(60)
    /// Each insert takes a millisecond or two.
    private static let notificationConnections = 4

    package static let table: [Setting] = [
        Setting(
            "HOLDFAST_DATABASE_URL",
            "PostgreSQL: postgresql:///holdfast?host=/run/postgresql&user=holdfast_gateway"),
        Setting(
            "HOLDFAST_GATEWAY_HOST", "numeric address to answer on, behind the proxy",
            default: "127.0.0.1"),
        Setting("HOLDFAST_GATEWAY_PORT", "port to answer on; 0 takes any", default: "8082"),
        Setting(
            "HOLDFAST_GATEWAY_ADMIN_PORT", "port of /livez, /readyz and /metrics; 0 takes any",
            default: "9082"),
        Setting(
            "HOLDFAST_GATEWAY_DATABASE_CONNECTIONS", "connections to PostgreSQL, 2 to 64",
            default: "8"),
        Setting(
            "HOLDFAST_PLATFORM_PUBLIC_KEY_FILE",
            "PEM of the platform's public key, to which keys and tokens are sealed"),
        .furtherTrustRoot,
    ]

    package let adminPort: UInt16
    let server: ServerSettings
    let pool: PoolSettings
    /// Requests of one tenant at once: always some connections are left for the others.
    let runningLimit: Int
    let platformKey: PublicKey?
    /// For notifications alone; see `NotificationReceiver`.
    let notificationPool: PoolSettings
    let hasFurtherRoot: Bool
    let verifier: SignedDataVerifier

    package init(reader: inout SettingsReader) {
        let connections = reader.integer("HOLDFAST_GATEWAY_DATABASE_CONNECTIONS", in: 2...64)
        server = ServerSettings(
            host: reader.text("HOLDFAST_GATEWAY_HOST"),
            port: reader.port("HOLDFAST_GATEWAY_PORT"),
            threads: .perConnection(maximum: Self.threadsLimit), limits: Self.limits)
        adminPort = reader.port("HOLDFAST_GATEWAY_ADMIN_PORT")
        pool = PoolSettings(
            url: reader.text("HOLDFAST_DATABASE_URL"), maximumConnections: connections,
            applicationName: "api-gateway")
        notificationPool = PoolSettings(
            url: pool.url, maximumConnections: Self.notificationConnections,
            applicationName: "api-gateway notifications")
        runningLimit = max(1, connections * 3 / 4)
        platformKey = Self.platformKey(&reader)
        let further = reader.furtherTrustRoots()
        hasFurtherRoot = !further.isEmpty
        verifier = SignedDataVerifier(
            anchors: reader.trustAnchors(besides: further) { try AppleRoot.anchors(further: $0) })
    }

    /// What one client may take.
    package static var limits: Limits {
        var limits = Limits()
        limits.bodyBytes = Operation.Body.jsonBytesLimit
        limits.bodyBytesByPath = Operations.all.compactMap { operation in
            guard case .bytes(_, let limit) = operation.body else { return nil }
            return (operation.path, limit)
        }
        limits.bodyBytesByPath.append(
            (NotificationReceiver.path, NotificationReceiver.bodyBytesLimit))
        limits.requestDeadline = requestDeadline
        return limits
    }

    private static func platformKey(_ reader: inout SettingsReader) -> PublicKey? {
        let name = "HOLDFAST_PLATFORM_PUBLIC_KEY_FILE"
        let path = reader.text(name)
        guard !path.isEmpty else { return nil }
        do {
            let bytes = try FileBytes.readAll(path, bytesLimit: 64 * 1_024)
            return try PublicKey(pem: bytes)
        } catch {
            reader.refuse(name, "does not hold a P-256 public key in PEM: \(error)")
            return nil
        }
    }
}
