import AppStore
import Foundation
import HTTPServer
import Postgres
import Responder
import Retention
import RetentionStore
import Service
import Signing
import TestSupport
import Testing

/// A responder in this process that answers for a world of `Tests/Conformance/decisions.py`.
/// Whoever asks moves its clock, and says how things are.
final class AnswerStage: Sendable {
    private static let shipInterval: Duration = .milliseconds(250)
    private static let lastShipmentLimit: Duration = .seconds(120)
    private static let lookupLimit: Duration = .seconds(20)
    private static let threads = 2
    /// Room for some of the world's subscribers, not for all: both ways are gone.
    private static let tableBytes = 1 << 20

    let places: [AnswerWorldLoader.LoadedPlace]
    private let keys: [(TenantID, AppEnvironment)]
    private let database: Database
    private let clock: ManualClock
    private let spoolFolder = FileManager.default.temporaryDirectory.path + "/answers-\(UUID())"
    private let shipping: BackgroundLoop
    private let server: Server
    let lines = LogLines()

    init(_ world: AnswerWorld) throws {
        database = try Database.current()
        let platformKey = try PrivateKey.generate()
        let clock = ManualClock(milliseconds: world.instants.first?.milliseconds ?? 0)
        self.clock = clock
        let log = Log(service: "test", sink: lines.append)
        let metrics = ResponderMetrics(Metrics())
        let store = RetentionStore(pool: database.responder)
        let apps = ServedApps()
        let conditions = CurrentConditions()
        // What is served gets as old as the checker says, however long it takes.
        let age = ServingAge(uptime: conditions.uptime.clock)
        let feed = SnapshotFeed(
            store: store, apps: apps, platformKey: platformKey, log: log, metrics: metrics,
            age: age)
        let loader = AnswerWorldLoader(
            world: world, database: database, platformKey: platformKey.publicKey)
        places = try loader.load(between: feed.poll)
        try feed.poll()
        keys = world.apps.flatMap { app in
            loader.places(of: app).map { (app.tenant, $0.0) }
        }
        let budgets = DiscountBudgets(store: store)
        try budgets.poll(at: Instant(milliseconds: clock.clock.now()))
        let spool = try DecisionSpool(directory: spoolFolder)
        let shipper = DecisionShipper(
            spool: spool, store: store, clock: clock.clock, log: log, metrics: metrics)
        shipping = BackgroundLoop("shipper", every: Self.shipInterval, log: log) {
            try shipper.ship()
        }
        try shipping.start()
        let root = try Certificate(pem: Array(world.chain.rootPEM.utf8))
        let verifier = SignedDataVerifier(anchors: try AppleRoot.anchors(further: [root]))
        let sources = try conditions.sources(Self.sources(store, budgets, metrics), metrics)
        let overload = OverloadGate(OverloadGate.Limits(threads: Self.threads))
        let routers = [age, ServingAge()].map { age in
            RealtimeEndpoint(
                apps: apps, verifier: verifier, sources: sources, spool: spool,
                clock: clock.clock, metrics: metrics,
                conditions: ServingConditions(age: age, overload: overload)
            ).router
        }
        var router = Router()
        router.on(.post, "/clock/{milliseconds}") { _, parameters in
            guard let instant = parameters["milliseconds"].flatMap({ Int64($0) }) else {
                return .empty(400)
            }
            clock.set(milliseconds: instant)
            return .empty(200)
        }
        router.on(.post, "/conditions") { request, _ in
            do { try conditions.set(request.body) } catch { return .empty(400) }
            return .empty(200)
        }
        let routed = router
        server = try Server(
            ServerSettings(port: 0, threads: .pool(Self.threads)),
            handler: { request in
                guard request.path.hasPrefix("/realtime/") else {
                    return routed.respond(to: request)
                }
                // The second one never looked for snapshots: nobody can tell their age.
                let isToldAge = conditions.value.snapshotsAge != nil
                return routers[isToldAge ? 0 : 1].respond(to: request)
            })
    }

    deinit {
        server.stop(drain: .zero)
        try? FileManager.default.removeItem(atPath: spoolFolder)
    }

    var origin: String { "http://127.0.0.1:\(server.port)" }

    /// From memory, else from PostgreSQL, as a responder does; on a busy machine no look may be
    /// given up, since an answer without a profile is another one.
    private static func sources(
        _ store: RetentionStore, _ budgets: DiscountBudgets, _ metrics: ResponderMetrics
    ) -> DecisionSources {
        let lookup = ProfileLookup(
            table: ProfileTable(bytes: tableBytes, shards: 2, hash: { $0.hashOfProcess }),
            store: store, limit: threads + 1,
            metrics: metrics, budget: lookupLimit)
        return DecisionSources(lookup: lookup, budgets: budgets)
    }

    /// At most so many of each place, as PostgreSQL has them, one JSON object a line.
    func records(ofEachPlace limit: Int32) throws -> (text: String, count: Int) {
        try #require(shipping.stop(within: Self.lastShipmentLimit, runsOnceMore: true))
        let store = RetentionStore(pool: database.operator)
        let encoder = JSONEncoder()
        var lines: [String] = []
        for (number, (tenant, key)) in keys.enumerated() {
            let snapshotNumber = places[number].snapshotNumber
            let (stored, snapshot) = try store.transaction(
                .operatorCommand(tenant: tenant), at: Instant(milliseconds: clock.clock.now())
            ) {
                (
                    try $0.listDecisions(at: key, limit: limit),
                    try $0.findServedSnapshot(number: snapshotNumber, at: key)
                )
            }
            let explainer = AnswerExplainer(try #require(snapshot))
            lines += try stored.map {
                let record = AnswerRecord($0, place: number, explainer)
                return String(decoding: try encoder.encode(record), as: UTF8.self)
            }
        }
        return (lines.map { $0 + "\n" }.joined(), lines.count)
    }
}
