import AdminAPI
import Foundation
import Retention
import RetentionStore
import TestSupport
import Testing

@Suite(.database) struct PromotionTests {
    private let app: ContentApp

    init() throws { app = try ContentApp(try GatewayStage().makeAgency()) }

    private func promote(_ body: JSONTree) throws -> TestAnswer {
        try app.agency.post("\(app.path)/promotions", body, key: UUID().uuidString)
    }

    private let up: JSONTree = ["from": "Sandbox", "to": "Production"]

    private func up(naming messages: String...) -> JSONTree {
        ["from": "Sandbox", "to": "Production", "messageIds": .texts(messages)]
    }

    private func id(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? ""
    }

    @Test func `what is wanted in the sandbox is wanted in production, and that is told`() throws {
        let (one, two) = (try app.message("one"), try app.message("two"))
        _ = try app.localization(one)
        let defaults = try app.agency.post(
            "\(app.path)/defaults?environment=Sandbox",
            ["messageId": .string(id(one)), "productIds": [.string(ContentApp.product)]])
        #expect(defaults.status == 200)
        let answer = try promote(up)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.json["messageIds"] == [.string(id(one)), .string(id(two))])
        #expect(
            answer.json["defaults"] == [
                [
                    "productId": .string(ContentApp.product), "locale": "en-US",
                    "messageId": .string(id(one)),
                ]
            ])
        #expect(answer.json["counts"] == ["messages": 2, "defaults": 1])
        let missing = answer.json["missing"]?.elements.map { $0["code"] }
        #expect(missing == ["credential", "endpoint"])
        #expect(try app.audit() == "app.promote \(app.id)")
        #expect(try app.agency.get(one).json["targets"] == ["Production", "Sandbox"])
        let rows = try app.agency.all("\(app.path)/messages")
        #expect(rows.allSatisfy { $0["targets"] == ["Production", "Sandbox"] })
        let listed = try app.agency.all("\(app.path)/defaults")
        #expect(listed.count == 1)
        let again = try promote(up)
        #expect(again.json["counts"] == ["messages": 0, "defaults": 0])
    }

    @Test func `messages that are named are promoted alone`() throws {
        let (one, two) = (try app.message("one"), try app.message("two"))
        let answer = try promote(up(naming: id(two)))
        #expect(answer.json["messageIds"] == [.string(id(two))])
        #expect(try app.agency.get(one).json["targets"] == ["Sandbox"])
    }

    @Test func `what makes no sense is refused whole`() throws {
        let one = try app.message("one")
        let unknown = MessageID.make(at: app.agency.stage.now)
        let other = try ContentApp(app.agency)
        let foreign = try other.message("theirs")
        let cases: [(JSONTree, [String])] = [
            (["from": "Sandbox", "to": "Sandbox"], ["/to notAllowed"]),
            (["from": "sandbox"], ["/from unknownValue", "/to required"]),
            (
                up(naming: id(one), "\(unknown)", id(foreign), id(one)),
                [
                    "/messageIds/1 unknownReference", "/messageIds/2 unknownReference",
                    "/messageIds/3 duplicate",
                ]
            ),
        ]
        for (body, errors) in cases {
            let answer = try promote(body)
            #expect(answer.status == 422 && answer.errors == errors, "\(answer.text)")
        }
        #expect(try app.agency.get(one).json["targets"] == ["Sandbox"])
        let bare = try app.agency.post("\(app.path)/promotions", up)
        #expect(bare.code == "idempotencyKeyRequired")
    }

    @Test func `a target is added, and taken away, by its name`() throws {
        let message = try app.message()
        let target = "\(message)/targets/Production"
        #expect(try app.agency.send("PUT", target).status == 204)
        app.later()
        #expect(try app.audit() == "message.addTarget \(id(message))")
        let count = try app.auditEvents().count
        #expect(try app.agency.send("PUT", target).status == 204)
        #expect(try app.auditEvents().count == count)
        #expect(try app.agency.get(message).json["targets"] == ["Production", "Sandbox"])
        #expect(try app.agency.send("DELETE", target).status == 204)
        app.later()
        #expect(try app.audit() == "message.removeTarget \(id(message))")
        #expect(try app.agency.send("DELETE", target).code == "notFound")
        #expect(try app.agency.send("DELETE", "\(message)/targets/Sandbox").status == 204)
        #expect(try app.agency.get(message).json["targets"] == [])
        #expect(try app.agency.send("PUT", "\(message)/targets/sandbox").code == "notFound")
        let strangers = try Strangers(to: app)
        try strangers.expectNothing([("PUT", target, nil), ("DELETE", target, nil)])
    }
}
