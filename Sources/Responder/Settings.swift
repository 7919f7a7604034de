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
    /// As the database has it, in characters.
    static let nameLimit = 100
    /// How soon a chain that was verified is on the disk, and its revocation looked at.
    static let trustInterval: Duration = .seconds(1)
    static let furtherRootWarning =
        "a trust root besides Apple's is configured: whoever holds its key can speak as Apple; "
        + "unset HOLDFAST_FURTHER_TRUST_ROOT_FILE in production"

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
            "folder of this process alone, for what lets it start without others; none if unset"),
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
        Setting(
            "HOLDFAST_FURTHER_TRUST_ROOT_FILE",
            "PEM or DER of one more trust root, for the simulator; never in production"),
    ]

    package let adminPort: UInt16
    let name: String
    let server: ServerSettings
    let pool: PoolSettings
    let spoolDirectory: String
    let stateDirectory: String?
    let checksRevocation: Bool
    let pollInterval: Duration
    let platformKey: PrivateKey?
    let hasFurtherRoot: Bool
    let verifier: SignedDataVerifier

    package init(reader: inout SettingsReader) {
        let threads = reader.integer("HOLDFAST_RESPONDER_THREADS", in: 1...64)
        server = ServerSettings(
            host: reader.text("HOLDFAST_RESPONDER_HOST"),
            port: reader.port("HOLDFAST_RESPONDER_PORT"), threads: .pool(threads))
        adminPort = reader.port("HOLDFAST_RESPONDER_ADMIN_PORT")
        name = Self.name(port: server.port, &reader)
        pool = PoolSettings(
            url: reader.text("HOLDFAST_DATABASE_URL"), maximumConnections: 3,
            applicationName: "realtime-responder")
        spoolDirectory = reader.text("HOLDFAST_SPOOL_DIRECTORY")
        stateDirectory = reader.optionalText("HOLDFAST_STATE_DIRECTORY")
        checksRevocation = reader.flag("HOLDFAST_REVOCATION_CHECKS")
        pollInterval = reader.milliseconds(
            "HOLDFAST_SNAPSHOT_POLL_MILLISECONDS", in: 50...60_000)
        platformKey = reader.platformPrivateKey()
        let further = Self.furtherRoot(&reader)
        hasFurtherRoot = !further.isEmpty
        verifier = SignedDataVerifier(anchors: Self.anchors(further, &reader))
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

    private static func furtherRoot(_ reader: inout SettingsReader) -> [Certificate] {
        let name = "HOLDFAST_FURTHER_TRUST_ROOT_FILE"
        guard let path = reader.optionalText(name) else { return [] }
        do {
            let bytes = try FileBytes.readAll(path, bytesLimit: Certificate.derBytesLimit * 2)
            let isPEM = bytes.starts(with: Array("-----".utf8))
            return [isPEM ? try Certificate(pem: bytes) : try Certificate(der: bytes)]
        } catch {
            reader.refuse(name, "cannot be used: \(error)")
            return []
        }
    }

    private static func anchors(
        _ further: [Certificate], _ reader: inout SettingsReader
    ) -> TrustAnchors {
        do {
            return try AppleRoot.anchors(further: further)
        } catch {
            reader.refuse("trust anchor", "Apple's root does not load: \(error)")
            return TrustAnchors(roots: [])
        }
    }
}
