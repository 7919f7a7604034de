import AdminAPI
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

@Suite(.database) struct EndpointTests {
    @Test func `a URL is made, told once, listed and retired`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let app = try agency.makeApp()
        let made = try agency.post("\(app)/endpoints", [:], key: "1")
        #expect(made.status == 201, "\(made.text)")
        let token = try #require(made.json["token"]?.text)
        #expect(token.utf8.count == 43)
        #expect(made.json["path"] == .string("/realtime/\(token)"))
        #expect(made.json["environment"] == "Production")
        #expect(made.header("Cache-Control") == "no-store")
        let path = try #require(made.header("Location"))
        let read = try agency.get(path)
        #expect(made.json["notificationPath"] == .string("/notifications/\(token)"))
        #expect(
            read.json
                == made.json.without("token").without("path").without("notificationPath"))
        #expect(read.header("ETag") == made.header("ETag"))
        #expect(try agency.all("\(app)/endpoints") == [read.json])
        #expect(try agency.all("\(app)/endpoints?environment=Sandbox") == [])
        #expect(try Self.hashes(app, .production, agency) == 1)

        #expect(try agency.send("DELETE", path).status == 204)
        let retired = try agency.get(path).json
        #expect(retired["retiredAt"] != .null)
        stage.clock.advance(milliseconds: 5)
        #expect(try agency.send("DELETE", path).status == 204)
        #expect(try agency.get(path).json == retired)
        #expect(try Self.hashes(app, .production, agency) == 0)
        let id = path.lastSegment
        #expect(
            try agency.audit().filter { $0.hasPrefix("endpoint") }
                == ["endpoint.create \(id)", "endpoint.retire \(id)"])
        #expect(!stage.log.text.contains(token))
    }

    /// How many tokens the newest snapshot answers to.
    private static func hashes(
        _ app: String, _ environment: StoreEnvironment, _ agency: TestAgency
    ) throws -> Int {
        let store = RetentionStore(pool: agency.stage.database.responder)
        let id = try #require(AppID(app.lastSegment))
        let head = try #require(
            try store.snapshotHeads(.routing).first {
                $0.key == AppEnvironment(app: id, environment: environment)
            })
        return try store.snapshot(.routing, head).endpointTokenHashes.count
    }

    @Test func `a replay tells no token, and makes no second URL`() throws {
        let agency = try GatewayStage().makeAgency()
        let app = try agency.makeApp()
        let made = try agency.post("\(app)/endpoints", [:], key: "1")
        let again = try agency.post("\(app)/endpoints", [:], key: "1")
        #expect(again.status == 201)
        #expect(again.header("Idempotency-Replayed") == "true")
        #expect(again.json["token"] == .null)
        #expect(again.json["path"] == .null)
        #expect(again.json["id"] == made.json["id"])
        #expect(try agency.all("\(app)/endpoints").count == 1)
        #expect(try agency.post("\(app)/endpoints", [:]).code == "idempotencyKeyRequired")
        let other = try agency.post("\(app)/endpoints?environment=Sandbox", [:], key: "1")
        #expect(other.code == "idempotencyKeyReused")
    }

    @Test func `three are live in an environment, also when many come at once`() throws {
        let agency = try GatewayStage().makeAgency()
        let app = try agency.makeApp()
        let works = (0..<8).map { number in
            ParallelWork { try agency.post("\(app)/endpoints", [:], key: "\(number)") }
        }
        let answers = try works.map { try $0.value() }
        #expect(answers.filter { $0.status == 201 }.count == 3)
        #expect(answers.filter { $0.code == "quotaExceeded" }.count == 5)
        let sandbox = try agency.post("\(app)/endpoints?environment=Sandbox", [:], key: "s")
        #expect(sandbox.json["environment"] == "Sandbox")
        let rows = try agency.all("\(app)/endpoints", limit: 2)
        #expect(rows.count == 3)
        let first = try #require(rows.first?["id"]?.text)
        #expect(try agency.send("DELETE", "\(app)/endpoints/\(first)").status == 204)
        #expect(try agency.post("\(app)/endpoints", [:], key: "n").status == 201)
    }

    @Test func `what is wrong is named`() throws {
        let agency = try GatewayStage().makeAgency()
        let app = try agency.makeApp()
        #expect(try agency.post("\(app)/endpoints", ["x": 1], key: "1").errors == ["/x unknown"])
        let wrong = try agency.post("\(app)/endpoints?environment=production", [:], key: "2")
        #expect(wrong.errors == ["environment unknownValue"])
        #expect(
            try agency.get("\(app)/endpoints?enviroment=Sandbox").errors
                == ["enviroment unknown"])
    }

    /// PG-03.
    @Test func `another's URL is as absent as none`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let client = try agency.makeClient()
        let app = try agency.makeApp(of: client, number: 1)
        let other = try agency.makeApp(of: client, number: 2)
        let made = try agency.post("\(app)/endpoints", [:], key: "1")
        let path = try #require(made.header("Location"))
        let rival = try stage.makeAgency()
        let limited = try stage.makeKey(of: agency, apps: [try #require(AppID(other.lastSegment))])
        let elsewhere = "\(other)/endpoints/\(path.lastSegment)"
        for (key, target) in [(rival, path), (limited, path), (agency, elsewhere)] {
            #expect(try key.get(target).status == 404)
            #expect(try key.send("DELETE", target).status == 404)
        }
        #expect(try rival.post("\(app)/endpoints", [:], key: "1").status == 404)
        #expect(try limited.get("\(app)/endpoints").status == 404)
        #expect(try agency.get(path).json["retiredAt"] == .null)
    }
}
