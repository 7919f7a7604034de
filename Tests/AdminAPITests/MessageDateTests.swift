import AdminAPI
import Foundation
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

@Suite(.database) struct MessageDateTests {
    @Test func `days are set, shown, kept by a copy and cleared`() throws {
        let app = try ContentApp(try GatewayStage().makeAgency())
        let made = try app.agency.post(
            "\(app.path)/messages",
            ["name": "sale", "kind": "text", "showUntil": "2999-12-31", "reviewBy": "2999-06-30"])
        let path = try #require(made.header("Location"), "\(made.text)")
        #expect(made.json["showUntil"] == "2999-12-31")
        #expect(made.json["reviewBy"] == "2999-06-30")
        #expect(made.json["isStale"] == false && made.json["needsReview"] == false)
        #expect(try app.agency.get(path).json == made.json)
        #expect(try app.agency.get(path).header("ETag") == made.header("ETag"))
        let copy = try app.agency.post(
            "\(path)/copies", ["appId": .string("\(app.id)"), "name": "sale 2"])
        #expect(copy.json["showUntil"] == "2999-12-31", "\(copy.text)")
        let kept = try app.agency.patch(path, ["name": "sale 3"])
        #expect(kept.json["showUntil"] == "2999-12-31")
        let cleared = try app.agency.patch(path, ["showUntil": .null])
        #expect(cleared.json["showUntil"] == .null)
        #expect(cleared.json["reviewBy"] == "2999-06-30")
        #expect(try app.audit() == "message.update \(path.lastSegment)")
        #expect(
            try app.agency.patch(path, ["showUntil": "2027-02-30"]).errors
                == ["/showUntil badFormat"])
        #expect(
            try app.agency.post(
                "\(app.path)/messages", ["name": "x", "kind": "text", "reviewBy": 20270101]
            ).errors == ["/reviewBy wrongType"])
    }

    /// A day ends where the app is, and the tag of a message does not change with it.
    @Test(arguments: [("Pacific/Kiritimati", true), ("Pacific/Pago_Pago", false), ("UTC", false)])
    func `content is stale once its last day is over in the app's time zone`(
        zone: String, isStale: Bool
    ) throws {
        let stage = try GatewayStage()
        let app = try ContentApp(try stage.makeAgency())
        // 12:00 UTC of the last day: the next has begun on Kiritimati, 14 hours ahead.
        let day: Int64 = 86_400_000
        let today = stage.now.milliseconds / day
        let text = String(JSONTree.time(today * day).prefix(10))
        stage.clock.set(milliseconds: today * day + day / 2)
        #expect(try app.agency.patch(app.path, ["timeZone": .string(zone)]).status == 200)
        let path = try app.message()
        let set = try app.agency.patch(
            path, ["showUntil": .string(text), "reviewBy": .string(text)])
        #expect(set.json["isStale"] == .boolean(isStale), "\(set.text)")
        #expect(set.json["needsReview"] == .boolean(isStale))
        stage.clock.set(milliseconds: (today + 2) * day)
        let later = try app.agency.get(path)
        #expect(later.json["isStale"] == true)
        #expect(later.header("ETag") == set.header("ETag"))
    }
}
