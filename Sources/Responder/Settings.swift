internal import AppStore
internal import FoundationEssentials
internal import HTTPServer
internal import Postgres
internal import RetentionStore
package import Service
internal import Signing

/// What one responder is told by its environment.
package struct Settings: Sendable {
    /// How long answers in flight may take after SIGTERM.
    static let drainLimit: Duration = .seconds(2)
    /// How long the background loops together may take to end; all of it within systemd's 5 s.
    static let loopStopLimit: Duration = .seconds(2)
    static let shipInterval: Duration = .milliseconds(250)
    /// Bounds what a power failure can take; a killed process loses nothing either way.
    static let syncInterval: Duration = .seconds(1)
    /// How long a start waits for a database that is silent, where the disk has snapshots too. One
    /// that refuses is not waited for.
    static let diskPatience: Duration = .seconds(1)
    static let filesInterval: Duration = .seconds(1)
    static let conditionsInterval: Duration = .seconds(1)
    /// Look-ups at once, however many threads answer; below their number, so that one is left for
    /// requests that need no look-up.
    static let profileLookupsLimit = 8
    /// As the database has it, in characters.
    static let nameLimit = 100
    /// How soon a chain that was verified is on the disk, and its revocation looked at.
    static let trustInterval: Duration = .seconds(1)

    package static let table: [Setting] = [
        Setting(
            "HOLDFAST_DATABASE_URL",
            "PostgreSQL: postgresql:///holdfast?host=/run/postgresql&user=holdfast_responder"
        ),
        Setting(
            "HOLDFAST_RESPONDER_HOST", "numeric address to answer on, behind the proxy",
            default: "127.0.0.1"),
        Setting("HOLDFAST_RESPONDER_PORT", "port to answer on; 0 takes any", default: "8081"),
        Setting(
            "HOLDFAST_RESPONDER_ADMIN_PORT", "port of /livez, /readyz and /metrics; 0 takes any",
            default: "9081"),
        Setting("HOLDFAST_RESPONDER_THREADS", "threads that answer, 1 to 64", default: "2"),
        .platformPrivateKey,
        Setting(
            "HOLDFAST_SPOOL_DIRECTORY",
            "folder of this process alone, where decisions wait for PostgreSQL"),
        Setting(
            "HOLDFAST_STATE_DIRECTORY",
            "folder of this process alone, for what a start without others needs; none if unset"),
        Setting(
            "HOLDFAST_RESPONDER_REQUESTS_IN_FLIGHT",
            "beyond so many, those waiting included, requests are refused; else 128 a thread, 384"),
        Setting(
            "HOLDFAST_PROFILE_TABLE_MEBIBYTES",
            "memory for profiles of subscribers, 0 to 65536; 0 asks PostgreSQL each time",
            default: "256"),
        Setting(
            "HOLDFAST_REVOCATION_CHECKS",
            "ask Apple, apart from requests, whether its certificates were revoked: true, false",
            default: "true"),
        Setting(
            "HOLDFAST_SNAPSHOT_POLL_MILLISECONDS", "pause between looks for newer snapshots",
            default: "2000"),
        Setting(
            "HOLDFAST_RESPONDER_NAME",
            "under which it says what it serves, unlike any other's; else host name and port"),
        .furtherTrustRoot,
    ]

    package let adminPort: UInt16
    let name: String
    let server: ServerSettings
    let pool: PoolSettings
    let profilePool: PoolSettings
    let profileTableMebibytes: Int
    let spoolDirectory: String
    let stateDirectory: String?
    let overload: OverloadGate.Limits
    let checksRevocation: Bool
    let pollInterval: Duration
    let platformKey: PrivateKey?
    let hasFurtherRoot: Bool
    let verifier: SignedDataVerifier

    package init(reader: inout SettingsReader) {
        let threads = reader.integer("HOLDFAST_RESPONDER_THREADS", in: 1...64)
        var server = ServerSettings(
            host: reader.text("HOLDFAST_RESPONDER_HOST"),
            port: reader.port("HOLDFAST_RESPONDER_PORT"), threads: .pool(threads))
        server.measuresLoad = true
        self.server = server
        // Over what the kernel lets wait, a cap would never be reached.
        overload =
            reader.optionalInteger(
                "HOLDFAST_RESPONDER_REQUESTS_IN_FLIGHT",
                in: 1...ServerSettings.waitingConnectionsLimit
            ).map { OverloadGate.Limits(requestsInFlight: $0) }
            ?? OverloadGate.Limits(threads: threads)
        adminPort = reader.port("HOLDFAST_RESPONDER_ADMIN_PORT")
        name = Self.name(port: server.port, &reader)
        pool = PoolSettings(
            url: reader.text("HOLDFAST_DATABASE_URL"), maximumConnections: 4,
            applicationName: "realtime-responder")
        profilePool = Self.profilePool(url: pool.url, threads: threads)
        profileTableMebibytes = reader.integer("HOLDFAST_PROFILE_TABLE_MEBIBYTES", in: 0...65_536)
        spoolDirectory = reader.text("HOLDFAST_SPOOL_DIRECTORY")
        stateDirectory = reader.optionalText("HOLDFAST_STATE_DIRECTORY")
        checksRevocation = reader.flag("HOLDFAST_REVOCATION_CHECKS")
        pollInterval = reader.milliseconds(
            "HOLDFAST_SNAPSHOT_POLL_MILLISECONDS", in: 50...60_000)
        platformKey = reader.platformPrivateKey()
        let further = reader.furtherTrustRoots()
        hasFurtherRoot = !further.isEmpty
        verifier = SignedDataVerifier(
            anchors: reader.trustAnchors(besides: further) { try AppleRoot.anchors(further: $0) })
    }

    /// As many connections as look-ups at once, so that none waits for one; nothing on it outlives
    /// a look-up's budget, not even the making of a connection.
    private static func profilePool(url: String, threads: Int) -> PoolSettings {
        PoolSettings(
            url: url, maximumConnections: max(1, min(threads - 1, profileLookupsLimit)),
            acquireTimeout: ProfileLookup.budget, connectTimeout: ProfileLookup.budget,
            queryTimeout: ProfileLookup.budget, applicationName: "realtime-responder profiles",
            localSettings: [])
    }

    private static func name(port: UInt16, _ reader: inout SettingsReader) -> String {
        let setting = "HOLDFAST_RESPONDER_NAME"
        if let name = reader.optionalText(setting) {
            if name.unicodeScalars.count > nameLimit {
                reader.refuse(setting, "has more than \(nameLimit) characters; shorten it")
            }
            return name
        }
        let host = HostName.current
        let process = ProcessInfo.processInfo.processIdentifier
        return port == 0 ? "\(host) process \(process)" : "\(host):\(port)"
    }
}
