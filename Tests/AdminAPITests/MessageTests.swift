import AdminAPI
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

@Suite(.database) struct MessageTests {
    private func app() throws -> ContentApp {
        try ContentApp(try GatewayStage().makeAgency())
    }

    @Test func `a message is made, read, listed, renamed and removed`() throws {
        let app = try app()
        let agency = app.agency
        let made = try agency.post("\(app.path)/messages", ["name": "stay", "kind": "switchPlan"])
        #expect(made.status == 201, "\(made.text)")
        let id = try #require(made.json["id"]?.text)
        let path = "\(app.path)/messages/\(id)"
        #expect(made.header("Location") == path)
        #expect(made.json["kind"] == "switchPlan")
        #expect(made.json["locales"] == [])
        #expect(try app.audit() == "message.create \(id)")
        let read = try agency.get(path)
        #expect(read.json == made.json)
        #expect(read.header("ETag") == made.header("ETag"))
        let held = try agency.get(path, headers: [("If-None-Match", read.header("ETag") ?? "")])
        #expect(held.status == 304)

        let changed = try agency.patch(path, ["name": "stay a while"])
        #expect(changed.status == 200, "\(changed.text)")
        #expect(changed.json["name"] == "stay a while")
        #expect(try app.auditChanges() == ["name": ["from": "stay", "to": "stay a while"]])
        #expect(try agency.all("\(app.path)/messages") == [changed.json])

        #expect(try agency.delete(path).status == 204)
        #expect(try app.audit() == "message.delete \(id)")
        #expect(try agency.get(path).status == 404)
        #expect(try agency.delete(path).status == 404)
    }

