// A service that does nothing, for the tests that need a process: signals, exit codes, hardening.
import Service

let table = [
    Setting("HOLDFAST_ADMIN_PORT", "port of the admin endpoints; 0 takes any", default: "0"),
    Setting("HOLDFAST_FIXTURE_FAILS", "whether the body throws", default: "false"),
    Setting("HOLDFAST_FIXTURE_KEY_FILE", "a key", default: nil, isSecretFile: true),
]
ServiceMain.exit(
    ServiceMain.run(
        name: "fixture", version: "1.2.3", table: table, read: FixtureSettings.init(reading:),
        body: FixtureSettings.serve))
