import Foundation
import Operator
import Retention
import RetentionStore
import TestSupport
import Testing

/// `holdfast tenant …` and `holdfast key …`: how an agency comes to its first key.
@Suite(.database) struct KeyCommandTests {
    private struct Identified: Decodable {
        let id: String
    }

    private struct Key: Decodable {
        let id: String
        let scopes: [String]
        let clientIds: [String]?
        let expiresAt: String?
        let secret: String?
    }

    private struct Listed<Row: Decodable>: Decodable {
        let data: [Row]
    }

    private func run(_ words: [String]) throws -> (end: ChildProcess.End, text: String) {
        let url = try Database.current().url(role: "holdfast_operator")
        return try Programs.run("holdfast", words, environment: ["HOLDFAST_DATABASE_URL": url])
    }

    private func json<Answer: Decodable>(
        _ words: [String], as type: Answer.Type = Answer.self
    ) throws -> Answer {
        let (end, text) = try run(words + ["--output", "json"])
        #expect(end == .exited(0), "\(text)")
        #expect(text.utf8.count { $0 == UInt8(ascii: "\n") } == 1, "one value on one line")
        return try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    private func makeTenant() throws -> String {
        try json(["tenant", "create", "--name", "Fjord & Söhne"], as: Identified.self).id
    }

    /// What the gateway finds behind a token.
    private func principal(of token: String) throws -> Principal {
        let hash = try #require(APIKeyToken(Array(token.utf8))).hash
        let store = RetentionStore(pool: try Database.current().gateway)
        return try store.transaction(presenting: hash, at: .now) { $1 }
    }

    @Test func `a tenant is made, listed and noted`() throws {
        let id = try makeTenant()
        #expect(try json(["tenant", "list"], as: Listed<Identified>.self).data.map(\.id) == [id])
        let table = try run(["tenant", "list"]).text
        #expect(table.contains("TENANT") && table.contains("Fjord & Söhne"))
        let tenant = try #require(TenantID(id))
        let events = try audit(of: tenant)
        #expect(events.map(\.event.action) == ["tenant.create"])
        #expect(events.map(\.actor.kind) == ["operator"])
    }

    @Test func `the secret is the last line, works, and is shown nowhere else`() throws {
        let tenant = try makeTenant()
        let (end, text) = try run(
            ["key", "create", "--tenant", tenant, "--name", "first", "--scopes", "all"])
        #expect(end == .exited(0))
        let token = String(try #require(text.split(separator: "\n").last))
        #expect(text.components(separatedBy: token).count == 2, "once")
        let principal = try principal(of: token)
        #expect(principal.tenant.description == tenant)
        #expect(AccessScope.all.allSatisfy(principal.may))
        #expect(!principal.isLimited)
        let secret = try #require(token.split(separator: "_").dropFirst(2).first)
        #expect(!(try run(["key", "list", "--tenant", tenant]).text.contains(secret)))
        let events = try audit(of: try #require(TenantID(tenant)))
        #expect(events.first?.event.action == "apiKey.create")
        for event in events {
            #expect(!String(decoding: event.event.changes, as: UTF8.self).contains(secret))
        }
    }

    @Test func `scopes, limits and an end are those that were asked for`() throws {
        let tenant = try #require(TenantID(try makeTenant()))
        let client = Client(id: .make(at: .now), name: "Harbour")
        let store = RetentionStore(pool: try Database.current().operator)
        try store.transaction(.operatorCommand(tenant: tenant), at: .now) {
            try $0.createClient(client)
        }
        let key = try json(
            [
                "key", "create", "--tenant=\(tenant)", "--name", "reports",
                "--scopes=apps:read,content:write", "--client", "\(client.id)",
                "--expires-in", "90d",
            ], as: Key.self)
        #expect(key.scopes == ["apps:read", "content:write"])
        #expect(key.clientIds == [client.id.description])
        #expect(key.expiresAt != nil)
        let principal = try principal(of: try #require(key.secret))
        #expect(principal.isLimited)
        #expect(principal.may(.read(.content)) && !principal.may(.write(.apps)))
        let listed = try json(["key", "list", "--tenant=\(tenant)"], as: Listed<Key>.self).data
        #expect(listed.map(\.id) == [key.id])
        #expect(listed.first?.secret == nil)
    }

    @Test func `a revoked key is refused at once`() throws {
        let tenant = try makeTenant()
        let key = try json(
            ["key", "create", "--tenant", tenant, "--name", "x", "--scopes", "apps:read"],
            as: Key.self)
        let token = try #require(key.secret)
        _ = try principal(of: token)
        let words = ["key", "revoke", "--tenant", tenant, "--key", key.id]
        #expect(try run(words).text == "\(key.id) is revoked\n")
        let error = #expect(throws: StoreError.self) { try principal(of: token) }
        #expect(error?.code == .unauthenticated)
        let again = try run(words)
        #expect(again.end == .exited(0) && again.text.contains("already"))
        #expect(try run(["key", "list", "--tenant", tenant]).text.contains("revoked"))
        let actions = try audit(of: try #require(TenantID(tenant))).map(\.event.action)
        #expect(actions == ["apiKey.revoke", "apiKey.create", "tenant.create"])
    }

    @Test func `what is not there is told, and nothing is made`() throws {
        let tenant = try makeTenant()
        let other = try makeTenant()
        let key = try json(
            ["key", "create", "--tenant", other, "--name", "x", "--scopes", "all"], as: Key.self)
        let absent = TenantID.make(at: .now)
        let make = ["key", "create", "--name", "x", "--scopes", "all", "--tenant"]
        for words in [
            make + ["\(absent)"], make + [tenant, "--client", "\(ClientID.make(at: .now))"],
            make + [tenant, "--app", "\(AppID.make(at: .now))"],
            ["key", "list", "--tenant", "\(absent)"],
            ["key", "revoke", "--tenant", tenant, "--key", key.id],
        ] {
            let (end, text) = try run(words)
            #expect(end == .exited(1), "\(words)")
            #expect(text.contains("no "), "\(text)")
        }
        #expect(try json(["key", "list", "--tenant", tenant], as: Listed<Key>.self).data.isEmpty)
        _ = try principal(of: try #require(key.secret))
    }

    @Test(arguments: [
        (["tenant", "create"], "--name is missing"),
        (["tenant", "create", "--name", ""], "--name has 1 to 200"),
        (["tenant", "create", "--name", String(repeating: "x", count: 201)], "1 to 200"),
        (["tenant", "create", "--name", "a\u{1B}[31m"], "control"),
        (["tenant", "list", "--output", "xml"], "table or json"),
        (["tenant", "remove"], "no command 'tenant remove'"),
        (["key", "create", "--tenant", "x", "--name", "n", "--scopes", "all"], "ten_"),
        (["key", "create", "--tenant", "cli_0", "--name", "n", "--scopes", "all"], "ten_"),
        (["key", "list"], "--tenant is missing"),
    ])
    func `a wrong command line is told and does nothing`(
        words: [String], told: String
    ) throws {
        let (end, text) = try run(words)
        #expect(end == .exited(64))
        #expect(text.contains(told), "\(text)")
    }

    @Test(arguments: ["", "all,apps:read", "apps", "apps:read,", "Apps:read", "apps:own"])
    func `scopes are known words`(scopes: String) throws {
        let tenant = "\(TenantID.make(at: .now))"
        let (end, text) = try run(
            ["key", "create", "--tenant", tenant, "--name", "n", "--scopes", scopes])
        #expect(end == .exited(64))
        #expect(text.contains("content:write"), "\(text)")
    }

    @Test(arguments: ["", "d", "90", "0d", "-1d", "+1d", "1.5d", "90 d", "3661d", "9999999h", "1w"])
    func `a lifetime is a number of days or hours`(lifetime: String) throws {
        let tenant = "\(TenantID.make(at: .now))"
        let (end, text) = try run([
            "key", "create", "--tenant", tenant, "--name", "n", "--scopes", "all",
            "--expires-in=\(lifetime)",
        ])
        #expect(end == .exited(64))
        #expect(text.contains("such as 90d"), "\(text)")
    }

    @Test func `each command, and each group, explains itself`() throws {
        for words in [
            ["tenant", "--help"], ["key", "--help"], ["tenant", "create", "--help"],
            ["tenant", "list", "--help"], ["key", "create", "--help"], ["key", "list", "-h"],
            ["key", "revoke", "--help"],
        ] {
            let (end, text) = try Programs.run("holdfast", words)
            #expect(end == .exited(0), "\(words)")
            #expect(text.contains("holdfast "), "\(words)")
        }
        #expect(try Programs.run("holdfast", ["key"]).end == .exited(64))
        #expect(try Programs.run("holdfast", ["tenant", "list"]).end == .exited(78))
    }

    private func audit(of tenant: TenantID) throws -> [StoredAuditEvent] {
        let store = RetentionStore(pool: try Database.current().operator)
        return try store.transaction(.operatorCommand(tenant: tenant), at: .now) {
            try $0.listAuditEvents(AuditFilter(), before: nil, limit: 100)
        }
    }
}

extension Instant {
    fileprivate static var now: Instant {
        Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    }
}
