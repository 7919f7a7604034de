import AppStore
import Foundation
import HTTPClient
import HTTPServer
import Operator
import Postgres
import Responder
import Retention
import RetentionStore
import Service
import Signing
import TestSupport
import Testing

/// A responder in this process: the sample agency in a database of the test's own, a real server,
/// and a chain of certificates that stands for Apple's.
final class Stage: Sendable {
    static let productionApp = 0
    static let day: Int64 = 86_400

    let agency: SampleAgency
    private let simulatorStates: [SimulatorApp]
    let store: RetentionStore
    let chain: IssuedChain
    let verifier: SignedDataVerifier
    let clock: ManualClock
    let metrics = ResponderMetrics(Metrics())
    let lines = LogLines()
    let apps = ServedApps()
    let feed: SnapshotFeed
    let spool: DecisionSpool
    let shipper: DecisionShipper
    let platformKey: PrivateKey
    let folder: SpoolFolder
    private let server: Server
    private let transport = Transport()

    /// - Parameter given: the chain that stands for Apple's; one of its own unless given.
    init(
        opensWith key: PrivateKey? = nil, signedBy given: IssuedChain? = nil,
        sources: DecisionSources = .none
    ) throws {
        let database = try Database.current()
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        clock = ManualClock(milliseconds: now)
        platformKey = try PrivateKey.generate()
        store = RetentionStore(pool: database.operator)
        let placed = try PlacedAgency.load(
            into: store, platformKey: platformKey.publicKey, now: Instant(milliseconds: now))
        (agency, simulatorStates) = (placed.agency, placed.simulatorStates)
        let seconds = now / 1_000
        chain =
            try given
            ?? CertificateAuthority.appleLike(
                name: "Test", leafValidity: seconds - 30 * Self.day...seconds + 30 * Self.day)
        let log = Log(service: "test", sink: lines.append)
        let responderStore = RetentionStore(pool: database.responder)
        feed = SnapshotFeed(
            store: responderStore, apps: apps, platformKey: key ?? platformKey, log: log,
            metrics: metrics)
        try feed.poll()
        folder = try SpoolFolder()
        spool = try DecisionSpool(directory: folder.path)
        shipper = DecisionShipper(
            spool: spool, store: responderStore, clock: clock.clock, log: log, metrics: metrics)
        let root = try Certificate(der: chain.root)
        verifier = SignedDataVerifier(anchors: try AppleRoot.anchors(further: [root]))
        let endpoint = RealtimeEndpoint(
            apps: apps, verifier: verifier, sources: sources, spool: spool, clock: clock.clock,
            metrics: metrics)
        server = try Server(ServerSettings(port: 0), handler: endpoint.handler)
    }

    deinit { server.stop(drain: .zero) }

    /// A sample app as the simulator was told of it, by its name's place and environment.
    func app(_ appAppleId: Int64, _ environment: String = "Production") throws -> SimulatorApp {
        try #require(
            simulatorStates.first {
                $0.appAppleId == appAppleId && $0.environment == environment
            })
    }

    func post(_ body: [UInt8], to app: SimulatorApp) throws -> ClientResponse {
        let url = try #require(app.realtimeURL)
        return try post(body, path: String(url.dropFirst(SampleAgency.publicOrigin.count)))
    }

    func post(_ body: [UInt8], path: String) throws -> ClientResponse {
        try transport.send(
            ClientRequest(
                method: "POST", url: "http://127.0.0.1:\(server.port)\(path)",
                headers: [("Content-Type", "application/json")], body: body))
    }

    func send(_ request: Asked, to app: SimulatorApp) throws -> ClientResponse {
        try post(request.body(signedBy: chain, now: clock.clock.now()), to: app)
    }

    /// Puts rules in force at the sample's first app in production.
    func publish(_ ruleSet: RuleSet) throws {
        let key = agency.keys[0]
        try store.transaction(agency.scope, at: Instant(milliseconds: clock.clock.now())) {
            let version = try $0.createRuleSet(ruleSet, of: key.app)
            try $0.publishRuleSet(version: version, at: key)
        }
        try feed.poll()
    }

    /// What is in PostgreSQL once the spool is shipped.
    func shipped() throws -> [StoredDecision] {
        try shipper.ship()
        return try agency.decisions(in: store)
    }
}

/// A real-time request before it is signed; each field can be made wrong.
struct Asked {
    var fields: [String: Any]

    init(_ app: SimulatorApp, product: String? = nil, locale: String = "en-US") {
        fields = [
            "originalTransactionId": "2000000000000001", "appAppleId": app.appAppleId,
            "productId": product ?? app.products[0].productId, "userLocale": locale,
            "requestIdentifier": UUID().uuidString.lowercased(), "environment": app.environment,
        ]
    }

    /// `nil` leaves the field out.
    func with(_ field: String, _ value: Any?) -> Asked {
        var copy = self
        copy.fields[field] = value
        return copy
    }

    func body(signedBy chain: IssuedChain, now: Int64) throws -> [UInt8] {
        var fields = fields
        if fields["signedDate"] == nil { fields["signedDate"] = now }
        let payload = try JSONSerialization.data(withJSONObject: fields)
        let jws = try chain.sign(Array(payload))
        return Array(#"{"signedPayload":"\#(jws)"}"#.utf8)
    }
}

/// An answer as Apple would read it.
struct Answered {
    let kind: String
    let content: [String: Any]

    init(_ response: ClientResponse) throws {
        let json = try JSONSerialization.jsonObject(with: Data(response.body))
        let top = try #require(json as? [String: [String: Any]])
        #expect(top.count == 1)
        let only = try #require(top.first)
        kind = only.key
        content = only.value
    }

    /// The text of the message that is named, as the simulator holds it.
    func header(in app: SimulatorApp) throws -> String {
        let identifier = try #require(content["messageIdentifier"] as? String)
        return try #require(app.messages.first { $0.messageIdentifier == identifier }).header
    }
}

final class SpoolFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/holdfast-spool-\(UUID())"
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

let news: Int64 = 6_500_000_001
let kids: Int64 = 6_500_000_002
let fit: Int64 = 6_500_000_003
