// Answers the App Store's real-time request: what to show when somebody opens the page where a
// subscription can be cancelled.
//
//     POST /realtime/{token}
//       │  token hash ──> ServedApp (snapshot, keys opened)      404: nobody's token
//       │  signed payload verified for this app and environment  400, 401, 403
//       │  decide(…)                                             pure, from memory
//       │  offer signed where one is answered
//       │  decision appended to the spool                        before the answer leaves
//       ▼
//     200 with one of Apple's four keys, or 503 without a body: Apple shows its next layer
//
// PostgreSQL is not on this path. Beside it run the feed, which polls for newer snapshots, and the
// shipper, which carries the spool into PostgreSQL; both may fail for hours without a wrong answer.
// A start without PostgreSQL serves what the disk has. The longer PostgreSQL is away, the less is
// said (`ServingMode`); the more requests wait, the fewer are answered (`OverloadGate`).

internal import HTTPServer
internal import Postgres
internal import Retention
internal import RetentionStore
package import Service

package enum Responder {
    /// The executable: reads the settings, serves until SIGTERM, gives the exit code.
    package static func main() -> Int32 {
        ServiceMain.run(
            name: "realtime-responder", version: Release.version, table: Settings.table,
            read: Settings.init(reader:), body: run)
    }

    /// Serves until `runtime.stop` is requested; then answers what is in flight, ships what is
    /// spooled, and returns. What could not be shipped stays in the spool for the next start.
    package static func run(_ settings: Settings, _ runtime: Runtime) throws {
        try Hardening.keepMemoryPrivate()
        let parts = try Parts(settings, runtime)
        defer { parts.pool.close() }
        let admin = try AdminPort(
            port: settings.adminPort, metrics: runtime.metrics, readiness: parts.readiness)
        defer { admin.stop() }
        try SelfTest.run()
        guard try parts.waitUntilServing() else { return }
        try parts.startOwnLoops()
        let server = try Server(
            settings.server, refused: parts.metrics.count(refusal:), handler: parts.handler)
        runtime.ready([("port", LogValue(server.port)), ("adminPort", LogValue(admin.port))])
        runtime.stop.wait()
        server.stop(drain: Settings.drainLimit)
        parts.stopLoops()
    }
}

/// The pieces of one running responder and who holds whom.
private struct Parts {
    let pool: Pool
    let metrics: ResponderMetrics
    private let settings: Settings
    private let runtime: Runtime
    private let feed: SnapshotFeed
    private let endpoint: RealtimeEndpoint
    private let conditions: ServingConditions
    private let hasFiles: Bool
    private let databaseStart: DatabaseStart
    /// They run once the database was found usable.
    private let databaseLoops: [BackgroundLoop]
    private let ownLoops: [BackgroundLoop]

    init(_ settings: Settings, _ runtime: Runtime) throws {
        self.settings = settings
        self.runtime = runtime
        pool = try Pool(settings.pool)
        metrics = ResponderMetrics(runtime.metrics)
        conditions = ServingConditions(
            age: ServingAge(), overload: OverloadGate(settings.overload))
        conditions.register(in: runtime.metrics)
        let store = RetentionStore(pool: pool)
        let apps = ServedApps()
        let files = try settings.stateDirectory.map {
            try SnapshotFiles(directory: $0 + "/snapshots")
        }
        hasFiles = files != nil
        let feed = SnapshotFeed(
            store: store, apps: apps, platformKey: settings.platformKey, log: runtime.log,
            metrics: metrics, files: files, age: conditions.age)
        self.feed = feed
        let spool = try DecisionSpool(directory: settings.spoolDirectory)
        endpoint = RealtimeEndpoint(
            apps: apps, verifier: settings.verifier, spool: spool, clock: runtime.clock,
            metrics: metrics, conditions: conditions)
        let loops = Self.databaseLoops(settings, runtime, feed, apps, spool, metrics)
        databaseLoops = loops
        ownLoops = Self.ownLoops(runtime.log, conditions, spool, files, metrics)
        databaseStart = DatabaseStart(store, runtime) {
            try feed.poll()
            for loop in loops { try loop.start() }
        }
        if settings.hasFurtherRoot {
            runtime.log.warning(
                "further_trust_root", [("advice", .string(Settings.furtherRootWarning))])
        }
    }

