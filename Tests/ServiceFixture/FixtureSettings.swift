import Service

struct FixtureSettings {
    let adminPort: UInt16
    let fails: Bool
    let key: Secret?

    init(reading reader: inout SettingsReader) {
        adminPort = reader.port("HOLDFAST_ADMIN_PORT")
        fails = reader.flag("HOLDFAST_FIXTURE_FAILS")
        key = reader.optionalSecretFile("HOLDFAST_FIXTURE_KEY_FILE")
    }

    static func serve(_ settings: FixtureSettings, _ runtime: Runtime) throws {
        try Hardening.keepMemoryPrivate()
        if settings.fails { throw UsageError("told to fail") }
        let admin = try runtime.adminPort(settings.adminPort) { Readiness(reasons: []) }
        let beats = runtime.metrics.counter("fixture_beats", "runs of the loop")
        let loop = BackgroundLoop("beat", every: .seconds(60), log: runtime.log) { beats.add() }
        try loop.start()
        runtime.ready([
            ("port", LogValue(admin.port)), ("private", .bool(Hardening.isMemoryPrivate)),
        ])
        runtime.stop.wait()
        runtime.log.info("drained", [("loopEnded", .bool(loop.stop(within: .seconds(5))))])
        admin.stop()
    }
}
