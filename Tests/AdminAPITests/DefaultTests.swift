import AdminAPI
import Retention
import RetentionStore
import TestSupport
import Testing

@Suite(.database) struct DefaultTests {
    private func app() throws -> ContentApp {
        try ContentApp(try GatewayStage().makeAgency())
    }

    private func message(
        _ app: ContentApp, _ name: String = "stay", _ locales: [String] = ["en-US", "de-DE"]
    ) throws -> JSONTree {
        let path = try app.message(name)
        for locale in locales { _ = try app.localization(path, locale) }
        return .string(String(path.split(separator: "/").last ?? ""))
    }

    private static func row(
        _ product: String, _ locale: String, _ message: JSONTree,
        _ environment: String = "Production"
    ) -> JSONTree {
        [
            "productId": .string(product), "locale": .string(locale), "messageId": message,
            "environment": .string(environment),
        ]
    }

    @Test func `one is put, read, replaced and removed, of one environment`() throws {
        let app = try app()
        let agency = app.agency
        let (first, second) = (try message(app), try message(app, "other"))
        let path = "\(app.path)/defaults/\(ContentApp.product)/en-US"
        app.later()
        let made = try agency.send("PUT", path, ["messageId": first])
        #expect(made.status == 201, "\(made.text)")
        #expect(made.header("Location") == "\(path)?environment=Production")
        #expect(made.json == Self.row(ContentApp.product, "en-US", first))
        #expect(try app.audit() == "default.create \(ContentApp.product)/en-US")
        let read = try agency.get(path)
        #expect(read.json == made.json && read.header("ETag") == made.header("ETag"))
        #expect(try agency.get("\(path)?environment=Sandbox").status == 404)

        #expect(try agency.send("PUT", path, ["messageId": second]).status == 428)
        let stale = try agency.send(
            "PUT", path, ["messageId": second], headers: [("If-Match", "\"x\"")])
        #expect(stale.status == 412)
        let tag = try #require(made.header("ETag"))
        let replaced = try agency.send(
            "PUT", path, ["messageId": second], headers: [("If-Match", tag)])
        #expect(replaced.status == 200)
        #expect(replaced.json["messageId"] == second)
        #expect(try app.auditChanges() == ["messageId": ["from": first, "to": second]])
        let absent = try agency.send(
            "PUT", "\(path)?environment=Sandbox", ["messageId": first],
            headers: [("If-Match", "*")])
        #expect(absent.status == 412)
        #expect(try agency.send("DELETE", path).status == 428)
        #expect(
            try agency.send("DELETE", path, headers: [("If-Match", tag)]).status == 412)
        #expect(try agency.delete(path).status == 204)
        #expect(try app.audit() == "default.delete \(ContentApp.product)/en-US")
        #expect(try agency.get(path).status == 404)
    }

    @Test func `many are set at once, and what is there is replaced`() throws {
        let app = try app()
        let agency = app.agency
        let (first, second) = (try message(app), try message(app, "other", ["de-DE"]))
        let products: JSONTree = [.string(ContentApp.product), .string(ContentApp.otherProduct)]
        let all = try agency.post(
            "\(app.path)/defaults?environment=Sandbox",
            ["messageId": first, "productIds": products])
        #expect(all.status == 200, "\(all.text)")
        #expect(all.json["data"]?.elements.count == 4)
        let listed = try agency.all("\(app.path)/defaults?environment=Sandbox", limit: 1)
        #expect(
            listed == [
                Self.row(ContentApp.product, "de-DE", first, "Sandbox"),
                Self.row(ContentApp.product, "en-US", first, "Sandbox"),
                Self.row(ContentApp.otherProduct, "de-DE", first, "Sandbox"),
                Self.row(ContentApp.otherProduct, "en-US", first, "Sandbox"),
            ])
        #expect(Set(listed) == Set(all.json["data"]?.elements ?? []))
        #expect(try agency.all("\(app.path)/defaults").isEmpty)

        app.later()
        let some = try agency.post(
            "\(app.path)/defaults?environment=Sandbox",
            [
                "messageId": second, "productIds": [.string(ContentApp.product)],
                "locales": ["de-DE"],
            ])
        #expect(some.json["data"] == [Self.row(ContentApp.product, "de-DE", second, "Sandbox")])
        #expect(
            try app.auditChanges() == [
                "Sandbox/\(ContentApp.product)/de-DE": ["from": first, "to": second]
            ])
        #expect(try agency.all("\(app.path)/defaults?environment=Sandbox").count == 4)
    }

    @Test func `everything wrong is told at its place, and nothing is stored`() throws {
        let app = try app()
        let agency = app.agency
        let defaults = "\(app.path)/defaults"
        let message = try message(app)
        let product = JSONTree.string(ContentApp.product)
        let wrong = try agency.post(
            defaults,
            [
                "messageId": message, "productIds": [product, "com.example.none", product],
                "locales": ["en-US", "ja", "en_US", "en-US", "qq"], "x": 1,
            ])
        #expect(wrong.status == 422)
        #expect(
            Set(wrong.errors) == [
                "/productIds/1 unknownReference", "/productIds/2 duplicate",
                "/locales/1 unknownReference", "/locales/2 nearMiss", "/locales/3 duplicate",
                "/locales/4 unknownValue", "/x unknown",
            ])
        #expect(
            try agency.post(defaults, [:]).errors
                == ["/messageId required", "/productIds required"])
        #expect(
            try agency.post(
                defaults, ["messageId": message, "productIds": [], "locales": []]
            ).errors == ["/productIds tooShort", "/locales tooShort"])
        let many = JSONTree.array((0...200).map { .string("p\($0)") })
        #expect(
            try agency.post(defaults, ["messageId": message, "productIds": many]).errors
                == ["/productIds tooMany"])
        #expect(
            try agency.post(defaults, ["messageId": "x", "productIds": [1]]).errors
                == ["/messageId badFormat", "/productIds/0 wrongType"])
        let empty = try self.message(app, "empty", [])
        #expect(
            try agency.post(defaults, ["messageId": empty, "productIds": [product]]).errors
                == ["/messageId notAllowed"])
        #expect(try agency.all(defaults).isEmpty)
    }

    @Test func `only a text that is there can be one`() throws {
        let app = try app()
        let path = "\(app.path)/defaults/\(ContentApp.product)/en-US"
        let stranger = try message(try ContentApp(app.agency))
        let kind = try app.message("plan", kind: "switchPlan")
        _ = try app.localization(kind)
        let plan = JSONTree.string(String(kind.split(separator: "/").last ?? ""))
        let german = try message(app, "german", ["de-DE"])
        for (message, error) in [
            (stranger, "unknownReference"), (plan, "notAllowed"), (german, "unknownReference"),
            ("msg_x", "badFormat"), (.null, "required"),
        ] {
            let answer = try app.agency.send("PUT", path, ["messageId": message])
            #expect(answer.status == 422)
            #expect(answer.errors == ["/messageId \(error)"])
        }
        for (place, status) in [
            ("com.example.none/en-US", 404), ("\(ContentApp.product)/en_US", 422),
            ("\(ContentApp.product)/qq", 422),
        ] {
            for (method, body) in [("PUT", ["messageId": german] as JSONTree?), ("GET", nil)] {
                let answer = try app.agency.send(method, "\(app.path)/defaults/\(place)", body)
                #expect(answer.status == status, "\(method) \(place)")
            }
        }
        #expect(
            try app.agency.get("\(app.path)/defaults?environment=production").status == 400)
    }

    /// What is served changes with it.
    @Test func `a default of an approved text is in the snapshot, and goes from it`() throws {
        let app = try app()
        let id = try message(app)
        let messageId = try #require(MessageID(id.text ?? ""))
        let key = AppEnvironment(app: app.id, environment: .production)
        _ = try app.change {
            try $0.placeMessage(messageId, locale: "en-US", at: key, state: .approved)
        }
        let before = try app.snapshotNumber(.production)
        let sandbox = try app.snapshotNumber(.sandbox)
        let path = "\(app.path)/defaults/\(ContentApp.product)/en-US"
        #expect(try app.agency.send("PUT", path, ["messageId": id]).status == 201)
        #expect(try app.snapshotNumber(.production) == before + 1)
        #expect(try app.agency.delete(path).status == 204)
        #expect(try app.snapshotNumber(.production) == before + 2)
        #expect(try app.snapshotNumber(.sandbox) == sandbox)
    }

    @Test func `of two that make the same one is told`() throws {
        let app = try app()
        let message = try message(app)
        let path = "\(app.path)/defaults/\(ContentApp.product)/en-US"
        let makers = (0..<4).map { _ in
            ParallelWork { try app.agency.send("PUT", path, ["messageId": message]).status }
        }
        #expect(try makers.map { try $0.value() }.sorted() == [201, 428, 428, 428])
    }

    @Test func `no stranger learns of a default`() throws {
        let app = try app()
        let message = try message(app)
        let path = "\(app.path)/defaults/\(ContentApp.product)/en-US"
        #expect(try app.agency.send("PUT", path, ["messageId": message]).status == 201)
        try Strangers(to: app).expectNothing([
            ("GET", "\(app.path)/defaults", nil), ("GET", path, nil),
            ("PUT", path, ["messageId": message]), ("DELETE", path, nil),
            (
                "POST", "\(app.path)/defaults",
                ["messageId": message, "productIds": [.string(ContentApp.product)]]
            ),
        ])
        #expect(try app.agency.get(path).status == 200)
    }
}
