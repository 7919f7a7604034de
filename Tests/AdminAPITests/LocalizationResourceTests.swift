import AdminAPI
import Foundation
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

@Suite(.database) struct LocalizationResourceTests {
    private func app() throws -> ContentApp {
        try ContentApp(try GatewayStage().makeAgency())
    }

    private static func text(_ count: Int) -> JSONTree {
        .string(String(repeating: "a", count: count))
    }

    private static func placed(_ image: String, _ altText: JSONTree = "A lake") -> JSONTree {
        ["imageId": .string(image), "altText": altText]
    }

    private static func bullet(
        _ image: String, _ text: JSONTree = "More", _ altText: JSONTree = "A leaf"
    ) -> JSONTree {
        ["text": text, "imageId": .string(image), "altText": altText]
    }

    @Test func `a localization is put, read, changed, replaced and removed`() throws {
        let app = try app()
        let agency = app.agency
        let message = try app.message()
        let path = "\(message)/localizations/de-DE"
        app.later()
        let made = try agency.send("PUT", path, ContentApp.text)
        #expect(made.status == 201, "\(made.text)")
        #expect(made.header("Location") == path)
        #expect(
            made.json == [
                "locale": "de-DE", "header": "Before you go", "body": "Stay for half the price.",
                "headerPosition": .null, "image": .null, "bulletPoints": [], "placements": [],
            ])
        let id = String(message.split(separator: "/").last ?? "")
        #expect(try app.audit() == "localization.create \(id)/de-DE")
        #expect(try agency.get(message).json["locales"] == ["de-DE"])
        let read = try agency.get(path)
        #expect(read.json == made.json)
        #expect(read.header("ETag") == made.header("ETag"))

