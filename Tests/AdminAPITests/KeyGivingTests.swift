import AdminAPI
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

/// What may be given on: never more, and for no longer, than the giver has.
@Suite(.database) struct KeyGivingTests {
    private static let path = "/v1/api-keys"

    private func text(_ stage: GatewayStage, in milliseconds: Int64) -> JSONTree {
        .string(InstantText.rfc3339(milliseconds: stage.now.milliseconds + milliseconds))
    }

    @Test func aKeyThatEndsGivesNobodyMoreTimeThanItHas() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let end = Instant(milliseconds: stage.now.milliseconds + 60_000)
        let brief = try stage.makeKey(of: agency, expiresAt: end)
        for (member, number) in [(JSONTree.null, 1), (text(stage, in: 60_001), 2)] {
            let order: JSONTree = [
                "name": "child", "scopes": ["clients:read"], "expiresAt": member,
            ]
            let refused = try brief.post(Self.path, order, key: "\(number)")
            #expect(refused.errors == ["/expiresAt notAllowed"], "\(refused.text)")
        }
        let order: JSONTree = [
            "name": "child", "scopes": ["clients:read"], "expiresAt": text(stage, in: 60_000),
        ]
        let made = try brief.post(Self.path, order, key: "3")
        #expect(made.status == 201, "\(made.text)")
        let own = try #require(APIKeyToken(Array(brief.token.utf8))?.id)
        let cleared = try brief.patch("\(Self.path)/\(own)", ["expiresAt": .null])
        #expect(cleared.errors == ["/expiresAt notAllowed"])
    }

    @Test func anExpiredOrAStrongerKeyIsGivenNoMoreTime() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let soon = Instant(milliseconds: stage.now.milliseconds + 1_000)
        let brief = try stage.makeKey(of: agency, expiresAt: soon)
        let id = try #require(APIKeyToken(Array(brief.token.utf8))?.id)
        let weak = try stage.makeKey(of: agency, scopes: [.write(.keys)])
        let stronger = try weak.patch("\(Self.path)/\(id)", ["expiresAt": .null])
        #expect(stronger.errors == ["/expiresAt notAllowed"], "\(stronger.text)")
        stage.clock.advance(milliseconds: 1_000)
        let revived = try agency.patch(
            "\(Self.path)/\(id)", ["expiresAt": text(stage, in: 60_000)])
        #expect(revived.errors == ["/expiresAt notAllowed"])
        #expect(try brief.get("/v1/clients").status == 401)
        #expect(try agency.patch("\(Self.path)/\(id)", ["name": "renamed"]).status == 200)
    }

    /// The work is done by then, and must not stay.
    @Test func aJobDoesNotEndForAKeyThatWasRevokedMeanwhile() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let app = try agency.makeApp()
        let worker = try stage.makeKey(of: agency)
        let row: JSONTree = [
            "message": "imported", "kind": "text", "locale": "de-DE", "header": "h", "body": "b",
        ]
        let job = try worker.post("\(app)/localization-imports", ["rows": [row]])
        #expect(job.status == 202, "\(job.text)")
        let key = try #require(APIKeyToken(Array(worker.token.utf8))?.id)
        let scope = Scope.operatorCommand(tenant: agency.tenant)
        let (store, now) = (stage.store, stage.now)
        try stage.jobs(beforeEnd: {
            try store.transaction(scope, at: now) { _ = try $0.revokeAPIKey(key) }
        }).runWaiting()
        let ended = try agency.get(try #require(job.header("Location")))
        #expect(ended.json["state"] == "failed", "\(ended.text)")
        #expect(ended.json["error"]?["code"] == "scopeMissing")
        #expect(try agency.all("\(app)/messages").isEmpty)
    }

    /// It counts against the whole tenant, of which it sees a part.
    @Test func aKeyForOneClientMakesNoMoreThanTheTenantMayHave() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let (first, second) = (try agency.makeClient("A"), try agency.makeClient("B"))
        for number in 1...3 { _ = try agency.makeApp(of: first, number: Int64(number)) }
        try stage.setQuotas(of: agency, apps: 4)
        let limited = try stage.makeKey(of: agency, clients: [try #require(ClientID(second))])
        let statuses = try (4...6).map { number in
            try limited.post("/v1/apps", TestAgency.appBody(client: second, number: number)).status
        }
        #expect(statuses == [201, 422, 422])
    }

    @Test func ofManyAtOnceNoMoreAreMadeThanTheQuotaHas() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        try stage.setQuotas(of: agency, clients: 3)
        let racers = (0..<12).map { number in
            ParallelWork {
                try agency.post("/v1/clients", ["name": .string("\(number)")]).status
            }
        }
        let statuses = try racers.map { try $0.value() }
        #expect(statuses.filter { $0 == 201 }.count == 3)
        #expect(statuses.allSatisfy { [201, 422].contains($0) })
        #expect(try agency.all("/v1/clients").count == 3)
    }
}
