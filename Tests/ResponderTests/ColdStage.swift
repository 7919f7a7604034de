import AppStore
import Foundation
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

/// A further responder beside that of a `Stage`, with a disk of its own: what is left of one that
/// starts anew. Requests are handed to its endpoint without a server.
final class ColdStage {
    let stage: Stage
    let apps = ServedApps()
    let metrics = ResponderMetrics(Metrics())
    let lines = LogLines()
    let conditions: ServingConditions
    let files: SnapshotFiles
    let feed: SnapshotFeed
    private let folder: SpoolFolder
    private let handler: @Sendable (Request) -> Response
    private let spool: DecisionSpool

    /// - Parameters:
    ///   - folder: where its next life finds the files of this one.
    ///   - wall: real time, by which the disk's age is told.
    ///   - uptime: by which it grows older.
    init(
        _ stage: Stage, folder: SpoolFolder, wall: ManualClock, uptime: ManualClock,
        overload: OverloadGate.Limits = .init(threads: 2), reaches database: Bool = false
    ) throws {
        self.stage = stage
        self.folder = folder
        let wall = wall.clock
        files = try SnapshotFiles(
            directory: folder.path + "/snapshots",
            now: { Instant(milliseconds: wall.now()) })
        conditions = ServingConditions(
            age: ServingAge(uptime: uptime.clock), overload: OverloadGate(overload))
        let nowhere = PoolSettings(
            url: "postgresql:///gone?host=\(folder.path)&user=holdfast_responder",
            maximumConnections: 1)
        let pool = database ? try Database.current().responder : try Pool(nowhere)
        feed = SnapshotFeed(
            store: RetentionStore(pool: pool), apps: apps, platformKey: stage.platformKey,
            log: Log(service: "test", sink: lines.append), metrics: metrics, files: files,
            age: conditions.age)
        spool = try DecisionSpool(directory: folder.path + "/spool")
        let root = try Certificate(der: stage.chain.root)
        let endpoint = RealtimeEndpoint(
            apps: apps, verifier: SignedDataVerifier(anchors: TrustAnchors(roots: [root])),
            spool: spool, clock: stage.clock.clock, metrics: metrics, conditions: conditions)
        handler = endpoint.handler
    }

    func send(
        _ asked: Asked, to app: SimulatorApp, load: RequestLoad = .none
    ) throws -> Response {
        let url = try #require(app.realtimeURL)
        return handler(
            Request(
                method: .post, target: String(url.dropFirst(SampleAgency.publicOrigin.count)),
                headers: [("Content-Type", "application/json")],
                body: try asked.body(signedBy: stage.chain, now: stage.clock.clock.now()),
                load: load))
    }

    /// The kind of answer, or the status where there is none.
    func kind(_ asked: Asked, to app: SimulatorApp) throws -> String {
        let response = try send(asked, to: app)
        guard response.status == 200 else { return "\(response.status)" }
        let json = try JSONSerialization.jsonObject(with: Data(response.body))
        return try #require((json as? [String: Any])?.keys.first)
    }

    /// The answers in its spool, in their order.
    func decided() throws -> [SpooledAnswer] {
        try spool.segments().all.flatMap { try spool.read($0, from: 0).decisions }
            .map { SpooledAnswer($0.row) }
    }
}

/// What a row of the spool says was answered.
struct SpooledAnswer {
    let kind: AnswerKind?
    let fallbackReason: FallbackReason?

    init(_ row: DecisionRow) {
        var texts: [String?] = []
        var rest = row.values
        while rest.count >= 4 {
            let length = rest.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            rest = rest.dropFirst(4)
            let value = length == .max ? nil : rest.prefix(Int(length))
            texts.append(value.flatMap { String(validating: $0, as: UTF8.self) })
            rest = rest.dropFirst(value?.count ?? 0)
        }
        // As `DecisionRow.types` has them: the eighth and the ninth.
        kind = texts[7].flatMap(AnswerKind.init(rawValue:))
        fallbackReason = texts[8].flatMap(FallbackReason.init(rawValue:))
    }
}

/// Two clocks that go together until a test parts them.
struct Clocks {
    let wall = ManualClock(milliseconds: 1_800_000_000_000)
    let uptime = ManualClock(milliseconds: 5_000)

    func advance(_ duration: Duration) {
        let milliseconds = Int64(duration / .milliseconds(1))
        wall.advance(milliseconds: milliseconds)
        uptime.advance(milliseconds: milliseconds)
    }
}
