internal import AppStore
internal import FoundationEssentials
internal import Postgres
internal import Retention
internal import RetentionStore
package import Service
internal import Signing

/// What one `apple-sync` is told by its environment.
package struct Settings: Sendable {
    /// How long the loops together may take to end; all of it within our own 5 s.
    static let loopStopLimit: Duration = .seconds(3)
    static let readinessInterval: Duration = .seconds(1)
    static let upkeepInterval: Duration = .seconds(15)
    static let purgeInterval: Duration = .seconds(600)
    static let originBytesLimit = 200

    package static let table: [Setting] = [
        Setting(
            "HOLDFAST_DATABASE_URL",
            "PostgreSQL: postgresql:///holdfast?host=/run/postgresql&user=holdfast_sync"),
        .platformPrivateKey,
        Setting(
            "HOLDFAST_PUBLIC_ORIGIN",
            "https origin under which Apple reaches this platform: real-time URLs begin with it"),
        Setting(
            "HOLDFAST_APPLE_PRODUCTION_URL", "Apple's server for production",
            default: AppleHosts.apple.production),
        Setting(
            "HOLDFAST_APPLE_SANDBOX_URL", "Apple's server for the sandbox",
            default: AppleHosts.apple.sandbox),
        Setting(
            "HOLDFAST_SYNC_ADMIN_PORT", "port of /livez, /readyz and /metrics; 0 takes any",
            default: "9083"),
        Setting("HOLDFAST_SYNC_WORKERS", "apps worked on at one time, 2 to 32", default: "4"),
        Setting(
            "HOLDFAST_SYNC_POLL_MILLISECONDS", "pause between looks for what is due",
            default: "1000"),
        Setting(
            "HOLDFAST_SYNC_LOAD_ORIGIN",
            "origin that our own load before a performance test calls; else the public one"),
        Setting(
            "HOLDFAST_SYNC_LOAD_CERTIFICATE_AUTHORITIES",
            "PEM file of authorities to trust for that load in place of the system's"),
    ]

    let adminPort: UInt16
    let pool: PoolSettings
    let workers: Int
    let pollInterval: Duration
    let platformKey: PrivateKey?
    let hosts: AppleHosts?
    let options: SyncOptions

    package init(reader: inout SettingsReader) {
        adminPort = reader.port("HOLDFAST_SYNC_ADMIN_PORT")
        workers = reader.integer("HOLDFAST_SYNC_WORKERS", in: 2...32)
        pool = PoolSettings(
            url: reader.text("HOLDFAST_DATABASE_URL"), maximumConnections: workers + 2,
            applicationName: "apple-sync")
        pollInterval = reader.milliseconds("HOLDFAST_SYNC_POLL_MILLISECONDS", in: 50...60_000)
        platformKey = reader.platformPrivateKey()
        hosts = Self.hosts(&reader)
        let origin = Self.origin(&reader)
        var options = SyncOptions(
            worker: Self.name(), publicOrigin: origin,
            // One tenant's apps, with an Apple that hangs, leave half of the workers to others.
            leasesOfTenant: Int32(workers / 2))
        options.loadOrigin = reader.optionalText("HOLDFAST_SYNC_LOAD_ORIGIN") ?? origin
        options.loadAuthoritiesFile = reader.optionalText(
            "HOLDFAST_SYNC_LOAD_CERTIFICATE_AUTHORITIES")
        self.options = options
    }

    private static func hosts(_ reader: inout SettingsReader) -> AppleHosts? {
        do {
            return try AppleHosts(
                production: reader.text("HOLDFAST_APPLE_PRODUCTION_URL"),
                sandbox: reader.text("HOLDFAST_APPLE_SANDBOX_URL"))
        } catch {
            reader.refuse(
                "HOLDFAST_APPLE_PRODUCTION_URL, HOLDFAST_APPLE_SANDBOX_URL", error.description)
            return nil
        }
    }

    /// Apple takes https alone, and 256 characters with the token.
    private static func origin(_ reader: inout SettingsReader) -> String {
        let name = "HOLDFAST_PUBLIC_ORIGIN"
        var origin = reader.text(name)
        if origin.hasSuffix("/") { origin.removeLast() }
        let host = origin.dropFirst("https://".count)
        if !origin.hasPrefix("https://") || host.isEmpty
            || host.contains(where: { "/?#@ ".contains($0) })
            || origin.utf8.count > originBytesLimit
        {
            reader.refuse(name, "is no origin like https://holdfast.example; give one")
        }
        return origin
    }

    private static func name() -> String {
        return "\(HostName.current) process \(ProcessInfo.processInfo.processIdentifier)"
    }
}
