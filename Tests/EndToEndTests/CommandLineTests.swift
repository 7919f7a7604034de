import Operator
import Postgres
import TestSupport
import Testing

/// What a person or a supervisor sees of the executables: help, sentences, exit codes.
@Suite struct CommandLineTests {
    private static let programs = [
        "holdfast", "api-gateway", "apple-sync", "realtime-responder", "app-store-simulator",
    ]

    @Test(arguments: programs)
    func `help goes to standard output and names what can be set or said`(program: String) throws {
        let (end, text) = try Programs.run(program, ["--help"])
        #expect(end == .exited(0))
        #expect(text.contains(program == "holdfast" ? "migrate" : "HOLDFAST_"))
    }

    @Test func `all programs are of one version`() throws {
        let versions = try Self.programs.map {
            let (end, text) = try Programs.run($0, ["--version"])
            #expect(end == .exited(0))
            #expect(text.hasPrefix($0 + " "))
            return text.dropFirst($0.count)
        }
        #expect(Set(versions).count == 1)
    }

    @Test(arguments: programs)
    func `an unknown word is a usage error`(program: String) throws {
        let (end, text) = try Programs.run(program, ["--no-such-thing"])
        #expect(end == .exited(64))
        #expect(text.contains("--help"))
    }

    @Test func `all problems of the settings are told at once`() throws {
        let (end, text) = try Programs.run(
            "realtime-responder", environment: ["HOLDFAST_RESPONDER_THREADS": "none"])
        #expect(end == .exited(78))
        for name in [
            "HOLDFAST_DATABASE_URL", "HOLDFAST_SPOOL_DIRECTORY", "HOLDFAST_RESPONDER_THREADS",
            "HOLDFAST_PLATFORM_PRIVATE_KEY_FILE",
        ] { #expect(text.contains(name)) }
    }

    @Test func `the sync tells all problems of its settings too`() throws {
        let (end, text) = try Programs.run(
            "apple-sync",
            environment: [
                "HOLDFAST_SYNC_WORKERS": "1", "HOLDFAST_PUBLIC_ORIGIN": "http://holdfast.example",
                "HOLDFAST_APPLE_SANDBOX_URL": "nowhere",
            ])
        #expect(end == .exited(78))
        for name in [
            "HOLDFAST_DATABASE_URL", "HOLDFAST_PLATFORM_PRIVATE_KEY_FILE",
            "HOLDFAST_PUBLIC_ORIGIN", "HOLDFAST_SYNC_WORKERS", "HOLDFAST_APPLE_SANDBOX_URL",
        ] { #expect(text.contains(name)) }
    }

    @Test func `migrate without a database says which setting is missing`() throws {
        let (end, text) = try Programs.run("holdfast", ["migrate"])
        #expect(end == .exited(78))
        #expect(text.contains("HOLDFAST_DATABASE_URL"))
    }

    @Test(.database) func `migrate twice changes nothing`() throws {
        let environment = [
            "HOLDFAST_DATABASE_URL": try Database.current().url(role: "holdfast_migrator")
        ]
        let first = try Programs.run("holdfast", ["migrate"], environment: environment)
        let second = try Programs.run("holdfast", ["migrate"], environment: environment)
        #expect(first.end == .exited(0))
        #expect(second.end == .exited(0))
        #expect(second.text.contains("0 migrations landed, 0 partitions made"))
    }

    @Test(.database) func `the responder refuses a schema older than itself`() throws {
        let database = try Database.current()
        let last: String = try database.superuser.withConnection { connection in
            let rows = try connection.query(
                """
                delete from public.holdfast_migration where name =
                  (select max(name) from public.holdfast_migration)
                returning name
                """)
            return try #require(rows.first).decode("name")
        }
        let folder = try TemporaryFolder()
        _ = try Programs.run("holdfast", ["platform-key", folder.path])
        let (end, text) = try Programs.run(
            "realtime-responder",
            environment: [
                "HOLDFAST_DATABASE_URL": database.url(role: "holdfast_responder"),
                "HOLDFAST_RESPONDER_PORT": "0", "HOLDFAST_RESPONDER_ADMIN_PORT": "0",
                "HOLDFAST_SPOOL_DIRECTORY": folder.path + "/spool",
                "HOLDFAST_PLATFORM_PRIVATE_KEY_FILE": folder.path + "/platform-private.pem",
            ])
        #expect(end == .exited(1))
        #expect(text.contains(last) && text.contains("holdfast migrate"))
    }

    @Test func `a platform key is made once and never written over`() throws {
        let folder = try TemporaryFolder()
        let first = try Programs.run("holdfast", ["platform-key", folder.path])
        let second = try Programs.run("holdfast", ["platform-key", folder.path])
        #expect(first.end == .exited(0))
        #expect(second.end == .exited(1))
        #expect(second.text.contains("exists already"))
    }
}
