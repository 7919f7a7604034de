import AdminAPI
import Foundation
import Postgres
import Retention
import RetentionStore
import Service
import Signing
import TestSupport
import Testing

@Suite(.database) struct CredentialCheckTests {
    private static func body(_ id: String, activate: String? = nil) throws -> JSONTree {
        let pem = String(decoding: try PrivateKey.generate().pem(), as: UTF8.self)
        let body: JSONTree = [
            "keyId": .string(id), "issuerId": "57246542-96fe-1a63-e053-0824d011072a",
            "privateKey": .string(pem),
        ]
        return activate.map { body.with("activate", .string($0)) } ?? body
    }

    private static func note(
        _ verdict: String, _ status: Int32, _ code: Int32?, of credential: CredentialID,
        _ stage: GatewayStage
    ) throws {
        try stage.database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                insert into holdfast.credential_check (tenant_id, app_id, credential_id,
                  environment, verdict, status, apple_code, checked_at)
                select tenant_id, app_id, credential_id, e, \(verdict), \(status), \(code),
                  \(Timestamp(milliseconds: stage.now.milliseconds))
                from holdfast.credential, unnest(array['Production', 'Sandbox']) as e
                where credential_id = \(credential.uuid)
                on conflict (tenant_id, app_id, credential_id, environment) do update
                  set verdict = excluded.verdict, status = excluded.status,
                    apple_code = excluded.apple_code
                """)
        }
    }

    @Test func `what Apple says of a key is told in words`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let all = try agency.makeApp() + "/credentials"
        let path = try #require(
            try agency.post(all, try Self.body("A"), key: "1").header("Location"))
        #expect(try agency.get(path).json["checks"] == [])
        #expect(try agency.get(path).json["state"] == "live")
        let id = try #require(CredentialID(path.lastSegment))
        var details: Set<String> = []
        for (verdict, status) in [("works", 200), ("keyRefused", 401), ("noAccess", 404)] {
            try Self.note(verdict, Int32(status), nil, of: id, stage)
            let checks = try agency.get(path).json["checks"]?.elements ?? []
            #expect(checks.map { $0["environment"] } == ["Production", "Sandbox"])
            #expect(checks.allSatisfy { $0["verdict"] == .string(verdict) })
            #expect(checks.allSatisfy { $0["status"] == .integer(Int64(status)) })
            details.insert(checks.first?["detail"]?.text ?? "")
        }
        #expect(details.count == 3)
        #expect(try agency.all(all).first?["checks"]?.elements.count == 2)
    }

    @Test func `a check is asked for, and noted`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let all = try agency.makeApp() + "/credentials"
        let path = try #require(
            try agency.post(all, try Self.body("A"), key: "1").header("Location"))
        stage.clock.advance(milliseconds: 5)
        let asked = try agency.post("\(path)/checks", nil, key: "2")
        #expect(asked.status == 202, "\(asked.text)")
        #expect(asked.header("Location") == path)
        #expect(asked.json["checkWantedAt"] == .string(JSONTree.time(stage.now.milliseconds)))
        #expect(try agency.audit().contains("credential.check \(path.lastSegment)"))
        #expect(try agency.post("\(path)/checks", [:]).code == "idempotencyKeyRequired")
        #expect(try agency.post("\(path)/checks", ["x": 1], key: "3").errors == ["/x unknown"])
        #expect(try agency.send("DELETE", path).status == 204)
        #expect(try agency.post("\(path)/checks", nil, key: "4").code == "conflict")
        let nowhere = "\(all)/\(CredentialID.make(at: stage.now))/checks"
        #expect(try agency.post(nowhere, nil, key: "5").status == 404)
        let rival = try stage.makeAgency()
        #expect(try rival.post("\(path)/checks", nil, key: "6").status == 404)
    }

    @Test func `a key that waits for its check leaves the live one alone`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let all = try agency.makeApp() + "/credentials"
        let live = try #require(
            try agency.post(all, try Self.body("A"), key: "1").header("Location"))
        let before = try agency.get(live).json
        stage.clock.advance(milliseconds: 1)
        let made = try agency.post(all, try Self.body("B", activate: "afterCheck"), key: "2")
        let path = try #require(made.header("Location"), "\(made.text)")
        #expect(made.json["state"] == "standby" && made.json["activatedAt"] == .null)
        #expect(made.json["mayBeRevokedAtApple"] == .null)
        #expect(try agency.get(live).json == before)
        stage.clock.advance(milliseconds: 1)
        let third = try agency.post(all, try Self.body("C", activate: "immediately"), key: "3")
        #expect(third.json["state"] == "live")
        for former in [live, path] {
            let retired = try agency.get(former).json
            #expect(retired["state"] == "retired")
            #expect(retired["retiredAt"] == third.json["createdAt"])
            // No responder is live: who serves what is not known.
            #expect(retired["mayBeRevokedAtApple"] == false)
        }
        let retirements = try agency.audit().filter { $0.hasPrefix("credential.retire") }
        #expect(
            Set(retirements) == [
                "credential.retire \(live.lastSegment)", "credential.retire \(path.lastSegment)",
            ])
        #expect(
            try agency.post(all, try Self.body("D", activate: "later"), key: "4").errors
                == ["/activate unknownValue"])
    }

    @Test func `a former key may be revoked once every responder serves another`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let app = try agency.makeApp()
        let all = "\(app)/credentials"
        let former = try #require(
            try agency.post(all, try Self.body("A"), key: "1").header("Location"))
        stage.clock.advance(milliseconds: 1)
        #expect(try agency.post(all, try Self.body("B"), key: "2").status == 201)
        let id = try #require(AppID(app.lastSegment))
        func acknowledge(_ name: String, _ production: Int64, _ sandbox: Int64) throws {
            let responders = RetentionStore(pool: stage.database.responder)
            let heads = [(StoreEnvironment.production, production), (.sandbox, sandbox)].map {
                SnapshotHead(
                    tenant: agency.tenant, key: AppEnvironment(app: id, environment: $0.0),
                    number: $0.1)
            }
            let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
            try responders.acknowledge(.routing, heads, by: name, at: now)
        }
        // 1: without a key; 2: with the former; 3: with the new one.
        try acknowledge("one", 3, 3)
        #expect(try agency.get(former).json["mayBeRevokedAtApple"] == true)
        try acknowledge("two", 3, 2)
        #expect(try agency.get(former).json["mayBeRevokedAtApple"] == false)
        try acknowledge("two", 3, 3)
        #expect(try agency.get(former).json["mayBeRevokedAtApple"] == true)
        #expect(
            try agency.all(all).map { $0["mayBeRevokedAtApple"] } == [true, JSONTree.null])
    }
}