    private static func databaseLoops(
        _ settings: Settings, _ runtime: Runtime, _ feed: SnapshotFeed, _ apps: ServedApps,
        _ spool: DecisionSpool, _ metrics: ResponderMetrics
    ) -> [BackgroundLoop] {
        let store = feed.store
        let shipper = DecisionShipper(
            spool: spool, store: store, clock: runtime.clock, log: runtime.log, metrics: metrics)
        let acknowledger = SnapshotAcknowledger(
            store: store, apps: apps, name: settings.name,
            now: { Instant(milliseconds: Clock.system.now()) })
        let watch = SnapshotWatch(
            feed: feed, acknowledger: acknowledger, every: settings.pollInterval,
            listening: settings.pool, stop: runtime.stop, log: runtime.log)
        let shipping = BackgroundLoop("shipper", every: Settings.shipInterval, log: runtime.log) {
            try shipper.ship()
        }
        return watch.loops + [shipping]
    }

    private static func ownLoops(
        _ log: Log, _ conditions: ServingConditions, _ spool: DecisionSpool,
        _ files: SnapshotFiles?, _ metrics: ResponderMetrics
    ) -> [BackgroundLoop] {
        let losses = LossReport(metrics: metrics, log: log)
        let report = ConditionReport(conditions, metrics: metrics, log: log)
        var loops = [
            BackgroundLoop("spool sync", every: Settings.syncInterval, log: log) {
                losses.report()
                try spool.sync()
            },
            // Apart from what waits for the disk, so that a slow one silences nothing.
            BackgroundLoop("conditions", every: Settings.conditionsInterval, log: log) {
                report.report()
            },
        ]
        if let files {
            loops.append(
                BackgroundLoop("snapshot files", every: Settings.filesInterval, log: log) {
                    try files.flush()
                })
        }
        return loops
    }

    /// Before the first request: without a snapshot every genuine one would be 404. The database's
    /// word comes first; where it does not answer, the disk's is taken.
    ///
    /// - Returns: false when asked to stop meanwhile.
    func waitUntilServing() throws -> Bool {
        try databaseStart.begin()
        if hasFiles {
            let isUsable = try databaseStart.isUsable(within: Settings.diskPatience)
            if let isUsable { return isUsable }
            databaseStart.serveFromDisk()
            if feed.restore() {
                runtime.log.warning(
                    "serving_from_disk", [("mode", .string(conditions.age.mode.rawValue))])
                return true
            }
        }
        return try databaseStart.isUsable(within: nil) ?? false
    }

    func startOwnLoops() throws {
        for loop in ownLoops { try loop.start() }
    }

    func stopLoops() {
        // The last answer is spooled by now: each loop runs once more and finds it. They share the
        // time, since all of it must fit into systemd's 5 s.
        let deadline = ContinuousClock.now + Settings.loopStopLimit
        for loop in databaseLoops + ownLoops {
            let left = max(.zero, deadline - .now)
            if !loop.stop(within: left, runsOnceMore: true) {
                runtime.log.warning("loop_slow_to_stop")
            }
        }
    }

    var handler: @Sendable (Request) -> Response {
        var router = Router()
        let endpoint = endpoint
        router.on(.post, "/realtime/{token}") { endpoint.respond(to: $0, $1) }
        let routed = router
        return { routed.respond(to: $0) }
    }

    var readiness: @Sendable () -> Readiness {
        let further = settings.hasFurtherRoot ? [Settings.furtherRootWarning] : []
        let (feed, stop) = (feed, runtime.stop)
        let (conditions, databaseStart) = (conditions, databaseStart)
        // Never "the database is reachable": its outage must not take a working responder out.
        return {
            var reasons: [String] = []
            if !feed.hasSnapshots { reasons.append("no snapshot has been read yet") }
            if stop.isRequested { reasons.append("told to end; answers under way go on") }
            var warnings = further
            if feed.hasSnapshots {
                if databaseStart.isPending {
                    warnings.append("PostgreSQL has not answered since the start; the disk serves")
                }
                warnings += conditions.warnings
            }
            return Readiness(reasons: reasons, warnings: warnings)
        }
    }
}
