// Settings: every problem at once, secrets from files only.

import Foundation
import Service
import Testing

@Suite struct `Settings out of the environment` {
    static let table = [
        Setting("HOLDFAST_TEXT", "some text"),
        Setting("HOLDFAST_COUNT", "how many", default: "7"),
        Setting("HOLDFAST_ADMIN_PORT", "a port", default: "0"),
        Setting("HOLDFAST_WAIT_MILLISECONDS", "how long", default: "250"),
        Setting("HOLDFAST_SWITCH", "on or off", default: "false"),
        Setting("HOLDFAST_NAMES", "a list"),
        Setting("HOLDFAST_LEVEL", "a level", default: "info"),
        Setting("HOLDFAST_KEY_FILE", "a key", isSecretFile: true),
    ]

    func reader(_ environment: [String: String]) -> SettingsReader {
        SettingsReader(environment: environment, table: Self.table)
    }

    @Test func `Values are typed, and absent or empty ones take the default`() throws {
        var settings = reader([
            "HOLDFAST_TEXT": "hello", "HOLDFAST_COUNT": "", "HOLDFAST_SWITCH": "true",
            "HOLDFAST_NAMES": " a, b ,,c", "HOLDFAST_LEVEL": "error",
        ])
        #expect(settings.text("HOLDFAST_TEXT") == "hello")
        #expect(settings.integer("HOLDFAST_COUNT", in: 1...9) == 7)
        #expect(settings.port("HOLDFAST_ADMIN_PORT") == 0)
        #expect(
            settings.milliseconds("HOLDFAST_WAIT_MILLISECONDS", in: 1...1_000)
                == .milliseconds(250))
        #expect(settings.flag("HOLDFAST_SWITCH") == true)
        #expect(settings.list("HOLDFAST_NAMES") == ["a", "b", "c"])
        #expect(settings.choice("HOLDFAST_LEVEL", otherwise: LogLevel.info) == .error)
        #expect(settings.optionalSecretFile("HOLDFAST_KEY_FILE") == nil)
        try settings.finish()
        #expect(settings.warnings == [])
    }

    @Test func `All problems come together, each with its name and what to do`() throws {
        var settings = reader([
            "HOLDFAST_COUNT": "10", "HOLDFAST_ADMIN_PORT": "65536", "HOLDFAST_SWITCH": "yes",
            "HOLDFAST_WAIT_MILLISECONDS": "0250", "HOLDFAST_LEVEL": "loud",
            "HOLDFAST_KEY_FILE": "/nowhere/at/all", "HOLDFAST_NAMES": "a\u{1b}[31m",
        ])
        _ = settings.text("HOLDFAST_TEXT")
        _ = settings.integer("HOLDFAST_COUNT", in: 1...9)
        _ = settings.port("HOLDFAST_ADMIN_PORT")
        _ = settings.milliseconds("HOLDFAST_WAIT_MILLISECONDS", in: 1...1_000)
        _ = settings.flag("HOLDFAST_SWITCH")
        _ = settings.list("HOLDFAST_NAMES")
        _ = settings.choice("HOLDFAST_LEVEL", otherwise: LogLevel.info)
        _ = settings.secretFile("HOLDFAST_KEY_FILE")
        _ = settings.optionalText("HOLDFAST_UNHEARD_OF")
        let error = try #require(throws: SettingsError.self) { try settings.finish() }
        #expect(
            error.problems.map(\.name) == [
                "HOLDFAST_TEXT", "HOLDFAST_COUNT", "HOLDFAST_ADMIN_PORT",
                "HOLDFAST_WAIT_MILLISECONDS", "HOLDFAST_SWITCH", "HOLDFAST_NAMES",
                "HOLDFAST_LEVEL", "HOLDFAST_KEY_FILE", "HOLDFAST_UNHEARD_OF",
            ])
        #expect(error.problems[1].advice == "must be a whole number from 1 to 9, not '10'")
    }

    @Test(arguments: ["+5", " 5", "5 ", "05", "0x5", "5.0", "٥", "", "9223372036854775808", "-"])
    func `A number is written in one way only`(text: String) {
        var settings = reader(["HOLDFAST_TEXT": text])
        _ = settings.integer("HOLDFAST_TEXT", in: 0...9)
        #expect(throws: SettingsError.self) { try settings.finish() }
    }

    @Test func `An unknown variable of ours is a warning, of others nothing`() {
        let settings = reader(["HOLDFAST_TEXTT": "x", "PATH": "/bin", "OTHER": "1"])
        #expect(settings.warnings.count == 1)
        #expect(settings.warnings.first?.hasPrefix("HOLDFAST_TEXTT ") == true)
    }

    @Test(arguments: [
        ("postgresql://ann:s3:c@ret@db/x", "postgresql://ann:***@db/x"),
        ("postgresql://ann:a/b@db/x", "postgresql://ann:***@db/x"),
        ("postgresql://ann@db/x", "postgresql://ann@db/x"),
        (
            "postgresql:///x?host=/run&password=pw&user=a",
            "postgresql:///x?host=/run&password=***&user=a"
        ),
        ("host=db password='a b\\'c' user=ann", "host=db password=*** user=ann"),
        ("host=db PASSWORD=abc", "host=db PASSWORD=***"),
        ("127.0.0.1:80", "127.0.0.1:80"),
    ])
    func `What is shown at the start hides passwords`(given: String, shown: String) {
        let settings = reader(["HOLDFAST_TEXT": given])
        #expect(settings.effective.first?.1 == .string(shown))
    }

    @Test func `A secret is read whole, bounded, and never shows`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("key", "hunter2\n", mode: 0o600)
        var settings = reader(["HOLDFAST_KEY_FILE": path])
        let secret = settings.secretFile("HOLDFAST_KEY_FILE")
        #expect(secret.bytes == Array("hunter2\n".utf8))
        #expect(secret.line == Array("hunter2".utf8))
        var dumped = ""
        dump(secret, to: &dumped)
        #expect("\(secret)" == "***" && String(reflecting: secret) == "***")
        #expect(!dumped.contains("104") && !dumped.contains("hunter2"))
        #expect(settings.effective.last?.1 == .string(path))
        try settings.finish()
        #expect(settings.warnings == [])

        _ = settings.secretFile("HOLDFAST_KEY_FILE", bytesLimit: 7)
        #expect(throws: SettingsError.self) { try settings.finish() }
    }

    @Test func `A secret for all to read is a warning; an empty, odd or missing one is refused`()
        throws
    {
        let folder = try TemporaryFolder()
        var loose = reader(["HOLDFAST_KEY_FILE": try folder.write("loose", "x", mode: 0o644)])
        _ = loose.secretFile("HOLDFAST_KEY_FILE")
        try loose.finish()
        #expect(loose.warnings.count == 1)
        for path in [try folder.write("empty", "", mode: 0o600), folder.path, "/dev/zero"] {
            var settings = reader(["HOLDFAST_KEY_FILE": path])
            _ = settings.secretFile("HOLDFAST_KEY_FILE")
            #expect(throws: SettingsError.self) { try settings.finish() }
        }
    }
}
