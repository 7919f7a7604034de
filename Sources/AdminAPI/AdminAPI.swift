// The admin API: an agency's engineers and scripts run their apps over it.
//
//     request ── Gateway ── key, scope, limits, idempotency ── one transaction ── answer
//                              │
//                              └─ Operations.all: one file per resource (routes, shapes, handlers);
//                                 its SQL is the file of the same name in RetentionStore
//
//     request ── NotificationReceiver ── verified ── inbox ── answer
//
// Long work becomes a job, done by `JobRunner` in this process or another one.

internal import HTTPServer
internal import Postgres
internal import Retention
internal import RetentionStore
package import Service

package enum AdminAPI {
    /// The executable: reads the settings, serves until SIGTERM, gives the exit code.
    package static func main() -> Int32 {
        ServiceMain.run(
            name: "api-gateway", version: Release.version, table: Settings.table,
            read: Settings.init(reader:), body: run)
    }

    /// Serves until `runtime.stop` is requested; then ends what is in flight and returns. A job
    /// that is not done by then is taken up again when its lease runs out.
    package static func run(_ settings: Settings, _ runtime: Runtime) throws {
        try Hardening.keepMemoryPrivate()
        guard let platformKey = settings.platformKey else { return }
        let pool = try Pool(settings.pool)
        defer { pool.close() }
        let notificationPool = try Pool(settings.notificationPool)
        defer { notificationPool.close() }
        let metrics = GatewayMetrics(runtime.metrics)
        let store = RetentionStore(pool: pool)
        let readiness = DatabaseReadiness(pool: pool)
        let warnings = settings.hasFurtherRoot ? [Setting.furtherTrustRootWarning] : []
        for warning in warnings {
            runtime.log.warning("further_trust_root", [("advice", .string(warning))])
        }
        let admin = try runtime.adminPort(settings.adminPort) { [stop = runtime.stop] in
            var current = readiness.current
            if stop.isRequested {
                current = Readiness(reasons: ["told to end; requests under way go on"])
            }
            current.warnings += warnings
            return current
        }
        defer { admin.stop() }
        guard try store.waitUntilUsable(runtime) else { return }
        let jobs = JobRunner(store: store, clock: runtime.clock, log: runtime.log, metrics: metrics)
        let jobLoop = BackgroundLoop("jobs", every: Settings.jobInterval, log: runtime.log) {
            try jobs.runWaiting(unless: { runtime.stop.isRequested })
        }
        let gateway = Gateway(
            store: store, clock: runtime.clock, log: runtime.log, metrics: metrics,
            platformKey: platformKey, limiter: RateLimiter(runningLimit: settings.runningLimit),
            jobAdded: { jobLoop.poke() })
        let receiver = NotificationReceiver(
            store: RetentionStore(pool: notificationPool), verifier: settings.verifier,
            clock: runtime.clock, log: runtime.log, metrics: NotificationMetrics(runtime.metrics))
        let loops = [jobLoop] + upkeep(gateway, receiver, readiness, runtime)
        for loop in loops { try loop.start() }
        let server = try Server(
            settings.server, refused: metrics.count(refusal:),
            handler: receiver.handler(otherwise: gateway.respond(to:)))
        runtime.ready([("port", LogValue(server.port)), ("adminPort", LogValue(admin.port))])
        runtime.stop.wait()
        // Asked before the drain: no further job begins meanwhile.
        for loop in loops { loop.stop(within: .zero) }
        server.stop(drain: Settings.drainLimit)
        let deadline = ContinuousClock.now + Settings.loopStopLimit
        for loop in loops where !loop.stop(within: max(.zero, deadline - .now)) {
            runtime.log.warning("loop_slow_to_stop")
        }
        // Not worth waiting for a database that does not answer.
        if readiness.current.ready { try? gateway.flushKeyUse() }
    }

    private static func upkeep(
        _ gateway: Gateway, _ receiver: NotificationReceiver, _ readiness: DatabaseReadiness,
        _ runtime: Runtime
    ) -> [BackgroundLoop] {
        [
            BackgroundLoop("key use", every: Settings.keyUseInterval, log: runtime.log) {
                try gateway.flushKeyUse()
            },
            BackgroundLoop("purge", every: Settings.purgeInterval, log: runtime.log) {
                let before = gateway.now.milliseconds - Settings.idempotencyMilliseconds
                _ = try gateway.store.purgeIdempotencyRecords(
                    .gatewayUpkeep, before: Instant(milliseconds: before))
                _ = try gateway.store.pruneSnapshots(.gatewayUpkeep)
                try gateway.purgeProfileChanges()
            },
            BackgroundLoop("readiness", every: Settings.readinessInterval, log: runtime.log) {
                readiness.look()
            },
            BackgroundLoop(
                "notifications missed", every: Settings.readinessInterval, log: runtime.log
            ) {
                // Not before the database answers: it would fail each second.
                if readiness.current.ready { try receiver.hurryHistoriesIfMissed() }
            },
        ]
    }

}

extension Gateway {
    /// What responders have read long ago; a backlog in steps that end well within a statement's
    /// time. What is left is the next round's.
    fileprivate func purgeProfileChanges() throws {
        for _ in 0..<Settings.purgeStepsLimit {
            let purged = try store.purgeProfileChanges(
                .gatewayUpkeep, before: Instant(milliseconds: Clock.system.now()),
                limit: Settings.purgeStepRows)
            guard purged == Int64(Settings.purgeStepRows) else { return }
        }
    }
}