        let changed = try agency.patch(path, ["body": "Stay."])
        #expect(changed.status == 200, "\(changed.text)")
        #expect(changed.json["body"] == "Stay.")
        #expect(changed.json["header"] == "Before you go")
        #expect(
            try app.auditChanges() == ["body": ["from": "Stay for half the price.", "to": "Stay."]])
        let replaced = try agency.send(
            "PUT", path, ["header": "h", "body": "b"],
            headers: [("If-Match", changed.header("ETag") ?? "")])
        #expect(replaced.status == 200, "\(replaced.text)")
        _ = try app.localization(message, "ar-SA")
        #expect(
            try agency.all("\(message)/localizations", limit: 1).compactMap { $0["locale"]?.text }
                == ["ar-SA", "de-DE"])
        app.later()
        #expect(try agency.delete(path).status == 204)
        #expect(try app.audit() == "localization.delete \(id)/de-DE")
        #expect(try agency.get(path).status == 404)
        #expect(try agency.get(message).json["locales"] == ["ar-SA"])
    }

    @Test func `putting over what is there needs its tag, over what is gone has none`() throws {
        let app = try app()
        let message = try app.message()
        let path = try app.localization(message)
        #expect(try app.agency.send("PUT", path, ContentApp.text).status == 428)
        for (method, body) in [
            ("PUT", ContentApp.text as JSONTree?), ("PATCH", ["body": "x"]), ("DELETE", nil),
        ] {
            let stale = try app.agency.send(method, path, body, headers: [("If-Match", "\"x\"")])
            #expect(stale.status == 412, "\(method)")
        }
        for (method, body) in [("PATCH", ["body": "x"] as JSONTree?), ("DELETE", nil)] {
            #expect(try app.agency.send(method, path, body).status == 428)
        }
        #expect(
            try app.agency.send("PUT", path, ContentApp.text, headers: [("If-Match", "*")]).status
                == 200)
        let absent = try app.agency.send(
            "PUT", "\(message)/localizations/ja", ContentApp.text, headers: [("If-Match", "*")])
        #expect(absent.status == 412)
    }

    /// API-04.
    @Test func `a patch leaves what is absent, clears what is null, and knows no other names`()
        throws
    {
        let app = try app()
        let (large, small) = (try app.image(), try app.image(.bulletPoint))
        let path = try app.localization(
            try app.message(), "en-US",
            [
                "header": "h", "body": "b", "headerPosition": "ABOVE_IMAGE",
                "image": Self.placed(large), "bulletPoints": [Self.bullet(small)],
            ])
        let whole = try app.agency.get(path)
        #expect(try app.agency.patch(path, [:]).json == whole.json)
        #expect(
            try app.agency.patch(path, ["image": ["altText": "B"]]).json["image"]
                == Self.placed(large, "B"))
        #expect(
            try app.agency.patch(path, ["image": .null]).errors == ["/headerPosition notAllowed"])
        let bare = try app.agency.patch(path, ["image": .null, "headerPosition": .null])
        #expect(bare.json["image"] == .null && bare.json["headerPosition"] == .null)
        #expect(bare.json["bulletPoints"] == whole.json["bulletPoints"])
        #expect(try app.agency.patch(path, ["bulletPoints": .null]).json["bulletPoints"] == [])
        #expect(
            try app.agency.patch(path, ["image": ["altText": "B"]]).errors
                == ["/image/imageId required"])
        for (patch, errors) in [
            (["header": .null] as JSONTree, ["/header required"]),
            (["headr": "x"], ["/headr unknown"]), (["headr": .null], ["/headr unknown"]),
            (
                ["image": ["imageID": .null]],
                [
                    "/image/imageId required", "/image/altText required",
                    "/image/imageID unknown",
                ]
            ),
            (["body": ""], ["/body tooShort"]), (["locale": "ja"], ["/locale unknown"]),
        ] {
            #expect(try app.agency.patch(path, patch).errors == errors, "\(patch)")
        }
    }

    @Test func `everything wrong with a body is told at once, with limit and measure`() throws {
        let app = try app()
        let (large, small) = (try app.image(), try app.image(.bulletPoint))
        let stranger = try ContentApp(app.agency).image()
        let path = "\(try app.message())/localizations/en-US"
        let answer = try app.agency.send(
            "PUT", path,
            [
                "header": Self.text(67), "body": Self.text(145), "headerPosition": "BELOW",
                "image": Self.placed(stranger, Self.text(151)),
                "bulletPoints": [
                    Self.bullet(small), Self.bullet(large, Self.text(67), Self.text(151)),
                    ["text": " ", "imageId": "img_x", "x": 1],
                ],
                "x": .null,
            ])
        #expect(answer.status == 422)
        #expect(
            Set(answer.errors) == [
                "/header tooLong", "/body tooLong", "/headerPosition unknownValue",
                "/image/imageId unknownReference", "/image/altText tooLong",
                "/bulletPoints/1/text tooLong", "/bulletPoints/1/altText tooLong",
                "/bulletPoints/1/imageId wrongSize", "/bulletPoints/2/text notAllowed",
                "/bulletPoints/2/imageId badFormat", "/bulletPoints/2/altText required",
                "/bulletPoints/2/x unknown", "/x unknown",
            ])
        #expect(answer.errors.count == 13)
        let measures = try #require(answer.json["errors"]).elements.compactMap { error in
            error["limit"]?.number.map { "\($0) \(error["measured"]?.number ?? 0)" }
        }
        #expect(Set(measures) == ["66 67", "144 145", "150 151"])
        let many = try app.agency.send(
            "PUT", path,
            [
                "header": "h", "body": "b", "headerPosition": "ABOVE_IMAGE",
                "bulletPoints": .array(Array(repeating: Self.bullet(small), count: 6)),
            ])
        #expect(many.errors == ["/bulletPoints tooMany", "/headerPosition notAllowed"])
        let five = try app.agency.send(
            "PUT", path,
            [
                "header": Self.text(66), "body": Self.text(144),
                "image": Self.placed(large, Self.text(150)),
                "bulletPoints": .array(
                    Array(repeating: Self.bullet(small, Self.text(66), ""), count: 5)),
            ])
        #expect(five.status == 201, "\(five.text)")
        #expect(five.json["bulletPoints"]?.elements.count == 5)
    }

    /// LOC-05: UTF-16 units count, nothing is cut, and nothing that passes is refused later.
    @Test func `one unit decides, whatever the script`() throws {
        let app = try app()
        let path = "\(try app.message())/localizations/ar-SA"
        let family = "👨‍👩‍👧‍👦"
        let cases: [(String, Int?)] = [
            (String(repeating: "ع", count: 66), nil), (String(repeating: "ع", count: 67), 67),
            (String(repeating: family, count: 6), nil), (String(repeating: family, count: 7), 77),
            (String(repeating: "e\u{301}", count: 33), nil),
            (String(repeating: "e\u{301}", count: 34), 68),
            (String(repeating: "\r\n", count: 34), 68), (" a ", nil), ("\u{200f}a\u{200b}", nil),
        ]
        for (header, measured) in cases {
            let answer = try app.agency.send(
                "PUT", path, ["header": .string(header), "body": "b"],
                headers: try app.agency.get(path).status == 200 ? [("If-Match", "*")] : [])
            if let measured {
                #expect(answer.errors == ["/header tooLong"], "\(header)")
                #expect(answer.json["errors"]?.elements[0]["measured"]?.number == Int64(measured))
                #expect(answer.json["errors"]?.elements[0]["unit"] == "UTF-16 units")
            } else {
                #expect(answer.status < 300, "\(header) \(answer.text)")
                #expect(answer.json["header"]?.text?.utf8.elementsEqual(header.utf8) == true)
            }
        }
        for blank in [" ", "\r\n", "\u{200b}\u{200f}", "\u{3000}"] {
            let answer = try app.agency.patch(path, ["header": .string(blank)])
            #expect(answer.errors == ["/header notAllowed"])
        }
        let nul = try app.agency.patch(path, ["header": "a\u{0}", "image": ["altText": "\u{0}"]])
        #expect(nul.errors.contains("/header notAllowed"))
        #expect(nul.errors.contains("/image/altText notAllowed"))
    }

    /// LOC-04.
    @Test(arguments: [
        ("pt_BR", "nearMiss", "pt-BR"), ("PT-BR", "nearMiss", "pt-BR"),
        ("pt-br", "nearMiss", "pt-BR"), ("pt-BR%20", "nearMiss", "pt-BR"),
        ("ar", "unknownValue", "ar-SA"), ("nl-BE", "unknownValue", "nl-NL"),
        ("qq-QQ", "unknownValue", "en-US"), ("C", "unknownValue", "en-US"),
    ])
    func `a locale that is not Apple's is refused, and the one that was meant is named`(
        locale: String, code: String, named: String
    ) throws {
        let app = try app()
        let path = "\(try app.message())/localizations/\(locale)"
        for (method, body) in [
            ("PUT", ContentApp.text as JSONTree?), ("GET", nil), ("PATCH", [:]), ("DELETE", nil),
        ] {
            let answer = try app.agency.send(method, path, body)
            #expect(answer.status == 422, "\(method) \(answer.text)")
            #expect(answer.errors == ["locale \(code)"])
            #expect(answer.text.contains(named))
        }
    }

    @Test func `Apple's newer locales are taken, and long nonsense is nothing`() throws {
        let app = try app()
        let message = try app.message()
        for locale in ["bn-BD", "sl-SI", "ur-PK", "zh-Hant"] {
            _ = try app.localization(message, locale)
        }
        let long = String(repeating: "x", count: 3_000)
        #expect(try app.agency.get("\(message)/localizations/\(long)").status == 404)
        #expect(try app.agency.get("\(message)/localizations/%00").status == 404)
        #expect(try app.agency.get("\(message)/localizations/ja").status == 404)
        let newer = "xx-Newer"
        try app.agency.stage.database.superuser.withConnection {
            try $0.execute(
                script:
                    "update holdfast.localization set locale = '\(newer)' where locale = 'ur-PK'")
        }
        #expect(try app.agency.get("\(message)/localizations/\(newer)").status == 200)
    }

    @Test(arguments: ["switchPlan", "promotionalOffer"])
    func `only a text shows pictures`(kind: String) throws {
        let app = try app()
        let (large, small) = (try app.image(), try app.image(.bulletPoint))
        let path = "\(try app.message(kind: kind))/localizations/en-US"
        let answer = try app.agency.send(
            "PUT", path,
            [
                "header": "h", "body": "b", "image": Self.placed(large),
                "bulletPoints": [Self.bullet(small)],
            ])
        #expect(answer.errors == ["/image notAllowed", "/bulletPoints notAllowed"])
        let swapped = try app.agency.send(
            "PUT", "\(try app.message("other"))/localizations/en-US",
            [
                "header": "h", "body": "b", "image": Self.placed(small),
                "bulletPoints": [Self.bullet(large)],
            ])
        #expect(
            swapped.errors == ["/image/imageId wrongSize", "/bulletPoints/0/imageId wrongSize"])
    }

    @Test func `placements tell what Apple has, and whether it is the text as it is now`() throws {
        let app = try app()
        let image = try app.image()
        let message = try app.message()
        let path = try app.localization(
            message, "en-US", ["header": "h", "body": "b", "image": Self.placed(image)])
        let messageId = try #require(MessageID(String(message.split(separator: "/").last ?? "")))
        let imageId = try #require(ImageID(image))
        let key = AppEnvironment(app: app.id, environment: .sandbox)
        let appleId = try app.change {
            try $0.placeImage(imageId, at: key, state: .approved)
            return try $0.placeMessage(messageId, locale: "en-US", at: key, state: .approved)
        }
        func placement() throws -> JSONTree? {
            let listed = try app.agency.all("\(message)/localizations")
            #expect(listed == [try app.agency.get(path).json])
            #expect(listed[0]["placements"]?.elements.count == 1)
            return listed[0]["placements"]?.elements[0]
        }
        let placed = try #require(try placement())
        #expect(placed["environment"] == "Sandbox")
        #expect(placed["identifier"]?.text == appleId.uuidString.lowercased())
        #expect(placed["state"] == "APPROVED")
        #expect(placed["isCurrent"] == true)
        _ = try app.agency.patch(path, ["body": "other"])
        #expect(try placement()?["isCurrent"] == false)
        #expect(try placement()?["identifier"] == placed["identifier"])
        _ = try app.agency.patch(path, ["body": "b"])
        #expect(try placement()?["isCurrent"] == true)
        // An edit with a picture that Apple has not seen takes nothing out of what is served.
        let before = try app.snapshotNumber(.sandbox)
        _ = try app.agency.patch(path, ["image": ["imageId": .string(try app.image())]])
        #expect(try placement()?["isCurrent"] == false)
        #expect(try placement()?["identifier"] == placed["identifier"])
        #expect(try app.snapshotNumber(.sandbox) == before)
    }

    @Test func `what a default names stays`() throws {
        let app = try app()
        let message = try app.message()
        let path = try app.localization(message)
        let id = String(message.split(separator: "/").last ?? "")
        let put = try app.agency.send(
            "PUT", "\(app.path)/defaults/\(ContentApp.product)/en-US", ["messageId": .string(id)])
        #expect(put.status == 201, "\(put.text)")
        let answer = try app.agency.delete(path)
        #expect(answer.status == 409)
        #expect(answer.code == "inUse")
        #expect(try app.agency.get(path).status == 200)
    }

    /// Two that were read at once: one is refused, none is lost.
    @Test func `of two edits at once the second is told`() throws {
        let app = try app()
        let path = try app.localization(try app.message())
        let tag = try #require(try app.agency.get(path).header("ETag"))
        let edits = (0..<4).map { number in
            ParallelWork {
                try app.agency.send(
                    "PATCH", path, ["body": .string("b\(number)")], headers: [("If-Match", tag)]
                ).status
            }
        }
        #expect(try edits.map { try $0.value() }.sorted() == [200, 412, 412, 412])
    }

    @Test func `of two that make the same one is told`() throws {
        let app = try app()
        let path = "\(try app.message())/localizations/ja"
        let makers = (0..<4).map { _ in
            ParallelWork { try app.agency.send("PUT", path, ContentApp.text).status }
        }
        #expect(try makers.map { try $0.value() }.sorted() == [201, 428, 428, 428])
    }

    @Test func `no stranger learns of a localization`() throws {
        let app = try app()
        let message = try app.message()
        let path = try app.localization(message)
        try Strangers(to: app).expectNothing([
            ("GET", "\(message)/localizations", nil), ("GET", path, nil),
            ("GET", "\(message)/localizations/en_US", nil),
            ("PUT", path, ContentApp.text), ("PATCH", path, ["body": "x"]), ("DELETE", path, nil),
        ])
        #expect(try app.agency.get(path).json["body"] == "Stay for half the price.")
    }
}
