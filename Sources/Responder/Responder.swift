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
// So do two that look after what is believed: one keeps verified chains on the disk for the next
// start, one asks Apple whether certificates were revoked.

internal import AppStore
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
        guard try parts.waitUntilServing() else { return }
        try parts.startLoops()
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
    private let spool: DecisionSpool
    private let loops: [BackgroundLoop]
    private let trust: Trust
    private let routes: ServedApps

    init(_ settings: Settings, _ runtime: Runtime) throws {
        self.settings = settings
        self.runtime = runtime
        pool = try Pool(settings.pool)
        metrics = ResponderMetrics(runtime.metrics)
        let store = RetentionStore(pool: pool)
        let routes = ServedApps()
        self.routes = routes
        feed = SnapshotFeed(
            store: store, apps: routes, platformKey: settings.platformKey, log: runtime.log,
            metrics: metrics)
        spool = try DecisionSpool(directory: settings.spoolDirectory)
        endpoint = RealtimeEndpoint(
            apps: routes, verifier: settings.verifier, spool: spool, clock: runtime.clock,
            metrics: metrics)
        let losses = LossReport(metrics: metrics, log: runtime.log)
        let shipper = DecisionShipper(
            spool: spool, store: store, clock: runtime.clock, log: runtime.log, metrics: metrics)
        let acknowledger = SnapshotAcknowledger(
            store: store, apps: routes, name: settings.name,
            now: { Instant(milliseconds: Clock.system.now()) })
        let watch = SnapshotWatch(
            feed: feed, acknowledger: acknowledger, every: settings.pollInterval,
            listening: settings.pool, stop: runtime.stop, log: runtime.log)
        trust = try Trust(settings, runtime, metrics)
        loops =
            watch.loops + [
                BackgroundLoop("shipper", every: Settings.shipInterval, log: runtime.log) {
                    try shipper.ship()
                },
                BackgroundLoop("spool sync", every: Settings.syncInterval, log: runtime.log) {
                    [spool, losses] in
                    losses.report()
                    try spool.sync()
                },
            ] + trust.loops
        if settings.hasFurtherRoot {
            runtime.log.warning(
                "further_trust_root", [("advice", .string(Settings.furtherRootWarning))])
        }
    }

    /// - Returns: false when asked to stop meanwhile.
    func waitUntilServing() throws -> Bool {
        trust.warm()
        // Before the first request: without a snapshot every genuine one would be 404.
        return try RetentionStore(pool: pool).waitUntilUsable(runtime) { try feed.poll() }
    }

    func startLoops() throws {
        for loop in loops { try loop.start() }
    }

    func stopLoops() {
        // The last answer is spooled by now: each loop runs once more and finds it. They share the
        // time, since all of it must fit into systemd's 5 s.
        let deadline = ContinuousClock.now + Settings.loopStopLimit
        for loop in loops {
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
        let warnings = settings.hasFurtherRoot ? [Settings.furtherRootWarning] : []
        let (feed, stop) = (feed, runtime.stop)
        // Never "the database is reachable": its outage must not take a working responder out.
        return {
            var reasons: [String] = []
            if !feed.hasPolled { reasons.append("no snapshot has been read yet") }
            if stop.isRequested { reasons.append("told to end; answers under way go on") }
            return Readiness(reasons: reasons, warnings: warnings)
        }
    }
}

/// What looks after the chains that are believed, apart from requests.
private struct Trust {
    let loops: [BackgroundLoop]
    private let files: TrustFiles?
    private let clock: Clock

    init(_ settings: Settings, _ runtime: Runtime, _ metrics: ResponderMetrics) throws {
        let (verifier, log, stop) = (settings.verifier, runtime.log, runtime.stop)
        clock = runtime.clock
        files = try settings.stateDirectory.map {
            try TrustFiles(directory: $0, verifier: verifier, log: log)
        }
        var loops: [BackgroundLoop] = []
        if let files {
            loops.append(
                BackgroundLoop("trust files", every: Settings.trustInterval, log: log) {
                    try files.write()
                })
        }
        if settings.checksRevocation {
            let watch = RevocationWatch(
                verifier: verifier, client: RevocationClient(), clock: clock, log: log,
                metrics: metrics)
            // Last: it alone may sit in a wait for the network when all are told to end.
            loops.append(
                BackgroundLoop("revocation", every: Settings.trustInterval, log: log) {
                    watch.run { stop.isRequested }
                })
        }
        self.loops = loops
    }

    /// Before the first request.
    func warm() { files?.read(nowMilliseconds: clock.now()) }
}