    @Test func `pages follow one another in the order of making`() throws {
        let app = try app()
        let made = try (0..<5).map {
            app.later()
            return try app.message("m\($0)")
        }
        let listed = try app.agency.all("\(app.path)/messages", limit: 2)
        #expect(
            listed.compactMap { $0["id"]?.text }.map { "\(app.path)/messages/\($0)" } == made)
    }

    @Test func `everything wrong with a body is told at once`() throws {
        let app = try app()
        let (agency, messages) = (app.agency, "\(app.path)/messages")
        let long = JSONTree.string(String(repeating: "x", count: 201))
        let empty = try agency.post(messages, [:])
        #expect(empty.errors == ["/name required", "/kind required"])
        let wrong = try agency.post(messages, ["name": long, "kind": "Text", "x": 1])
        #expect(wrong.status == 422)
        #expect(wrong.errors == ["/name tooLong", "/kind unknownValue", "/x unknown"])
        #expect(wrong.json["errors"]?.elements[0]["limit"] == 200)
        #expect(wrong.json["errors"]?.elements[0]["measured"] == 201)
        let types = try agency.post(messages, ["name": 1, "kind": []])
        #expect(types.errors == ["/name wrongType", "/kind wrongType"])
        #expect(
            try agency.post(messages, ["name": "", "kind": "text"]).errors == ["/name tooShort"])
        let message = try app.message()
        #expect(try agency.patch(message, ["name": .null]).errors == ["/name required"])
        #expect(try agency.patch(message, ["kind": "text"]).errors == ["/kind notAllowed"])
        #expect(try agency.patch(message, ["nmae": .null]).errors == ["/nmae unknown"])
        #expect(try agency.patch(message, [:]).json["name"] == "stay")
    }

    /// API-05.
    @Test func `a NUL or half a surrogate is refused with its place`() throws {
        let app = try app()
        let nul = try app.agency.post(
            "\(app.path)/messages", ["name": "a\u{0}b", "kind": "text"])
        #expect(nul.status == 422)
        #expect(nul.errors == ["/name notAllowed"])
        for body in [#"{"name":"\ud800","kind":"text"}"#, "{\"name\":\"\u{1}\""] {
            let answer = try app.agency.stage.send(
                "POST", "\(app.path)/messages", token: app.agency.token,
                headers: [("Content-Type", "application/json")], body: Array(body.utf8))
            #expect(answer.status == 400, "\(body)")
        }
    }

    @Test func `two messages of an app have two names, of two apps may have one`() throws {
        let app = try app()
        let message = try app.message("stay")
        let again = try app.agency.post(
            "\(app.path)/messages", ["name": "stay", "kind": "switchPlan"])
        #expect(again.status == 409)
        #expect(again.code == "conflict")
        #expect(again.errors == ["/name duplicate"])
        let other = try app.message("leave")
        #expect(try app.agency.patch(other, ["name": "stay"]).status == 409)
        #expect(try app.agency.patch(message, ["name": "stay"]).status == 200)
        #expect(try ContentApp(app.agency).message("stay").isEmpty == false)
    }

    @Test func `an edit needs the tag of what is there`() throws {
        let app = try app()
        let message = try app.message()
        let tag = try #require(try app.agency.get(message).header("ETag"))
        for (method, body) in [("PATCH", ["name": "x"] as JSONTree?), ("DELETE", nil)] {
            #expect(try app.agency.send(method, message, body).status == 428)
            let stale = try app.agency.send(
                method, message, body, headers: [("If-Match", "\"x\"")])
            #expect(stale.status == 412)
        }
        let first = try app.agency.send(
            "PATCH", message, ["name": "x"], headers: [("If-Match", tag)])
        #expect(first.status == 200)
        let second = try app.agency.send(
            "PATCH", message, ["name": "y"], headers: [("If-Match", tag)])
        #expect(second.status == 412)
    }

    @Test func `a repeated creation makes one message`() throws {
        let app = try app()
        let body: JSONTree = ["name": "stay", "kind": "text"]
        let first = try app.agency.post("\(app.path)/messages", body, key: "k")
        let second = try app.agency.post("\(app.path)/messages", body, key: "k")
        #expect(second.status == 201)
        #expect(second.body == first.body)
        #expect(second.header("Idempotency-Replayed") == "true")
        #expect(second.header("Location") == first.header("Location"))
        let other = try app.agency.post(
            "\(app.path)/messages", ["name": "go", "kind": "text"], key: "k")
        #expect(other.code == "idempotencyKeyReused")
        #expect(try app.agency.all("\(app.path)/messages").count == 1)
    }

    @Test func `what a default, the draft or published rules name stays`() throws {
        let app = try app()
        let messages = try (0..<4).map { try app.message("m\($0)") }
        let ids = try messages.map {
            try #require(MessageID(String($0.split(separator: "/").last ?? "")))
        }
        _ = try app.localization(messages[0])
        let key = AppEnvironment(app: app.id, environment: .sandbox)
        func rules(_ message: MessageID) -> RuleSet {
            RuleSet(rules: [
                Rule(
                    id: .make(at: app.agency.stage.now), name: "r", when: .always,
                    treatment: .message(message))
            ])
        }
        try app.change {
            try $0.setDefaultMessage(
                ids[0], product: ContentApp.product, locale: "en-US", at: key)
            let published = try $0.createRuleSet(rules(ids[1]), of: app.id)
            try $0.publishRuleSet(version: published, at: key)
            _ = try $0.createRuleSet(rules(ids[2]), of: app.id)
        }
        let named = try app.agency.delete(messages[0])
        #expect(named.status == 409)
        #expect(named.code == "inUse")
        let published = try app.agency.delete(messages[1])
        #expect(published.code == "inUse")
        #expect(published.text.contains("published in Sandbox"))
        #expect(try app.agency.delete(messages[2]).status == 204)
        try app.change { try $0.createRuleSetDraft(rules(ids[3]), of: app.id) }
        let drafted = try app.agency.delete(messages[3])
        #expect(drafted.code == "inUse")
        #expect(drafted.text.contains("of the draft names it"))
        // What another release wrote may name anything.
        try app.change { try $0.deleteRuleSetDraft(of: app.id) }
        let draft = #"{"schemaVersion":3,"rules":[{"treatment":{"messageId":"\#(ids[3])"}}]}"#
        try app.agency.stage.database.superuser.withConnection {
            try $0.execute(
                script: """
                    insert into holdfast.rule_set_draft (tenant_id, app_id, body, updated_at)
                    values ('\(app.agency.tenant.uuid)', '\(app.id.uuid)', '\(draft)', now())
                    """)
        }
        let unread = try app.agency.delete(messages[3])
        #expect(unread.code == "inUse")
        #expect(unread.text.contains("the draft are of another release"))
    }

    @Test func `no stranger learns of a message`() throws {
        let app = try app()
        let message = try app.message()
        try Strangers(to: app).expectNothing([
            ("GET", "\(app.path)/messages", nil),
            ("POST", "\(app.path)/messages", ["name": "x", "kind": "text"]),
            ("GET", message, nil), ("PATCH", message, ["name": "x"]), ("DELETE", message, nil),
            ("POST", "\(message)/copies", ["appId": .string(app.id.description)]),
        ])
        #expect(try app.agency.all("\(app.path)/messages").count == 1)
        for absent in [MessageID.make(at: app.agency.stage.now).description, "msg_x", "x", "%00"] {
            #expect(try app.agency.get("\(app.path)/messages/\(absent)").status == 404)
        }
    }

    @Test func `the scope decides, before anything is looked up`() throws {
        let app = try app()
        let message = try app.message()
        let reader = try app.agency.stage.makeKey(of: app.agency, scopes: [.read(.content)])
        #expect(try reader.get(message).status == 200)
        #expect(try reader.delete(message).status == 403)
        let other = try app.agency.stage.makeKey(of: app.agency, scopes: [.write(.apps)])
        #expect(try other.get(message).status == 403)
    }
}
