import AdminAPI
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

@Suite(.database) struct APIKeyTests {
    private static let path = "/v1/api-keys"

    @Test func aKeyIsMadeUsedChangedAndRevoked() throws {
        let agency = try GatewayStage().makeAgency()
        let made = try agency.post(
            Self.path, ["name": "deploy", "scopes": ["clients:write", "keys:read"]], key: "1")
        #expect(made.status == 201, "\(made.text)")
        #expect(made.header("Cache-Control") == "no-store")
        let id = try #require(made.json["id"]?.text)
        let secret = try #require(made.json["secret"]?.text)
        #expect(made.header("Location") == "\(Self.path)/\(id)")
        let holder = TestAgency(tenant: agency.tenant, token: secret, stage: agency.stage)
        #expect(try holder.post("/v1/clients", ["name": "x"]).status == 201)
        #expect(try holder.get("/v1/audit-events").code == "scopeMissing")

        let read = try agency.get("\(Self.path)/\(id)")
        #expect(read.header("ETag") == made.header("ETag"))
        #expect(read.json["scopes"] == ["clients:write", "keys:read"])
        #expect(read.json["clientIds"] == .null && read.json["appIds"] == .null)
        #expect(read.json["secret"] == nil)
        #expect(!read.text.contains(secret))

        let changed = try agency.patch(
            "\(Self.path)/\(id)", ["name": "ci", "expiresAt": "2099-01-01T00:00:00Z"])
        #expect(changed.status == 200, "\(changed.text)")
        #expect(changed.json["expiresAt"] == "2099-01-01T00:00:00.000Z")
        let cleared = try agency.patch("\(Self.path)/\(id)", ["expiresAt": .null])
        #expect(cleared.json["expiresAt"] == .null && cleared.json["name"] == "ci")

        #expect(try agency.delete("\(Self.path)/\(id)").status == 204)
        #expect(try holder.get("/v1/clients").status == 401)
        #expect(try agency.delete("\(Self.path)/\(id)").status == 204)
        let revoked = try agency.get("\(Self.path)/\(id)")
        #expect(revoked.json["revokedAt"]?.text != nil)
        let late = try agency.patch("\(Self.path)/\(id)", ["name": "again"])
        #expect(late.errors == [" notAllowed"])
        #expect(try agency.all(Self.path).count == 2)
        let log = agency.stage.log.text
        #expect(!log.contains(secret))
        let audit = try agency.all("/v1/audit-events").map(\.bytes)
        #expect(!audit.contains { String(decoding: $0, as: UTF8.self).contains(secret) })
        let actions = try agency.all("/v1/audit-events").compactMap { $0["action"]?.text }
        #expect(
            Set(actions) == ["client.create", "apiKey.create", "apiKey.update", "apiKey.revoke"])
        #expect(actions.count == 5)
    }

    @Test func theSecretIsToldOnce() throws {
        let agency = try GatewayStage().makeAgency()
        let body: JSONTree = ["name": "deploy", "scopes": ["jobs:read"]]
        #expect(try agency.post(Self.path, body).code == "idempotencyKeyRequired")
        let first = try agency.post(Self.path, body, key: "1")
        let again = try agency.post(Self.path, body, key: "1")
        #expect(again.header("Idempotency-Replayed") == "true")
        #expect(again.json["id"] == first.json["id"])
        #expect(again.json["secret"] == .null)
        #expect(again.header("ETag") == first.header("ETag"))
    }

    @Test func aKeyGivesNoScopeThatItLacks() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let poor = try stage.makeKey(of: agency, scopes: [.write(.keys), .write(.content)])
        let answer = try poor.post(
            Self.path,
            ["name": "wider", "scopes": ["content:read", "rules:write", "apps:read"]], key: "1")
        #expect(answer.errors == ["/scopes/1 notAllowed", "/scopes/2 notAllowed"])
        let reader = try stage.makeKey(of: agency, scopes: [.write(.keys), .read(.content)])
        let write = try reader.post(
            Self.path, ["name": "wider", "scopes": ["content:write"]], key: "1")
        #expect(write.errors == ["/scopes/0 notAllowed"])
        #expect(
            try poor.post(
                Self.path, ["name": "x", "scopes": ["content:read", "keys:write"]], key: "2"
            ).status == 201)
    }

    @Test func aLimitedKeyManagesNone() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let app = try agency.makeTestApp()
        for key in [
            try stage.makeKey(of: agency, clients: [app.client]),
            try stage.makeKey(of: agency, apps: [app.id]), try stage.makeKey(of: agency, apps: []),
        ] {
            #expect(try key.get(Self.path).code == "scopeMissing")
            let answer = try key.post(Self.path, ["name": "x", "scopes": ["jobs:read"]], key: "1")
            #expect(answer.status == 403)
        }
    }

    @Test func aKeyIsLimitedToWhatIsThere() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let other = try stage.makeAgency()
        let (app, second) = (try agency.makeTestApp(), try agency.makeTestApp())
        let foreign = try other.makeTestApp()
        let made = try agency.post(
            Self.path,
            [
                "name": "one app", "scopes": ["rules:read"],
                "appIds": [.string(app.id.description)],
            ], key: "1")
        #expect(made.status == 201, "\(made.text)")
        #expect(made.json["appIds"] == [.string(app.id.description)])
        #expect(made.json["clientIds"] == [])
        let secret = try #require(made.json["secret"]?.text)
        let holder = TestAgency(tenant: agency.tenant, token: secret, stage: stage)
        #expect(try holder.get("\(app.path)/rule-sets").status == 200)
        #expect(try holder.get("\(second.path)/rule-sets").status == 404)

        let bad = try agency.post(
            Self.path,
            [
                "name": "x", "scopes": ["rules:read"],
                "clientIds": [
                    .string(app.client.description), .string(foreign.client.description),
                ],
                "appIds": [.string(foreign.id.description), "app_x"],
            ], key: "2")
        #expect(
            Set(bad.errors) == [
                "/appIds/1 badFormat", "/clientIds/1 unknownReference",
                "/appIds/0 unknownReference",
            ])
    }

    @Test func whatIsWrongIsNamedAtOnce() throws {
        let agency = try GatewayStage().makeAgency()
        let answer = try agency.post(
            Self.path,
            [
                "name": "", "scopes": ["apps:read", "apps:fly", "apps:read", 7],
                "expiresAt": "2020-01-01T00:00:00Z", "appIds": [], "secret": "mine",
            ], key: "1")
        #expect(answer.status == 422)
        #expect(
            Set(answer.errors) == [
                "/name tooShort", "/scopes/1 unknownValue", "/scopes/2 duplicate",
                "/scopes/3 wrongType", "/expiresAt outOfRange", "/appIds tooShort",
                "/secret unknown",
            ])
        let empty = try agency.post(Self.path, [:], key: "2")
        #expect(Set(empty.errors) == ["/name required", "/scopes required"])
        let none = try agency.post(Self.path, ["name": "x", "scopes": []], key: "3")
        #expect(none.errors == ["/scopes tooShort"])
        let patch = try agency.patch(try Self.own(agency), ["scopes": ["jobs:read"]])
        #expect(patch.errors == ["/scopes unknown"])
        let past = try agency.patch(try Self.own(agency), ["expiresAt": "2020-01-01T00:00:00Z"])
        #expect(past.errors == ["/expiresAt outOfRange"])
        let nameless = try agency.patch(try Self.own(agency), ["name": .null])
        #expect(nameless.errors == ["/name required"])
    }

    @Test func anEditNeedsWhatWasRead() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let path = try Self.own(agency)
        #expect(try agency.send("PATCH", path, ["name": "x"]).status == 428)
        let stale = try agency.send(
            "PATCH", path, ["name": "x"], headers: [("If-Match", "\"0\"")])
        #expect(stale.status == 412)
        #expect(try agency.send("DELETE", path).status == 428)
        let tag = try #require(try agency.get(path).header("ETag"))
        let unchanged = try agency.get(path, headers: [("If-None-Match", tag)])
        #expect(unchanged.status == 304)
        let stranger = try stage.makeAgency()
        #expect(try stranger.get(path).code == "notFound")
        #expect(try stranger.delete(path).code == "notFound")
        #expect(try agency.get("\(Self.path)/key_x").code == "notFound")
    }

    /// The tag stays when the key is used: nobody's edit is stale for it.
    @Test func useDoesNotChangeTheTag() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let path = try Self.own(agency)
        let before = try agency.get(path)
        try stage.database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                update holdfast.api_key set last_used_at = '2026-11-30'
                where tenant_id = \(agency.tenant.uuid)
                """)
        }
        let after = try agency.get(path)
        #expect(after.json["lastUsedAt"] == "2026-11-30T00:00:00.000Z")
        #expect(after.header("ETag") == before.header("ETag"))
        #expect(try agency.patch(path, ["name": "renamed"]).status == 200)
    }

    @Test func theQuotaIsKept() throws {
        let agency = try GatewayStage().makeAgency()
        try agency.stage.database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                update holdfast.tenant set api_key_limit = 2
                where tenant_id = \(agency.tenant.uuid)
                """)
        }
        let body: JSONTree = ["name": "x", "scopes": ["jobs:read"]]
        let second = try agency.post(Self.path, body, key: "1")
        #expect(second.status == 201)
        let third = try agency.post(Self.path, body, key: "2")
        #expect(third.status == 422 && third.code == "quotaExceeded")
        let id = try #require(second.json["id"]?.text)
        #expect(try agency.delete("\(Self.path)/\(id)").status == 204)
        #expect(try agency.post(Self.path, body, key: "3").status == 201)
    }

    /// The key that asks.
    private static func own(_ agency: TestAgency) throws -> String {
        let id = try #require(try agency.all(path).first?["id"]?.text)
        return "\(path)/\(id)"
    }
}
