import FoundationEssentials
import Glibc
import Operator
import Postgres
import TestSupport
import Testing

@Suite struct PrivatePostgresTests {
    private func text(_ pool: Pool, _ query: Query) throws -> String? {
        try pool.withConnection { try $0.query(query).first?.decode(String.self, at: 0) }
    }

    @Test func itIsReachedThroughItsSocketAloneAndGoneAfterwards() throws {
        let server = try makeOwnServer()
        let pid = try #require(server.pid)
        let pool = try Pool(PoolSettings(url: server.url()))
        #expect(try text(pool, "show listen_addresses") == "")
        #expect(try text(pool, "select version()")?.contains("PostgreSQL 15") == true)
        pool.close()
        server.remove()
        #expect(server.pid == nil)
        #expect(kill(pid, 0) != 0)
        #expect(!FileManager.default.fileExists(atPath: server.folder))
    }

    @Test func everyLoginRoleComesInAsItselfWithItsSettings() throws {
        let server = try makeOwnServer()
        defer { server.remove() }
        for role in server.settings.logins {
            let pool = try Pool(PoolSettings(url: server.url(role: role)))
            #expect(try text(pool, "select current_user::text") == role)
            #expect(try text(pool, "show search_path") == "\"\"")
            #expect(try text(pool, "show row_security") == "on")
            #expect(try text(pool, "show statement_timeout") != "0")
            #expect(try text(pool, "show idle_in_transaction_session_timeout") != "0")
            #expect(try text(pool, "select now()::text") != nil)
            pool.close()
        }
    }

    /// Otherwise a slow statement costs its connection and says nothing of why.
    @Test func eachRolesStatementsEndBeforeItsProgramGivesUp() throws {
        let server = try makeOwnServer()
        defer { server.remove() }
        let programs: [(role: String, timeout: Duration)] = [
            ("holdfast_migrator", Migrator.migrationTimeout),
            ("holdfast_operator", DemoProcesses.operatorQueryTimeout),
            ("holdfast_responder", PoolSettings(url: "").queryTimeout),
        ]
        for program in programs {
            let pool = try Pool(PoolSettings(url: server.url(role: program.role)))
            defer { pool.close() }
            let milliseconds = try text(
                pool, "select setting from pg_settings where name = 'statement_timeout'")
            let limit = Duration.milliseconds(try #require(Int(milliseconds ?? "")))
            #expect(limit > .zero && limit < program.timeout, "\(program.role)")
        }
    }

    @Test func noRoleMayPassByRowSecurityAndOwnersCannotLogIn() throws {
        let server = try makeOwnServer()
        defer { server.remove() }
        let pool = try Pool(PoolSettings(url: server.url()))
        let strong = try text(
            pool,
            """
            select coalesce(string_agg(rolname, ','), '') from pg_roles where rolname ~ '^holdfast_'
              and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication)
            """)
        #expect(strong == "")
        let login = try text(
            pool,
            """
            select string_agg(rolname, ',' order by rolname) from pg_roles
            where rolname ~ '^holdfast_' and rolcanlogin
            """)
        #expect(login == server.settings.logins.sorted().joined(separator: ","))
        pool.close()
    }

    @Test func theRolesFileCanBeAppliedAgain() throws {
        let server = try makeOwnServer()
        defer { server.remove() }
        let pool = try Pool(PoolSettings(url: server.url()))
        try pool.withConnection { try $0.execute(script: server.settings.roles) }
        pool.close()
    }

    @Test func itsDataSurvivesAStopAndAStart() throws {
        let server = try makeOwnServer()
        defer { server.remove() }
        let pool = try Pool(PoolSettings(url: server.url()))
        try pool.withConnection { try $0.execute(script: "create table kept as select 1") }
        server.stop()
        try server.start()
        #expect(try text(pool, "select count(*)::text from kept") == "1")
        pool.close()
    }

    @Test func aFailedRolesFileIsAnErrorAndLeavesNoServer() throws {
        let settings = PrivatePostgres.Settings(roles: Array("nonsense".utf8))
        let error = #expect(throws: PostgresError.self) { _ = try PrivatePostgres(settings) }
        #expect(error?.sqlState == "42601")
    }

    @Test func aFolderWhoseOwnerIsGoneIsRemovedByTheNextServerAndOthersStay() throws {
        let server = try makeOwnServer()
        defer { server.remove() }
        let parent = "/tmp/hf-\(UUID().uuidString.prefix(8))"
        let files = FileManager.default
        try files.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: parent)
        defer { try? files.removeItem(atPath: parent) }
        let us = try String(contentsOfFile: "\(server.folder)/owner", encoding: .utf8)
        let parts = us.split(separator: " ").map(String.init)
        let owners = [
            "holdfast-pg-gone": "\(parts[0]) 1 \(parts[2])",
            "holdfast-pg-ours": us,
            "holdfast-pg-elsewhere": "\(parts[0]) 1 pid:[1]",
            "other-gone": "\(parts[0]) 1 \(parts[2])",
        ]
        for (name, owner) in owners {
            try files.createDirectory(
                atPath: "\(parent)/\(name)", withIntermediateDirectories: false)
            try owner.write(
                toFile: "\(parent)/\(name)/owner", atomically: false, encoding: .utf8)
        }
        var settings = server.settings
        settings.parent = parent
        let next = try PrivatePostgres(settings)
        next.remove()
        let left = try files.contentsOfDirectory(atPath: parent).sorted()
        #expect(left == ["holdfast-pg-elsewhere", "holdfast-pg-ours", "other-gone"])
    }

    @Test func aParentFolderTooLongForASocketIsRefused() throws {
        var settings = PrivatePostgres.Settings(roles: [])
        settings.parent = "/var/tmp/" + String(repeating: "x", count: 80)
        let error = #expect(throws: ChildProcess.Failure.self) { _ = try PrivatePostgres(settings) }
        #expect(error?.message.contains("shorter") == true)
    }
}
