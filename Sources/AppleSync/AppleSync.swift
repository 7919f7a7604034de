// Makes what Apple has equal to what the agency wants, and everything else we ask of Apple.
//
//     claim (lease, token) ─ load desired, observed ─ plan ─┬─ marks, placements ─ commit
//          ▲                                                └─ one call at a time:
//          │                                                     permit, begin ─ commit
//          └── release: when to look again ◀── conclude ─ commit ◀── Apple
//
// Nothing is decided here: `plan`, `begin` and `conclude` of Retention are the decisions, the same
// that the simulation tries with thousands of seeds. No transaction is open while Apple is asked.
// A worker that dies leaves "uncertain" behind; one that was frozen past its lease commits nothing.

internal import AppStore
internal import Postgres
internal import Retention
internal import RetentionStore
package import Service

package enum AppleSync {
    /// The executable: reads the settings, works until SIGTERM, gives the exit code.
    package static func main() -> Int32 {
        ServiceMain.run(
            name: "apple-sync", version: Release.version, table: Settings.table, grammar: grammar,
            read: Settings.init(reader:), body: run)
    }

    private static let onceFlag = "--once"
    private static let grammar = ArgumentGrammar(flags: [
        .init(onceFlag, "do what is due now and end; for timers")
    ])

    /// Works until `runtime.stop` is requested, then ends what is in flight and returns.
    package static func run(_ settings: Settings, _ runtime: Runtime) throws {
        try Hardening.keepMemoryPrivate()
        guard let worker = try worker(settings, runtime) else { return }
        defer { worker.store.pool.close() }
        let readiness = DatabaseReadiness(pool: worker.store.pool)
        let admin = try runtime.adminPort(settings.adminPort) { [stop = runtime.stop] in
            stop.isRequested
                ? Readiness(reasons: ["told to end; calls under way go on"])
                : readiness.current
        }
        defer { admin.stop() }
        guard try worker.store.waitUntilUsable(runtime) else { return }
        if runtime.arguments.has(onceFlag) {
            try worker.workThroughDue(isEnding: { runtime.stop.isRequested })
            return
        }
        let loops = try loops(worker, settings, readiness, runtime)
        runtime.ready([("adminPort", LogValue(admin.port))])
        runtime.stop.wait()
        for loop in loops { loop.stop(within: .zero) }
        let deadline = ContinuousClock.now + Settings.loopStopLimit
        for loop in loops where !loop.stop(within: max(.zero, deadline - .now)) {
            // Its lease runs out, and what it did not commit is uncertain to whoever comes next.
            runtime.log.warning("loop_slow_to_stop")
        }
    }

    private static func worker(_ settings: Settings, _ runtime: Runtime) throws -> SyncWorker? {
        guard let keys = settings.platformKey.map({ KeyRing(platformKey: $0) }),
            let hosts = settings.hosts
        else { return nil }
        let clock = runtime.clock
        let client = RetentionMessagingClient(
            hosts: hosts, now: { Instant(milliseconds: clock.now()) })
        return SyncWorker(
            store: RetentionStore(pool: try Pool(settings.pool)), client: client, keys: keys,
            options: settings.options, clock: clock, log: runtime.log,
            metrics: SyncMetrics(runtime.metrics))
    }

    private static func loops(
        _ worker: SyncWorker, _ settings: Settings, _ readiness: DatabaseReadiness,
        _ runtime: Runtime
    ) throws -> [BackgroundLoop] {
        let isEnding: @Sendable () -> Bool = { runtime.stop.isRequested }
        var loops = (0..<settings.workers).map { number in
            BackgroundLoop("sync \(number)", every: settings.pollInterval, log: runtime.log) {
                try worker.workThroughDue(isEnding: isEnding)
            }
        }
        loops.append(
            BackgroundLoop("readiness", every: Settings.readinessInterval, log: runtime.log) {
                readiness.look()
            })
        loops.append(
            BackgroundLoop("upkeep", every: Settings.upkeepInterval, log: runtime.log) {
                try worker.keepUp()
            })
        loops.append(
            BackgroundLoop("purge", every: Settings.purgeInterval, log: runtime.log) {
                try worker.purge()
            })
        for loop in loops { try loop.start() }
        return loops
    }
}
