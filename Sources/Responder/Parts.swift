internal import HTTPServer
internal import Postgres
internal import Retention
internal import RetentionStore
internal import Service

/// The pieces of one running responder and who holds whom.
struct Parts {
    let metrics: ResponderMetrics
    private let pool: Pool
    private let settings: Settings
    private let runtime: Runtime
    private let feed: SnapshotFeed
    private let profiles: ProfileParts
    private let trust: Trust
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
        let profiles = try ProfileParts(settings, runtime, store, apps, metrics)
        self.profiles = profiles
        endpoint = RealtimeEndpoint(
            apps: apps, verifier: settings.verifier, sources: profiles.sources, spool: spool,
            clock: runtime.clock, metrics: metrics, conditions: conditions)
        let loops =
            Self.databaseLoops(settings, runtime, feed, apps, spool, metrics) + profiles.loops
        databaseLoops = loops
        trust = try Trust(settings, runtime, metrics)
        ownLoops =
            Self.ownLoops(runtime.log, conditions, spool, files, metrics) + trust.loops
        databaseStart = DatabaseStart(store, runtime) {
            try feed.poll()
            try profiles.begin()
            for loop in loops { try loop.start() }
        }
        if settings.hasFurtherRoot {
            runtime.log.warning(
                "further_trust_root", [("advice", .string(Setting.furtherTrustRootWarning))])
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
        trust.warm()
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

    func closePools() {
        pool.close()
        profiles.close()
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

    var handler: @Sendable (Request) -> Response { endpoint.handler }

    var readiness: @Sendable () -> Readiness {
        let further = settings.hasFurtherRoot ? [Setting.furtherTrustRootWarning] : []
        let (feed, profiles, stop) = (feed, profiles, runtime.stop)
        let (conditions, databaseStart) = (conditions, databaseStart)
        // Never "the database is reachable": its outage must not take a working responder out.
        return {
            var reasons: [String] = []
            if !feed.hasSnapshots { reasons.append("no snapshot has been read yet") }
            // Without the database there is nothing to be read in.
            if profiles.delaysReadiness, !databaseStart.isPending {
                reasons.append("profiles are being read in")
            }
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
