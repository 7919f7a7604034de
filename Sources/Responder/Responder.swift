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
// PostgreSQL is not on this path, but for one bounded look-up of a subscriber who is not in memory,
// where a rule asks. Beside it run the feeds, which poll for newer snapshots, changed profiles and
// spent budgets, and the shipper, which carries the spool into PostgreSQL; all may fail for hours
// without a wrong answer.
// A start without PostgreSQL serves what the disk has. The longer PostgreSQL is away, the less is
// said (`ServingMode`); the more requests wait, the fewer are answered (`OverloadGate`).
// Two loops look after what is believed: one keeps verified chains on the disk for the next start,
// one asks Apple whether certificates were revoked.

internal import HTTPServer
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
        defer { parts.closePools() }
        let admin = try runtime.adminPort(settings.adminPort, readiness: parts.readiness)
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
