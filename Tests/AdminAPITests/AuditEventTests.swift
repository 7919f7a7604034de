import AdminAPI
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

@Suite(.database) struct AuditEventTests {
    private static let path = "/v1/audit-events"

    @Test func whatWasDoneIsToldNewestFirst() throws {
        let agency = try GatewayStage().makeAgency()
        let made = try agency.post("/v1/clients", ["name": "first"])
        let id = try #require(made.json["id"]?.text)
        agency.stage.clock.advance(milliseconds: 10)
        _ = try agency.patch("/v1/clients/\(id)", ["name": "second"])
        agency.stage.clock.advance(milliseconds: 10)
        _ = try agency.delete("/v1/clients/\(id)")
        let events = try agency.all(Self.path, limit: 1)
        #expect(
            events.map { $0["action"]?.text } == [
                "client.delete", "client.update", "client.create",
            ])
        let update = events[1]
        #expect(update["changes"] == ["name": ["from": "first", "to": "second"]])
        #expect(update["resource"] == ["type": "client", "id": .string(id)])
        #expect(update["appId"] == .null)
        #expect(update["actor"]?["kind"] == "apiKey")
        #expect(update["actor"]?["name"] == "tests")
        #expect(update["requestId"]?.text != nil)
        #expect(update["address"] == "127.0.0.1")
        #expect(events[0]["changes"]?["name"] == ["from": "second", "to": .null])
    }

    /// The clock stands still meanwhile.
    @Test func whatIsOfOneMillisecondIsInOrderToo() throws {
        let agency = try GatewayStage().makeAgency()
        let names = (0..<30).map { "client \($0)" }
        for name in names { _ = try agency.post("/v1/clients", ["name": .string(name)]) }
        let events = try agency.all(Self.path, limit: 7)
        #expect(events.compactMap { $0["changes"]?["name"]?["to"]?.text } == names.reversed())
    }

    @Test func filtersChoose() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let app = try agency.makeTestApp()
        let start = stage.now
        for name in ["a", "b", "c"] {
            _ = try agency.post("/v1/clients", ["name": .string(name)])
            stage.clock.advance(milliseconds: 1_000)
        }
        let draft = try agency.send(
            "PUT", "\(app.path)/rule-set-draft", TestApp.rules(app.says(app.text)))
        #expect(draft.status == 201, "\(draft.text)")
        func count(_ filter: String) throws -> Int { try agency.all(Self.path + filter).count }
        func time(_ milliseconds: Int64) -> String {
            JSONTree.time(start.milliseconds + milliseconds)
        }
        #expect(try count("") == 4)
        #expect(try count("?action=client.create") == 3)
        #expect(try count("?action=client") == 0)
        #expect(try count("?appId=\(app.id)") == 1)
        #expect(try count("?appId=\(AppID.make(at: stage.now))") == 0)
        #expect(try count("?from=\(time(1_000))") == 3)
        #expect(try count("?to=\(time(1_000))") == 1)
        #expect(try count("?from=\(time(1_000))&to=\(time(2_000))&action=client.create") == 1)
    }

    @Test func parametersAreJudged() throws {
        let agency = try GatewayStage().makeAgency()
        for (query, code) in [
            ("appId=app_x", "invalidParameter"), ("from=yesterday", "invalidParameter"),
            ("action=", "invalidParameter"), ("actor=x", "unknownParameter"),
            ("cursor=x", "invalidCursor"), ("limit=101", "invalidParameter"),
            ("action=%00", "invalidParameter"),
        ] {
            let answer = try agency.get("\(Self.path)?\(query)")
            #expect(answer.status == 400 && answer.code == code, "\(query)")
        }
    }

    @Test func nobodySeesAnothersEvents() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let other = try stage.makeAgency()
        let (app, second) = (try agency.makeTestApp(), try agency.makeTestApp())
        for one in [app, second] {
            _ = try agency.send(
                "PUT", "\(one.path)/rule-set-draft", TestApp.rules(one.says(one.text)))
        }
        let limited = try stage.makeKey(of: agency, apps: [app.id])
        #expect(try other.all(Self.path).isEmpty)
        let seen = try limited.all(Self.path)
        #expect(seen.map { $0["appId"]?.text } == [app.id.description])
        #expect(try limited.all("\(Self.path)?appId=\(second.id)").isEmpty)
        let blind = try stage.makeKey(of: agency, scopes: [.write(.apps)])
        #expect(try blind.get(Self.path).code == "scopeMissing")
    }
}
