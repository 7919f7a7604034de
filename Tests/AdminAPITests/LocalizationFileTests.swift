import AdminAPI
import Retention
import RetentionStore
import TestSupport
import Testing

/// Import and export of texts.
@Suite(.database) struct LocalizationFileTests {
    @Test func everyRowIsTriedAndReported() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let long = String(repeating: "x", count: MessageLimit.headerUnits + 1)
        let report = try imported(
            [
                row("hello", "en-US"), row("hello", "en_GB"), row("hello", "qq-QQ"),
                row("hello", "de-DE", ["header": .string(long), "body": ""]),
                row("switchPlan", "de-DE"), row("switchPlan", "ja", ["kind": "text"]),
                row("hello", "en-US"), row("", "de-DE"), row("other", "fr-FR", ["kind": "shout"]),
                row("third", "it", ["imageId": "img_x", "headerPosition": "BELOW"]),
                row("fourth", "it", ["altText": "alone"]),
            ], of: app)
        let rows = report["rows"]?.elements ?? []
        #expect(
            rows.map { $0["outcome"]?.text } == [
                "created", "refused", "refused", "refused", "created", "refused", "refused",
                "refused", "refused", "refused", "refused",
            ])
        #expect(rows.map { $0["row"]?.number } == (1...11).map { Int64($0) })
        func errors(_ index: Int) -> Set<String> {
            Set(
                (rows[index]["errors"]?.elements ?? []).map {
                    "\($0["pointer"]?.text ?? "") \($0["code"]?.text ?? "")"
                })
        }
        #expect(errors(1) == ["/locale nearMiss"])
        #expect(errors(2) == ["/locale unknownValue"])
        #expect(errors(3) == ["/header tooLong", "/body tooShort"])
        #expect(rows[3]["errors"]?.elements.first { $0["limit"] != nil }?["measured"] == 67)
        #expect(errors(5) == ["/kind notAllowed"])
        #expect(errors(6) == ["/locale duplicate"])
        #expect(errors(7) == ["/message tooShort"])
        #expect(errors(8) == ["/kind unknownValue"])
        #expect(errors(9).isSuperset(of: ["/imageId badFormat", "/headerPosition unknownValue"]))
        #expect(errors(10) == ["/imageId required"])
        #expect(
            report["counts"] == ["created": 2, "updated": 0, "unchanged": 0, "refused": 9])
        let names = try app.agency.all("\(app.path)/messages").compactMap { $0["name"]?.text }
        #expect(Set(names) == ["text", "switchPlan", "promotionalOffer", "hello"])
        let actions = try app.agency.all("/v1/audit-events").compactMap { $0["action"]?.text }
        #expect(
            actions.sorted() == [
                "job.create", "localization.create", "localization.create", "message.create",
            ])
    }

    @Test func whatIsImportedAgainIsUnchangedOrUpdated() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        _ = try imported([row("hello", "en-US"), row("hello", "de-DE")], of: app)
        // The same to the eye, and other bytes.
        let report = try imported(
            [row("hello", "en-US"), row("hello", "de-DE", ["body": "cafe\u{301}"])], of: app)
        #expect(outcomes(report) == ["unchanged", "updated"])
        let composed = try imported([row("hello", "de-DE", ["body": "caf\u{e9}"])], of: app)
        #expect(outcomes(composed) == ["updated"])
    }

    @Test func aDryRunStoresNothingAndSaysTheSame() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let rows = [
            row("hello", "en-US", ["kind": "switchPlan"]), row("hello", "de-DE"),
            row("hello", "fr-FR", ["kind": "text"]),
        ]
        let dry = try imported(rows, of: app, "?dryRun=true")
        #expect(outcomes(dry) == ["created", "created", "refused"])
        #expect(try app.agency.all("\(app.path)/messages").count == 3)
        #expect(try imported(rows, of: app, "?dryRun=false") == dry)
        #expect(try app.agency.all("\(app.path)/messages").count == 4)
    }

    @Test func whatIsNoFileOfRowsIsRefusedAtOnce() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let path = "\(app.path)/localization-imports"
        let form = try app.agency.post(
            path, ["rows": [["message": 5, "locale": "x", "header": "h", "extra": 1], "text"]])
        #expect(form.status == 422)
        #expect(
            Set(form.errors) == [
                "/rows/0/message wrongType", "/rows/0/body required", "/rows/0/extra unknown",
                "/rows/1 wrongType", "/rows/1/message required", "/rows/1/locale required",
                "/rows/1/header required", "/rows/1/body required",
            ])
        #expect(try app.agency.post(path, ["rows": []]).errors == ["/rows tooShort"])
        #expect(try app.agency.post(path, [:]).code == "validationFailed")
        let many = JSONTree.array(Array(repeating: row("hello", "en-US"), count: 5_001))
        #expect(try app.agency.post(path, ["rows": many]).errors == ["/rows tooMany"])
        let typo = try app.agency.post("\(path)?dryrun=true", ["rows": [row("a", "ja")]])
        #expect(typo.code == "unknownParameter")
        for (file, code) in [
            ("message,locale,header,body\r\na,ja,\"h,b\r\n", "malformedBody"),
            ("message,locale,header,body\r\na,ja,h\r\n", "malformedBody"),
            ("message,locale,header\r\na,ja,h\r\n", "validationFailed"),
            ("message,locale,header,body,colour\r\na,ja,h,b,c\r\n", "validationFailed"),
            ("message,locale,header,body,body\r\na,ja,h,b,c\r\n", "validationFailed"),
            ("message,locale,header,body\r\n", "validationFailed"), ("", "validationFailed"),
            ("message,locale,header,body\r\na,ja,h\u{0},b\r\n", "validationFailed"),
            (
                "message,locale,header,body\r\n"
                    + String(repeating: "a,ja,h,b\r\n", count: 5_001), "validationFailed"
            ),
        ] {
            let answer = try send(file, of: app)
            #expect(answer.code == code, "\(file.prefix(60)) \(answer.text)")
        }
        let other = try app.agency.send(
            "POST", path, ["rows": []], headers: [("Content-Type", "text/plain")])
        #expect(other.status == 415)
        let big = String(repeating: "x", count: 4_000_001)
        #expect(try send(big, of: app).status == 413)
        #expect(try app.agency.all("/v1/jobs").isEmpty)
    }

    @Test func anExportIsUnchangedWhenItIsImported() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let image = try picture(.fullSize, of: app)
        let bullet = try picture(.bulletPoint, of: app)
        let texts = [
            "=1+1, \"quoted\"", "two\r\nlines", "\u{feff}mark", " blanks ", "日本語 👨‍👩‍👧‍👦", "a\nb",
        ]
        var rows = texts.enumerated().map { index, text in
            row("m\(index)", "ja", ["header": .string(text), "body": .string(text)])
        }
        let point: JSONTree = [
            "text": "a,b", "imageId": .string("\(bullet)"), "altText": "\"",
        ]
        rows.append(
            row(
                "rich", "de-DE",
                [
                    "imageId": .string("\(image)"), "altText": "alt",
                    "headerPosition": "ABOVE_IMAGE", "bulletPoints": [point, point],
                ]))
        let report = try imported(rows, of: app)
        #expect(Set(outcomes(report)) == ["created"], "\(report)")
        let json = try app.agency.get("\(app.path)/localization-exports")
        #expect(json.header("Content-Type") == "application/json")
        #expect(json.json["rows"]?.elements.count == rows.count)
        let fromJSON = try imported(json.json["rows"]?.elements ?? [], of: app)
        #expect(Set(outcomes(fromJSON)) == ["unchanged"])

        let csv = try app.agency.get("\(app.path)/localization-exports?format=csv")
        #expect(csv.header("Content-Type")?.hasPrefix("text/csv") == true)
        let fromCSV = try self.report(of: try send(csv.body, of: app), app)
        #expect(outcomes(fromCSV) == Array(repeating: "unchanged", count: rows.count))
        let asked = try app.agency.get(
            "\(app.path)/localization-exports", headers: [("Accept", "text/csv")])
        #expect(asked.body == csv.body)
        let xml = try app.agency.get("\(app.path)/localization-exports?format=xml")
        #expect(xml.code == "invalidParameter")
    }

    @Test func aFileIsExactToTheByte() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let report = try self.report(
            of: try send(
                "\u{feff}locale,message,body,header\nde-DE,hello,=Preis,\"Bevor, du\"\n", of: app),
            app)
        #expect(outcomes(report) == ["created"])
        let file = try app.agency.get("\(app.path)/localization-exports?format=csv")
        let bullets = (1...5).map { "bullet\($0)Text,bullet\($0)ImageId,bullet\($0)AltText" }
        let expected =
            "message,kind,locale,header,body,headerPosition,imageId,altText,"
            + bullets.joined(separator: ",") + "\r\n" + "hello,text,de-DE,\"Bevor, du\",=Preis"
            + String(repeating: ",", count: 18) + "\r\n"
        #expect(file.text == expected)
    }

    /// More than one page of the database's.
    @Test func allRowsAreExported() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let rows = (0..<1_203).map { row("message \($0)", "ja") }
        let report = try imported(rows, of: app)
        #expect(report["counts"]?["created"] == 1_203)
        let file = try app.agency.get("\(app.path)/localization-exports")
        let names = (file.json["rows"]?.elements ?? []).compactMap { $0["message"]?.text }
        #expect(names.count == 1_203 && Set(names).count == 1_203)
    }

    @Test func anImportActsInTheNameOfItsKey() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let (app, second) = (try agency.makeTestApp(), try agency.makeTestApp())
        let foreign = try stage.makeAgency()
        let limited = try stage.makeKey(of: agency, apps: [second.id])
        let body: JSONTree = ["rows": [row("hello", "ja")]]
        for stranger in [foreign, limited] {
            let answer = try stranger.post("\(app.path)/localization-imports", body)
            #expect(answer.code == "notFound")
            #expect(try stranger.get("\(app.path)/localization-exports").code == "notFound")
        }
        let image = try picture(.fullSize, of: app)
        let stolen = row("hello", "ja", ["imageId": .string("\(image)"), "altText": "x"])
        let own = try limited.post("\(second.path)/localization-imports", ["rows": [stolen]])
        let report = try self.report(of: own, second)
        #expect(outcomes(report) == ["refused"])

        let started = try limited.post(
            "\(second.path)/localization-imports", body, key: "once")
        let again = try limited.post(
            "\(second.path)/localization-imports", body, key: "once")
        #expect(started.status == 202 && again.body == started.body)
        for key in try agency.all("/v1/api-keys") where key["name"] == "another key" {
            #expect(try agency.delete("/v1/api-keys/\(key["id"]?.text ?? "")").status == 204)
        }
        try stage.jobs.runWaiting()
        let job = try agency.get(try #require(started.header("Location")))
        #expect(job.json["state"] == "failed")
        #expect(job.json["error"]?["code"] == "scopeMissing")
        let texts = try agency.get("\(second.path)/localization-exports")
        #expect(texts.json["rows"] == [])
    }

    // MARK: - Rows

    private func row(
        _ message: String, _ locale: String, _ more: [String: JSONTree] = [:]
    ) -> JSONTree {
        ([
            "message": .string(message), "locale": .string(locale), "header": "Before you go",
            "body": "Stay", "bulletPoints": [],
        ] as JSONTree).merging(more)
    }

    private func imported(
        _ rows: [JSONTree], of app: TestApp, _ query: String = ""
    ) throws -> JSONTree {
        try self.report(
            of: try app.agency.post(
                "\(app.path)/localization-imports\(query)", ["rows": .array(rows)]), app)
    }

    private func send(_ file: String, of app: TestApp) throws -> TestAnswer {
        try send(Array(file.utf8), of: app)
    }

    private func send(_ file: [UInt8], of app: TestApp) throws -> TestAnswer {
        try app.agency.stage.send(
            "POST", "\(app.path)/localization-imports", token: app.agency.token,
            headers: [("Content-Type", "text/csv; charset=utf-8")], body: file)
    }

    /// Runs the job that was started.
    private func report(of started: TestAnswer, _ app: TestApp) throws -> JSONTree {
        try #require(started.status == 202, "\(started.text)")
        #expect(started.json["state"] == "queued")
        try app.agency.stage.jobs.runWaiting()
        let job = try app.agency.get(try #require(started.header("Location")))
        try #require(job.json["state"] == "succeeded", "\(job.text)")
        let rows = job.json["report"]?["rows"]?.elements.count ?? 0
        let count = JSONTree.integer(Int64(rows))
        #expect(job.json["progress"] == ["done": count, "total": count])
        return try #require(job.json["report"])
    }

    private func outcomes(_ report: JSONTree) -> [String] {
        (report["rows"]?.elements ?? []).compactMap { $0["outcome"]?.text }
    }

    private func picture(_ size: ImageSize, of app: TestApp) throws -> ImageID {
        try app.change {
            try $0.storeImage(
                NewImage(
                    id: .make(at: app.agency.stage.now), size: size,
                    png: Array("\(size) \(app.id)".utf8), width: 1, height: 1), of: app.id)
        }
    }
}
