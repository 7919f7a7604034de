import AdminAPI
import Foundation
import Retention
import RetentionStore
import TestSupport
import Testing

@Suite(.database) struct AppleObjectTests {
    private let app: ContentApp
    private let key: AppEnvironment

    init() throws {
        app = try ContentApp(try GatewayStage().makeAgency())
        key = AppEnvironment(app: app.id, environment: .sandbox)
    }

    private var path: String { "\(app.path)/apple-objects" }
    private let query = "?environment=Sandbox"

    private func resubmit(_ id: UUID) throws -> TestAnswer {
        try app.agency.post(
            "\(path)/\(id.atApple)/resubmissions\(query)", nil, key: UUID().uuidString)
    }

    private func object(_ id: UUID) throws -> JSONTree {
        try app.agency.get("\(path)/\(id.atApple)\(query)").json
    }

    /// A text with a picture, at Apple: the picture's identifier and the text's.
    private func illustrated(_ state: ReviewState) throws -> (image: UUID, text: UUID) {
        let image = try app.image()
        _ = try app.localization(
            try app.message(), "en-US",
            [
                "header": "Before you go", "body": "Stay.",
                "image": ["imageId": .string(image), "altText": "A lake"],
            ])
        let ids = try app.change { try $0.bringToApple(state, at: key) }
        let kinds = try ids.map { try object($0)["kind"] }
        let isImageFirst = kinds == ["image", "message"]
        try #require(isImageFirst || kinds == ["message", "image"])
        return isImageFirst ? (ids[0], ids[1]) : (ids[1], ids[0])
    }

    @Test func `what was sent is told exactly, with its pictures`() throws {
        let ids = try illustrated(.rejected)
        let text = try object(ids.text)
        #expect(text["text"]?["body"] == "Stay." && text["text"]?["locale"] == "en-US")
        let picture = try #require(text["pictures"]?.elements.first)
        #expect(picture["identifier"] == .string(ids.image.atApple))
        #expect(picture["imageId"] == text["text"]?["image"]?["imageId"])
        #expect(picture["state"] == "REJECTED")
        #expect(text["image"] == .null && text["review"]?["seconds"] == 90)
        let image = try object(ids.image)
        #expect(image["image"]?["imageSize"] == "FULL_SIZE" && image["text"] == .null)
        #expect(image["uses"] == text["uses"] && image["useCount"] == 1)
        // An edit is another object; what was sent stays as it was.
        let use = try #require(text["uses"]?.elements.first)
        let place = "messages/\(use["messageId"]?.text ?? "")/localizations/en-US"
        let edit = try app.agency.patch("\(app.path)/\(place)", ["body": "Go."])
        #expect(edit.status == 200)
        let former = try object(ids.text)
        #expect(former["text"]?["body"] == "Stay." && former["uses"] == [])
    }

    @Test func `others' objects are shown and counted and never touched`() throws {
        let ids = try illustrated(.approved)
        let foreign = try app.change { transaction in
            try [
                transaction.bringForeign(.message, at: key),
                transaction.bringForeign(.image, at: key),
            ]
        }
        let all = try app.agency.all(path + query, limit: 1)
        #expect(
            all.map { $0["identifier"]?.text }
                == ([ids.image, ids.text] + foreign).sorted().map(\.atApple))
        let images = try app.agency.all("\(path)\(query)&kind=image")
        #expect(images.count == 2)
        #expect(Set(images.map { $0["isOurs"] }) == [true, false])
        let counts = try app.agency.get("\(app.path)/apple-object-counts\(query)").json
        let messages = try #require(counts["messages"])
        #expect(messages["count"] == 2 && messages["limit"] == 2000)
        #expect(messages["ours"] == 1 && messages["foreign"] == 1)
        #expect(messages["approved"] == 1 && messages["rejected"] == 1)
        let answer = try resubmit(foreign[0])
        #expect(answer.code == "notResubmittable", "\(answer.text)")
        #expect(answer.json["detail"]?.text?.contains("Another tool") == true)
    }

    @Test func `rejected content is submitted anew under its next identifier, once`() throws {
        let ids = try illustrated(.rejected)
        let answer = try resubmit(ids.text)
        #expect(answer.status == 202, "\(answer.text)")
        #expect(answer.header("Location") == "\(path)/\(ids.text.atApple)\(query)")
        let successor = try #require(answer.json["successor"]?.text)
        #expect(successor != ids.text.atApple && answer.json["supersededAt"] != .null)
        #expect(try app.audit() == "appleObject.resubmit \(ids.text.atApple)")
        #expect(try object(ids.text) == answer.json)
        let again = try resubmit(ids.text)
        #expect(again.status == 409 && again.code == "notResubmittable")
        // The sync sends it under the new identifier, which tells where it came from.
        let plan = try app.agency.get("\(app.path)/plan\(query)").json
        let uploads = (plan["steps"]?.elements ?? []).filter {
            $0["operation"] == "uploadMessage"
        }
        #expect(uploads.map { $0["subject"]?["identifier"] } == [.string(successor)])
        _ = try app.change { try $0.bringToApple(.pending, at: key) }
        let next = try object(try #require(UUID(uuidString: successor)))
        #expect(next["generation"] == 1 && next["text"] == answer.json["text"])
        #expect(next["successor"] == .null && next["state"] == "PENDING")
    }

    @Test func `a picture submitted anew takes its texts along`() throws {
        let ids = try illustrated(.rejected)
        #expect(try resubmit(ids.image).status == 202)
        let text = try object(ids.text)
        #expect(text["uses"] == [], "the text that shows it has another identifier now")
    }

    @Test(arguments: [ReviewState.pending, .approved, ReviewState(rawValue: "IN_DISPUTE")])
    func `only what was rejected is submitted anew`(_ state: ReviewState) throws {
        let ids = try illustrated(state)
        let answer = try resubmit(ids.text)
        #expect(answer.status == 409 && answer.code == "notResubmittable")
        #expect(answer.json["detail"]?.text?.contains(state.rawValue) == true)
        #expect(try object(ids.text)["supersededAt"] == .null)
    }

    @Test func `what is not there is not found`() throws {
        for id in ["x", UUID().atApple, "%00"] {
            #expect(try app.agency.get("\(path)/\(id)\(query)").status == 404)
        }
        let ids = try illustrated(.rejected)
        #expect(try app.agency.get("\(path)/\(ids.text.atApple)").code == "notFound")
        let strangers = try Strangers(to: app)
        try strangers.expectNothing([
            ("GET", path + query, nil), ("GET", "\(path)/\(ids.text.atApple)\(query)", nil),
        ])
    }
}
