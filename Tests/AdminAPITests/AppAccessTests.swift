import AdminAPI
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// Whose an app is, and how many there may be.
@Suite(.database) struct AppAccessTests {
    /// PG-03.
    @Test func `another tenant's app is as absent as none`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let path = try agency.makeApp()
        let rival = try stage.makeAgency()
        let client = try rival.makeClient()
        let random = "/v1/apps/\(AppID.make(at: stage.now))"
        for (method, body) in [
            ("GET", nil), ("PATCH", ["name": "x"] as JSONTree), ("DELETE", nil),
        ] {
            let answers = try [path, random, "/v1/apps/app_x"].map {
                try rival.send(method, $0, body, headers: [("If-Match", "*")])
            }
            for answer in answers {
                #expect(answer.status == 404)
                #expect(
                    answer.json.with("requestId", .null) == answers[0].json.with("requestId", .null)
                )
            }
        }
        let theirs = try #require(try agency.get(path).json["clientId"])
        let own = try rival.makeApp(of: client)
        for unknown in [theirs, .string("\(ClientID.make(at: stage.now))")] {
            let body = TestAgency.appBody(client: "", number: 9).with("clientId", unknown)
            let refused = try rival.post("/v1/apps", body)
            #expect(refused.errors == ["/clientId unknownReference"])
            #expect(
                try rival.patch(own, ["clientId": unknown]).errors == [
                    "/clientId unknownReference"
                ])
        }
        #expect(try rival.all("/v1/apps?clientId=\(theirs.text ?? "")") == [])
    }

    /// A key may name a client and, besides, an app of another client.
    @Test func `a key for a client and another's app does not take the app to its client`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let (mine, other) = (try agency.makeClient("A"), try agency.makeClient("B"))
        let app = try agency.makeApp(of: other, number: 1)
        let second = try agency.makeClient("C")
        let id = try #require(AppID(app.lastSegment))
        let both = try stage.makeKey(
            of: agency, clients: [try #require(ClientID(mine)), try #require(ClientID(second))],
            apps: [id])
        let taken = try both.patch(app, ["clientId": .string(mine)])
        #expect(taken.status == 404, "\(taken.text)")
        #expect(try agency.get(app).json["clientId"]?.text == other)
        #expect(try both.patch(app, ["name": "still edited"]).status == 200)
        // Between clients that are both its own it may.
        let own = try agency.makeApp(of: mine, number: 2)
        #expect(try both.patch(own, ["clientId": .string(second)]).status == 200)
    }

    @Test func `a key for one client sees and makes apps of that client alone`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let (mine, other) = (try agency.makeClient("A"), try agency.makeClient("B"))
        let visible = try agency.makeApp(of: mine, number: 1)
        let hidden = try agency.makeApp(of: other, number: 2)
        let limited = try stage.makeKey(of: agency, clients: [try #require(ClientID(mine))])
        #expect(try limited.all("/v1/apps").map { $0["id"]?.text } == [visible.lastSegment])
        #expect(try limited.get(hidden).status == 404)
        #expect(try limited.patch(hidden, ["name": "x"]).status == 404)
        #expect(try limited.delete(hidden).status == 404)
        let made = try limited.post("/v1/apps", TestAgency.appBody(client: mine, number: 3))
        #expect(made.status == 201, "\(made.text)")
        let refused = try limited.post("/v1/apps", TestAgency.appBody(client: other, number: 4))
        #expect(refused.errors == ["/clientId unknownReference"])
        let moved = try limited.patch(visible, ["clientId": .string(other)])
        #expect(moved.errors == ["/clientId unknownReference"])
        // A number that a hidden app has is taken: the tenant has it once.
        let taken = try limited.post("/v1/apps", TestAgency.appBody(client: mine, number: 2))
        #expect(taken.status == 409)
        #expect(try limited.delete(visible).status == 204)
    }

    @Test func `a key for one app edits it, and neither moves it nor makes others`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let (client, other) = (try agency.makeClient("A"), try agency.makeClient("B"))
        let path = try agency.makeApp(of: client)
        let limited = try stage.makeKey(of: agency, apps: [try #require(AppID(path.lastSegment))])
        let changed = try limited.patch(path, ["name": "x", "clientId": .string(client)])
        #expect(changed.status == 200, "\(changed.text)")
        #expect(
            try limited.patch(path, ["clientId": .string(other)]).errors == [
                "/clientId unknownReference"
            ])
        #expect(
            try limited.post("/v1/apps", TestAgency.appBody(client: client, number: 2)).errors
                == ["/clientId unknownReference"])
        let moved = try agency.patch(path, ["clientId": .string(other)])
        #expect(moved.json["clientId"]?.text == other)
    }

    @Test func `the quota of apps holds`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        try stage.database.superuser.withConnection {
            _ = try $0.query(
                "update holdfast.tenant set app_limit = 2 where tenant_id = \(agency.tenant.uuid)")
        }
        let client = try agency.makeClient()
        let (first, _) = (
            try agency.makeApp(of: client, number: 1), try agency.makeApp(of: client, number: 2)
        )
        let body = TestAgency.appBody(client: client, number: 3)
        let over = try agency.post("/v1/apps", body)
        #expect(over.status == 422)
        #expect(over.code == "quotaExceeded")
        #expect(try agency.delete(first).status == 204)
        #expect(try agency.post("/v1/apps", body).status == 201)
    }

    @Test func `a tenant reads what it has and may have`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency(requestsPerMinute: 1_234)
        let client = try agency.makeClient()
        _ = try agency.makeApp(of: client, number: 1)
        _ = try agency.makeApp(of: client, number: 2)
        try stage.store.transaction(.operatorCommand(tenant: agency.tenant), at: stage.now) {
            for (isRevoked, expiry) in [(true, nil), (false, stage.now)] {
                let key = NewAPIKey(
                    id: .make(at: stage.now), name: "dead", scopes: AccessScope.all, clients: nil,
                    apps: nil, expiresAt: expiry)
                _ = try $0.createAPIKey(key)
                if isRevoked { try $0.revokeAPIKey(key.id) }
            }
        }
        let read = try agency.get("/v1/tenant")
        #expect(read.status == 200, "\(read.text)")
        #expect(read.json["id"] == .string("\(agency.tenant)"))
        #expect(read.json["name"] == .string("Agency \(agency.tenant)"))
        #expect(read.json["usage"] == ["clients": 1, "apps": 2, "apiKeys": 1])
        #expect(
            read.json["quotas"]
                == ["clients": 500, "apps": 1_000, "apiKeys": 500, "requestsPerMinute": 1_234])
        let tag = try #require(read.header("ETag"))
        #expect(try agency.get("/v1/tenant", headers: [("If-None-Match", tag)]).status == 304)
        let blind = try stage.makeKey(of: agency, scopes: [.write(.apps)])
        #expect(try blind.get("/v1/tenant").code == "scopeMissing")
    }
}
