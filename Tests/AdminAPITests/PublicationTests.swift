import AdminAPI
import Postgres
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

@Suite(.database) struct PublicationTests {
    @Test func aVersionIsPublishedAndRolledBack() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let agency = app.agency
        try app.place([app.text])
        for treatment in [app.says(app.text), ["kind": "fallback"]] {
            let frozen = try agency.post(
                "\(app.path)/rule-sets", ["ruleSet": TestApp.rules(treatment)])
            #expect(frozen.status == 201, "\(frozen.text)")
        }
        var numbers: [Int64] = []
        for version in [1, 2, 1] {
            agency.stage.clock.advance(milliseconds: 1)
            let answer = try publish(version, of: app, "environment=Sandbox")
            #expect(answer.status == 201, "\(answer.text)")
            #expect(answer.json["version"] == .integer(Int64(version)))
            #expect(answer.json["environment"] == "Sandbox")
            #expect(answer.json["publishedBy"]?["kind"] == "apiKey")
            let number = try #require(answer.json["snapshotNumber"]?.number)
            let location = try #require(answer.header("Location"))
            #expect(location == "\(app.path)/publications/\(answer.json["id"]?.text ?? "")")
            let read = try agency.get(location)
            #expect(read.header("ETag") == answer.header("ETag"))
            #expect(read.json["snapshotNumber"]?.number == number)
            let snapshot = try agency.get(
                "\(app.path)/snapshots/\(number)?environment=Sandbox")
            #expect(snapshot.json["isCurrent"] == true, "\(snapshot.text)")
            numbers.append(number)
        }
        #expect(numbers == numbers.sorted() && Set(numbers).count == 3)
        let history = try agency.all("\(app.path)/publications?environment=Sandbox", limit: 2)
        #expect(history.map { $0["version"] } == [1, 2, 1])
        #expect(history.map { $0["replacedVersion"] } == [2, 1, .null])
        #expect(history.map { $0["isRollback"] } == [true, false, false])
        #expect(history.map { $0["snapshotNumber"]?.number } == numbers.reversed())
        #expect(try agency.all("\(app.path)/publications").isEmpty)
        let events = try agency.all("/v1/audit-events?action=publication.create")
        #expect(events.count == 3)
        #expect(events.first?["changes"]?["version"] == ["from": 2, "to": 1])
    }

    /// The same rules again make the same snapshot: the history still says who asked for it.
    @Test func whatIsInForceCanBePublishedAgain() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        _ = try app.agency.post("\(app.path)/rule-sets", ["ruleSet": TestApp.rules()])
        let first = try publish(1, of: app)
        let second = try publish(1, of: app)
        #expect(first.json["snapshotNumber"] == second.json["snapshotNumber"])
        #expect(try app.agency.all("\(app.path)/publications").count == 2)
    }

    @Test func aPublicationIsAskedForOnPurposeAndOnce() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let agency = app.agency
        _ = try agency.post("\(app.path)/rule-sets", ["ruleSet": TestApp.rules()])
        let path = "\(app.path)/rule-sets/1/publications"
        #expect(try agency.post(path, [:]).code == "idempotencyKeyRequired")
        let first = try agency.post(path, [:], key: "once")
        let again = try agency.post(path, [:], key: "once")
        #expect(first.status == 201 && again.body == first.body)
        #expect(again.header("Location") == first.header("Location"))
        #expect(try agency.all("\(app.path)/publications").count == 1)
        #expect(try agency.post(path, ["version": 2], key: "2").errors == ["/version unknown"])
        let unknown = try agency.post("\(path)?environment=production", [:], key: "3")
        #expect(unknown.code == "invalidParameter")
        #expect(try publish(2, of: app).code == "notFound")
    }

    /// What a version named may be gone since it was frozen.
    @Test func publishingLooksAgain() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        _ = try app.agency.post(
            "\(app.path)/rule-sets",
            ["ruleSet": TestApp.rules(app.says(app.text), app.switches(to: app.yearly))])
        try app.agency.stage.database.superuser.withConnection { connection in
            _ = try connection.query(
                "delete from holdfast.message where message_id = \(app.text.uuid)")
        }
        let answer = try publish(1, of: app)
        #expect(answer.errors == ["/rules/0/treatment/messageId unknownReference"])
        #expect(try app.agency.all("\(app.path)/publications").isEmpty)
    }

    @Test func rulesAreCopiedByTheNamesOfMessages() throws {
        let agency = try GatewayStage().makeAgency()
        let (app, target) = (try agency.makeTestApp(), try agency.makeTestApp())
        _ = try agency.post(
            "\(app.path)/rule-sets",
            [
                "ruleSet": TestApp.rules(
                    app.says(app.text), app.offers(app.offer, on: app.monthly),
                    ["kind": "fallback"])
            ])
        let path = "\(app.path)/rule-sets/1/copies"
        let body: JSONTree = ["appId": .string(target.id.description)]
        let made = try agency.post(path, body)
        #expect(made.status == 201, "\(made.text)")
        #expect(made.header("Location") == "\(target.path)/rule-set-draft")
        let expected = TestApp.rules(
            target.says(target.text), target.offers(target.offer, on: target.monthly),
            ["kind": "fallback"])
        #expect(made.json == expected)
        let draft = try agency.get("\(target.path)/rule-set-draft")
        #expect(draft.json == expected && draft.header("ETag") == made.header("ETag"))
        let again = try agency.post(path, body)
        #expect(again.status == 409 && again.code == "conflict")
        #expect(try agency.post("\(target.path)/rule-sets", [:]).status == 201)

        try target.change {
            try $0.createMessage(.make(at: agency.stage.now), name: "x", kind: .text, of: app.id)
        }
        try agency.stage.database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                update holdfast.message set name = 'renamed'
                where message_id = \(target.text.uuid)
                """)
        }
        let nameless = try agency.post(path, body)
        #expect(nameless.errors == ["/rules/0/treatment/messageId unknownReference"])
    }

    @Test func nothingOfOthersIsSeenOrChanged() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let (app, second) = (try agency.makeTestApp(), try agency.makeTestApp())
        let foreign = try stage.makeAgency().makeTestApp()
        _ = try agency.post("\(app.path)/rule-sets", ["ruleSet": TestApp.rules()])
        _ = try agency.send("PUT", "\(app.path)/rule-set-draft", TestApp.rules())
        let limited = try stage.makeKey(of: agency, clients: [second.client])
        for stranger in [foreign.agency, limited] {
            for path in [
                "rule-set-draft", "rule-sets", "rule-sets/1", "publications", "snapshots",
                "snapshots/1", "decisions",
            ] {
                let answer = try stranger.get("\(app.path)/\(path)")
                #expect(answer.status == 404 && answer.code == "notFound", "\(path)")
            }
            let draft = "\(app.path)/rule-set-draft"
            #expect(try stranger.send("PUT", draft, TestApp.rules()).status == 404)
            #expect(try stranger.delete(draft).status == 404)
            #expect(try stranger.post("\(app.path)/rule-sets", [:]).status == 404)
            let publication = "\(app.path)/rule-sets/1/publications"
            #expect(try stranger.post(publication, [:], key: "1").status == 404)
        }
        for (key, target) in [(agency, foreign), (limited, app)] {
            let source = key.token == agency.token ? app : second
            _ = try key.post("\(source.path)/rule-sets", ["ruleSet": TestApp.rules()])
            let answer = try key.post(
                "\(source.path)/rule-sets/1/copies", ["appId": .string(target.id.description)])
            #expect(answer.errors == ["/appId unknownReference"])
        }
        #expect(try foreign.agency.get("\(foreign.path)/rule-set-draft").status == 404)
        let reader = try stage.makeKey(of: agency, scopes: [.read(.rules)])
        #expect(try reader.get("\(app.path)/rule-sets").status == 200)
        #expect(try reader.post("\(app.path)/rule-sets", [:]).code == "scopeMissing")
    }

    private func publish(
        _ version: Int, of app: TestApp, _ query: String = ""
    ) throws -> TestAnswer {
        try app.agency.post(
            "\(app.path)/rule-sets/\(version)/publications?\(query)", [:],
            key: PublicationID.make(at: app.agency.stage.now).description)
    }
}
