import AdminAPI
import Retention
import RetentionStore
import TestSupport
import Testing

@Suite(.database) struct MessageCopyTests {
    private func app() throws -> ContentApp {
        try ContentApp(try GatewayStage().makeAgency())
    }

    private func message(_ app: ContentApp) throws -> String {
        let message = try app.message("stay")
        let (large, small) = (try app.image(), try app.image(.bulletPoint))
        for locale in ["en-US", "ja"] {
            _ = try app.localization(
                message, locale,
                [
                    "header": "h", "body": .string(locale), "headerPosition": "ABOVE_IMAGE",
                    "image": ["imageId": .string(large), "altText": "a"],
                    "bulletPoints": [
                        ["text": "t", "imageId": .string(small), "altText": ""],
                        ["text": "u", "imageId": .string(small), "altText": "b"],
                    ],
                ])
        }
        return message
    }

    /// Without what differs between two apps.
    private func texts(_ app: ContentApp, _ message: String) throws -> [String] {
        try app.agency.all("\(message)/localizations").map { row in
            let bullets = row["bulletPoints"]?.elements.map {
                "\($0["text"]?.text ?? "") \($0["altText"]?.text ?? "")"
            }
            let places = ["locale", "header", "body", "headerPosition"].map { row[$0]?.text ?? "" }
            return "\(places) \(row["image"]?["altText"]?.text ?? "") \(bullets ?? [])"
        }
    }

    @Test func `a copy has the texts and the pictures, in the other app`() throws {
        let app = try app()
        let target = try ContentApp(app.agency)
        let message = try message(app)
        let body: JSONTree = ["appId": .string(target.id.description)]
        app.later()
        let made = try app.agency.post("\(message)/copies", body)
        #expect(made.status == 201, "\(made.text)")
        let copy = try #require(made.header("Location"))
        #expect(copy.hasPrefix("\(target.path)/messages/"))
        #expect(made.json["name"] == "stay")
        #expect(made.json["locales"] == ["en-US", "ja"])
        #expect(try app.agency.get(copy).json == made.json)
        #expect(try texts(target, copy) == texts(app, message))
        let id = try #require(made.json["id"]?.text)
        #expect(try app.audit() == "message.copy \(id)")
        let images = try app.agency.all("\(target.path)/images")
        #expect(images.count == 2)
        let own = try app.agency.all("\(app.path)/images")
        #expect(Set(images.map { $0["sha256"] }) == Set(own.map { $0["sha256"] }))
        #expect(Set(images.map { $0["id"] }).isDisjoint(with: own.map { $0["id"] }))

        let again = try app.agency.post("\(message)/copies", body)
        #expect(again.status == 409)
        #expect(again.errors == ["/name duplicate"])
        let renamed = try app.agency.post(
            "\(message)/copies", body.with("name", "stay 2"))
        #expect(renamed.json["name"] == "stay 2")
        #expect(try app.agency.all("\(target.path)/images").count == 2)
    }

    @Test func `a copy in its own app has another name`() throws {
        let app = try app()
        let message = try message(app)
        let body: JSONTree = ["appId": .string(app.id.description)]
        #expect(try app.agency.post("\(message)/copies", body).status == 409)
        let made = try app.agency.post("\(message)/copies", body.with("name", "other"), key: "k")
        #expect(made.status == 201, "\(made.text)")
        let replayed = try app.agency.post(
            "\(message)/copies", body.with("name", "other"), key: "k")
        #expect(replayed.body == made.body && replayed.header("Idempotency-Replayed") == "true")
        #expect(try texts(app, try #require(made.header("Location"))) == texts(app, message))
        #expect(try app.agency.all("\(app.path)/images").count == 2)
    }

    @Test func `an app that the key may not see is unknown`() throws {
        let app = try app()
        let message = try message(app)
        let hidden = try ContentApp(app.agency)
        let foreign = try ContentApp(try app.agency.stage.makeAgency())
        let key = try app.agency.stage.makeKey(of: app.agency, apps: [app.id])
        for target in [hidden.id, foreign.id, AppID.make(at: app.agency.stage.now)] {
            let answer = try key.post(
                "\(message)/copies", ["appId": .string(target.description), "name": ""])
            #expect(answer.status == 422)
            #expect(answer.errors == ["/name tooShort", "/appId unknownReference"])
        }
        let wrong = try app.agency.post("\(message)/copies", ["appId": "x", "y": .null])
        #expect(wrong.errors == ["/appId badFormat", "/y unknown"])
        #expect(try app.agency.post("\(message)/copies", [:]).errors == ["/appId required"])
        #expect(try hidden.agency.all("\(hidden.path)/messages").isEmpty)
    }
}
