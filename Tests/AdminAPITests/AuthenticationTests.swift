import AdminAPI
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

@Suite(.database) struct AuthenticationTests {
    private static let target = "/v1/clients"

    @Test func onlyAWholeLiveKeyOpens() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let good = agency.token
        let flipped = good.replacing("hf_", with: "hg_")
        let headers: [String?] = [
            nil, "", "Bearer", "Bearer ", "Bearer \(good.dropLast())", "Bearer \(good)0",
            "Bearer \(good) ", "Basic \(good)", good, "Bearer \(flipped)",
            "Bearer \(good.lowercased())", "Bearer \(good),\(good)", "Bearer Bearer \(good)",
            "Bearer \(APIKeyToken.make(.make(at: stage.now)).text)", "Bearer é",
            "Bearer " + String(repeating: "x", count: 8_000),
        ]
        for header in headers {
            let answer = try stage.send(
                "GET", Self.target, headers: header.map { [("Authorization", $0)] } ?? [])
            #expect(answer.status == 401, "\(header ?? "none") \(answer.text)")
            #expect(answer.code == "unauthenticated")
            #expect(answer.header("WWW-Authenticate") == "Bearer")
            #expect(!answer.text.contains(good))
        }
        for scheme in ["Bearer", "bearer", "BEARER"] {
            let answer = try stage.send(
                "GET", Self.target, headers: [("Authorization", "\(scheme) \(good)")])
            #expect(answer.status == 200)
        }
    }

    @Test func aRevokedKeyIsRefusedByItsNextRequest() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let other = try stage.makeKey(of: agency)
        #expect(try other.get(Self.target).status == 200)
        let id = try #require(APIKeyToken(Array(other.token.utf8))?.id)
        try stage.store.transaction(.operatorCommand(tenant: agency.tenant), at: stage.now) {
            let isRevoked = try $0.revokeAPIKey(id)
            #expect(isRevoked)
        }
        #expect(try other.get(Self.target).status == 401)
        #expect(try agency.get(Self.target).status == 200)
    }

    /// Also where the request would be refused for something else before the database is asked.
    @Test func aRevokedKeyIsRefusedWithinFiveSecondsWhateverItAsks() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let other = try stage.makeKey(of: agency, scopes: [.read(.clients)])
        #expect(try other.get(Self.target).status == 200)
        let id = try #require(APIKeyToken(Array(other.token.utf8))?.id)
        try stage.store.transaction(.operatorCommand(tenant: agency.tenant), at: stage.now) {
            _ = try $0.revokeAPIKey(id)
        }
        let requests: [() throws -> TestAnswer] = [
            { try other.get("\(Self.target)?no=1") }, { try other.get("/v1/apps") },
            { try other.post(Self.target, ["name": "x"]) },
        ]
        for request in requests {
            #expect(try becomesTrue(within: .seconds(6)) { try request().status == 401 })
        }
    }

    @Test func anExpiredKeyIsRefused() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let soon = Instant(milliseconds: stage.now.milliseconds + 1_000)
        let brief = try stage.makeKey(of: agency, expiresAt: soon)
        #expect(try brief.get(Self.target).status == 200)
        stage.clock.advance(milliseconds: 1_000)
        #expect(try brief.get(Self.target).status == 401)
    }

    @Test func aKeyDoesWhatItsScopesSayAndNothingElse() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let reader = try stage.makeKey(of: agency, scopes: [.read(.clients)])
        let writer = try stage.makeKey(of: agency, scopes: [.write(.clients)])
        let other = try stage.makeKey(of: agency, scopes: [.write(.apps)])
        #expect(try reader.get(Self.target).status == 200)
        #expect(try writer.get(Self.target).status == 200)
        #expect(try writer.post(Self.target, ["name": "A"]).status == 201)
        let refused = try reader.post(Self.target, ["name": "B"])
        #expect(refused.status == 403)
        #expect(refused.code == "scopeMissing")
        #expect(refused.text.contains("clients:write"))
        #expect(try other.get(Self.target).status == 403)
        // Refused before anything is looked up: the same for what exists and what does not.
        let made = try agency.post(Self.target, ["name": "C"])
        let id = try #require(made.json["id"]?.text)
        let unknown = ClientID.make(at: stage.now)
        let first = try other.get("\(Self.target)/\(id)")
        let second = try other.get("\(Self.target)/\(unknown)")
        #expect(first.status == 403 && second.status == 403)
        #expect(first.json["detail"] == second.json["detail"])
    }

    @Test func theLastUseIsNoted() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        _ = try agency.get(Self.target)
        try stage.flushKeyUse()
        let id = try #require(APIKeyToken(Array(agency.token.utf8))?.id)
        let key = try stage.store.transaction(
            .operatorCommand(tenant: agency.tenant), at: stage.now
        ) { try $0.findAPIKey(id) }
        #expect(key?.lastUsedAt == stage.now)
    }

    @Test func neitherTokenNorBodyIsLogged() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        _ = try agency.post(Self.target, ["name": "canary-in-a-body"])
        _ = try agency.post(Self.target, ["nmae": "canary-in-a-body"])
        _ = try stage.send("GET", "/v1/clients?cursor=canary", token: agency.token + "x")
        let secret = agency.token.split(separator: "_")[2]
        #expect(stage.log.text.contains("createClient"))
        #expect(!stage.log.text.contains(secret))
        #expect(!stage.log.text.contains("canary"))
    }
}
