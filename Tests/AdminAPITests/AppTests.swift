import AdminAPI
import Postgres
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

@Suite(.database) struct AppTests {
    @Test func `an app is made, read, listed, changed and removed`() throws {
        let agency = try GatewayStage().makeAgency()
        let client = try agency.makeClient()
        let body = TestAgency.appBody(client: client)
        let made = try agency.post("/v1/apps", body)
        #expect(made.status == 201, "\(made.text)")
        let path = try #require(made.header("Location"))
        #expect(path == "/v1/apps/\(made.json["id"]?.text ?? "?")")
        #expect(made.json["timeZone"] == "UTC")
        #expect(made.json["realTimeAnswers"] == "running")
        #expect(made.json["bundleId"] == body["bundleId"])
        let read = try agency.get(path)
        #expect(read.json == made.json)
        #expect(read.header("ETag") == made.header("ETag"))
        let tag = try #require(read.header("ETag"))
        #expect(try agency.get(path, headers: [("If-None-Match", tag)]).status == 304)

        let changed = try agency.patch(path, ["name": "Mira 2", "timeZone": "Europe/Berlin"])
        #expect(changed.status == 200, "\(changed.text)")
        #expect(changed.json["name"] == "Mira 2")
        #expect(changed.json["timeZone"] == "Europe/Berlin")
        #expect(changed.json["defaultLocale"] == "en-US")
        #expect(try agency.all("/v1/apps") == [changed.json])
        #expect(try agency.delete("/v1/clients/\(client)").code == "inUse")

        #expect(try agency.delete(path).status == 204)
        #expect(try agency.get(path).code == "notFound")
        let id = path.lastSegment
        #expect(
            try agency.audit()
                == ["app.create \(id)", "app.delete \(id)", "app.update \(id)"]
                + ["client.create \(client)"])
    }

    @Test func `lists go by client and page by page`() throws {
        let agency = try GatewayStage().makeAgency()
        let (first, second) = (try agency.makeClient("A"), try agency.makeClient("B"))
        var paths: [String] = []
        for number in Int64(1)...5 {
            agency.stage.clock.advance(milliseconds: 1)
            paths.append(try agency.makeApp(of: number < 4 ? first : second, number: number))
        }
        let ids = paths.map(\.lastSegment)
        #expect(try agency.all("/v1/apps", limit: 2).map { $0["id"]?.text } == ids)
        let ofSecond = try agency.all("/v1/apps?clientId=\(second)", limit: 1)
        #expect(ofSecond.map { $0["id"]?.text } == Array(ids.suffix(2)))
        #expect(try agency.all("/v1/apps?clientId=\(ClientID.make(at: agency.stage.now))") == [])
        #expect(try agency.get("/v1/apps?clientId=x").errors == ["clientId badFormat"])
    }

    @Test func `everything that is wrong is named at once`() throws {
        let agency = try GatewayStage().makeAgency()
        let answer = try agency.post(
            "/v1/apps",
            [
                "clientId": .string("\(ClientID.make(at: agency.stage.now))"), "name": "",
                "bundleId": .string(String(repeating: "x", count: 156)), "appAppleId": 0,
                "defaultLocale": "pt_BR", "timeZone": "Mars/Phobos", "realTimeAnswers": "paused",
                "nmae": 1,
            ])
        #expect(answer.status == 422)
        #expect(
            Set(answer.errors) == [
                "/clientId unknownReference", "/name tooShort", "/bundleId tooLong",
                "/appAppleId outOfRange", "/defaultLocale nearMiss", "/timeZone unknownValue",
                "/realTimeAnswers unknownValue", "/nmae unknown",
            ])
        let bundle = answer.json["errors"]?.elements.first { $0["pointer"] == "/bundleId" }
        #expect(bundle?["limit"] == 155)
        #expect(bundle?["measured"] == 156)
        #expect(
            Set(try agency.post("/v1/apps", [:]).errors) == [
                "/clientId required", "/name required", "/bundleId required",
                "/appAppleId required", "/defaultLocale required",
            ])
    }

    /// LOC-04.
    @Test(arguments: [
        ("pt_BR", "nearMiss", "pt-BR"), ("PT-BR", "nearMiss", "pt-BR"),
        ("pt-br", "nearMiss", "pt-BR"), ("pt-BR ", "nearMiss", "pt-BR"),
        ("ar", "unknownValue", "ar-SA"), ("nl-BE", "unknownValue", "nl-NL"),
        ("de", "unknownValue", "de-DE"), ("en-IN", "unknownValue", "en-GB"),
        ("nb-NO", "unknownValue", "no"), ("qq-QQ", "unknownValue", "zh-Hant"),
        ("C", "unknownValue", "zh-Hant"), ("../../x", "unknownValue", "zh-Hant"),
        ("ko\u{301}", "unknownValue", "ko"),
    ])
    func `a locale that is not Apple's is refused with what is meant`(
        locale: String, code: String, named: String
    ) throws {
        let agency = try GatewayStage().makeAgency()
        let body = TestAgency.appBody(client: try agency.makeClient())
        let answer = try agency.post(
            "/v1/apps", body.with("defaultLocale", .string(locale)))
        #expect(answer.errors == ["/defaultLocale \(code)"])
        #expect(answer.json["detail"]?.text?.contains(named) ?? false, "\(answer.text)")
    }

    @Test(arguments: ["bn-BD", "sl-SI", "ur-PK", "no", "zh-Hans"])
    func `every locale of Apple's is taken`(locale: String) throws {
        let agency = try GatewayStage().makeAgency()
        let body = TestAgency.appBody(client: try agency.makeClient())
        let answer = try agency.post("/v1/apps", body.with("defaultLocale", .string(locale)))
        #expect(answer.json["defaultLocale"]?.text == locale, "\(answer.text)")
    }

    @Test(arguments: [
        ("Europe/Kyiv", nil), ("America/Argentina/Buenos_Aires", nil), ("US/Pacific", nil),
        ("Etc/UTC", nil), ("europe/berlin", "nearMiss"), ("America/New York", "nearMiss"),
        ("utc", "nearMiss"), ("EST", "unknownValue"), ("GMT+3", "unknownValue"),
        ("right/Europe/Berlin", "unknownValue"), ("../../etc/passwd", "unknownValue"),
        ("Europe/../Europe/Berlin", "unknownValue"), ("/Europe/Berlin", "unknownValue"),
        ("Europe/Berlin/", "unknownValue"), ("Europe//Berlin", "unknownValue"),
        ("Europe/", "unknownValue"), ("Europe/\u{212A}yiv", "unknownValue"),
    ])
    func `a time zone is an IANA name, and the database knows it too`(
        zone: String, code: String?
    ) throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let path = try agency.makeApp()
        let answer = try agency.patch(path, ["timeZone": .string(zone)])
        #expect(answer.errors == (code.map { ["/timeZone \($0)"] } ?? []), "\(answer.text)")
        guard code == nil else { return }
        #expect(answer.status == 200)
        try stage.database.superuser.withConnection {
            _ = try $0.query("select now() at time zone \(zone)")
        }
    }

    /// API-04.
    @Test func `a patch leaves what it does not name, and clears nothing that must be there`()
        throws
    {
        let agency = try GatewayStage().makeAgency()
        let path = try agency.makeApp()
        let before = try agency.get(path).json
        #expect(try agency.patch(path, [:]).json == before)
        let members = ["name", "clientId", "defaultLocale", "timeZone", "realTimeAnswers"]
        for member in members {
            let answer = try agency.patch(path, .object([member: .null]))
            #expect(answer.errors == ["/\(member) required"])
        }
        for member in ["bundleId", "appAppleId"] {
            for value in [before[member] ?? .null, .null, "x"] {
                let answer = try agency.patch(path, .object([member: value]))
                #expect(answer.errors == ["/\(member) notAllowed"])
            }
        }
        #expect(try agency.patch(path, ["nmae": "x"]).errors == ["/nmae unknown"])
        #expect(try agency.patch(path, ["name": ["a": 1]]).errors == ["/name wrongType"])
        #expect(try agency.get(path).json == before)

        let stale = try #require(try agency.get(path).header("ETag"))
        #expect(try agency.patch(path, ["name": "First"]).status == 200)
        let late = try agency.send("PATCH", path, ["name": "x"], headers: [("If-Match", stale)])
        #expect(late.status == 412)
        #expect(late.code == "preconditionFailed")
        #expect(try agency.send("PATCH", path, ["name": "x"]).status == 428)
        #expect(try agency.send("DELETE", path).status == 428)
        #expect(
            try agency.send("DELETE", path, headers: [("If-Match", stale)]).status == 412)
        #expect(try agency.get(path).json["name"] == "First")
    }

    /// API-03.
    @Test func `Apple's number is kept to the last digit`() throws {
        let agency = try GatewayStage().makeAgency()
        let client = try agency.makeClient()
        for number in [4_999_000_000, 9_007_199_254_740_993, Int64.max] {
            let path = try agency.makeApp(of: client, number: number)
            #expect(try agency.get(path).json["appAppleId"] == .integer(number))
            #expect(try agency.get(path).text.contains("\(number)"))
        }
        for wrong in ["9223372036854775808", "1.5", "\"5\"", "-1", "1e400", "1e19"] {
            let text = """
                {"clientId":"\(client)","name":"x","bundleId":"x","defaultLocale":"en-US",
                "appAppleId":\(wrong)}
                """
            let answer = try agency.stage.send(
                "POST", "/v1/apps", token: agency.token,
                headers: [("Content-Type", "application/json")], body: Array(text.utf8))
            #expect([400, 422].contains(answer.status), "\(wrong): \(answer.text)")
        }
    }

    /// API-05.
    @Test func `a NUL is refused by name`() throws {
        let agency = try GatewayStage().makeAgency()
        let path = try agency.makeApp()
        for member in ["name", "defaultLocale", "timeZone", "clientId", "realTimeAnswers"] {
            let answer = try agency.patch(path, .object([member: "a\u{0}b"]))
            #expect(answer.status == 422)
            #expect(answer.errors.first?.hasPrefix("/\(member) ") ?? false)
        }
        #expect(try agency.get(path + "%00").status == 404)
        #expect(try agency.get("/v1/apps?clientId=%00").status == 400)
    }

    @Test func `the stop switch reaches the snapshots of both environments`() throws {
        let agency = try GatewayStage().makeAgency()
        let path = try agency.makeApp()
        #expect(try Self.stopped(path, agency) == [false, false])
        let stopped = try agency.patch(path, ["realTimeAnswers": "stopped"])
        #expect(stopped.json["realTimeAnswers"] == "stopped", "\(stopped.text)")
        #expect(try Self.stopped(path, agency) == [true, true])
        #expect(try agency.patch(path, ["realTimeAnswers": "running"]).status == 200)
        #expect(try Self.stopped(path, agency) == [false, false])
        let body = TestAgency.appBody(client: try agency.makeClient(), number: 2)
        let made = try agency.post("/v1/apps", body.with("realTimeAnswers", "stopped"))
        #expect(made.json["realTimeAnswers"] == "stopped")
        #expect(try Self.stopped(try #require(made.header("Location")), agency) == [true, true])
    }

    /// Whether the newest snapshot of each environment is stopped.
    private static func stopped(_ path: String, _ agency: TestAgency) throws -> [Bool] {
        let store = RetentionStore(pool: agency.stage.database.responder)
        let id = try #require(AppID(path.lastSegment))
        return try store.snapshotHeads(.routing).filter { $0.key.app == id }.map {
            try store.snapshot(.routing, $0).isStopped
        }
    }

    @Test func `a bundle and a number belong to one app of the tenant`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let client = try agency.makeClient()
        _ = try agency.makeApp(of: client)
        let body = TestAgency.appBody(client: client)
        let again = try agency.post("/v1/apps", body)
        #expect(again.status == 409)
        #expect(again.errors == ["/bundleId duplicate"])
        let other = try agency.post("/v1/apps", body.with("bundleId", "com.example.other"))
        #expect(other.errors == ["/appAppleId duplicate"])
        // PG-03: another agency may have them too, and learns nothing.
        let rival = try stage.makeAgency()
        #expect(try rival.makeApp() != "")
    }

    @Test func `a repeated request makes one app`() throws {
        let agency = try GatewayStage().makeAgency()
        let body = TestAgency.appBody(client: try agency.makeClient())
        let first = try agency.post("/v1/apps", body, key: "one")
        let again = try agency.post("/v1/apps", body, key: "one")
        #expect(again.header("Idempotency-Replayed") == "true")
        #expect(again.json == first.json)
        #expect(try agency.all("/v1/apps").count == 1)
        let other = try agency.post("/v1/apps", body.with("name", "Other"), key: "one")
        #expect(other.code == "idempotencyKeyReused")
    }
}

extension JSONTree {
    /// The same object with one member set.
    func with(_ name: String, _ value: JSONTree) -> JSONTree {
        guard case .object(var members) = self else { return self }
        members[name] = value
        return .object(members)
    }
}
