import AdminAPI
import Foundation
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

@Suite(.database) struct ExplanationTests {
    @Test func aDecisionIsExplainedByTheCodeThatTookIt() throws {
        let stage = try DecidingStage()
        let number = try stage.publish(stage.rules())
        let decision = Decision(
            answer: .alternateProduct(
                try stage.placed(stage.app.plan, "de-DE"), productId: stage.app.yearly,
                billingPlanType: nil), rule: try stage.rule(0), localeServed: "de-DE")
        let id = try stage.decide(
            stage.subscriber(days: 400), of: "2000000123", snapshot: number, as: decision)
        let read = try stage.app.agency.get("/v1/decisions/\(id)")
        #expect(read.status == 200, "\(read.text)")
        #expect(read.json["id"]?.text == id && read.json["kind"] == "switchPlan")
        #expect(read.json["profileSource"] == "memory")
        #expect(read.json["timings"]?["signMicroseconds"] == 4)
        let explanation = try #require(read.json["explanation"])
        #expect(explanation["isReproduced"] == true, "\(read.text)")
        #expect(explanation["snapshot"]?["number"]?.number == number)
        let walk = try #require(explanation["walk"])
        #expect(walk["localeChain"] == ["de-DE", "en-US"] && walk["holdout"] == .null)
        let rules = walk["rules"]?.elements ?? []
        #expect(rules.map { $0["result"] } == ["answered"])
        let parts = rules[0]["condition"]?["all"]?.elements ?? []
        #expect(parts[0]["value"] == 400 && parts[0]["verdict"] == "yes")
        #expect(parts[0]["fact"] == "tenureDays" && parts[0]["atLeast"] == 365)
        #expect(parts[1]["not"]?["value"] == false && parts[1]["not"]?["verdict"] == "no")
        #expect(parts[1]["verdict"] == "yes")
        #expect(rules[0]["treatments"] == [["kind": "switchPlan", "dead": .null]])
    }

    /// Also after a rollback, whose version is the older one.
    @Test func theVersionOfTheRulesIsNamed() throws {
        let stage = try DecidingStage()
        let app = stage.app
        let numbers = [
            try stage.publish(stage.rules()), try stage.publish(TestApp.rules(app.says(app.text))),
        ]
        let back = try #require(
            try app.publish(1, .production).json["snapshotNumber"]?.number)
        // One more snapshot with the same rules.
        try app.place([app.text], in: ["fr-FR"])
        let last = try #require(
            try app.agency.all("\(app.path)/snapshots").first?["number"]?.number)
        #expect(numbers[1] < back && back < last)
        let fallback = Decision(answer: .fallback(.nothingToShow), rule: nil, localeServed: nil)
        for (snapshot, version) in zip(numbers + [back, last], [1, 2, 1, 1] as [Int64]) {
            let id = try stage.decide(
                stage.subscriber(days: 1), of: "1", snapshot: snapshot, as: fallback)
            let read = try app.agency.get("/v1/decisions/\(id)")
            #expect(
                read.json["explanation"]?["snapshot"]?["ruleSetVersion"] == .integer(version),
                "\(read.text)")
        }
    }

    @Test func whatDoesNotFollowIsSaidAndWhatCannotBeExplainedToo() throws {
        let stage = try DecidingStage()
        let number = try stage.publish(stage.rules())
        let fallback = Decision(
            answer: .fallback(.nothingToShow), rule: nil, localeServed: nil)
        let wrong = try stage.decide(
            stage.subscriber(days: 400), of: "1", snapshot: number, as: fallback)
        let answer = try stage.app.agency.get("/v1/decisions/\(wrong)")
        #expect(answer.json["explanation"]?["isReproduced"] == false, "\(answer.text)")
        for (subscriber, snapshot, reason) in [
            (nil, number, "inputsNotKept"),
            (stage.subscriber(days: 1), number + 99, "snapshotForgotten"),
        ] as [(KnownSubscriber?, Int64, String)] {
            let id = try stage.decide(subscriber, of: "2", snapshot: snapshot, as: fallback)
            let read = try stage.app.agency.get("/v1/decisions/\(id)")
            #expect(read.json["explanation"] == .null)
            #expect(read.json["explanationMissing"]?.text == reason)
        }
        try stage.app.agency.stage.database.superuser.withConnection { connection in
            _ = try connection.query("update holdfast.decision set inputs = '\\xff'::bytea")
        }
        let unread = try stage.app.agency.get("/v1/decisions/\(wrong)")
        #expect(unread.json["explanationMissing"] == "inputsUnreadable")
    }

    /// The arm and its bucket, which anybody can reckon: see docs/rules.md.
    @Test func anExperimentShowsItsBucket() throws {
        let stage = try DecidingStage()
        let number = try stage.publish(stage.rules())
        let id = try stage.decide(
            stage.subscriber(days: 1), of: "2000000123456789", snapshot: number,
            as: Decision(answer: .fallback(.nothingToShow), rule: nil, localeServed: nil))
        let walk = try stage.app.agency.get("/v1/decisions/\(id)").json["explanation"]?["walk"]
        let rule = walk?["rules"]?.elements.last
        #expect(rule?["bucket"] == 5_334)
        #expect(rule?["arm"] == "yearly")
        #expect(walk?["rules"]?.elements.first?["result"] == "notMatched")
    }

    @Test func anIdentifierIsReadStrictlyAndOpensNothingForeign() throws {
        let stage = try DecidingStage()
        let number = try stage.publish(stage.rules())
        let id = try stage.decide(
            stage.subscriber(days: 1), of: "1", snapshot: number,
            as: Decision(answer: .fallback(.nothingToShow), rule: nil, localeServed: nil))
        let agency = stage.app.agency
        let other = try agency.stage.makeAgency()
        let limited = try agency.stage.makeKey(of: agency, apps: [])
        for stranger in [other, limited] {
            #expect(try stranger.get("/v1/decisions/\(id)").code == "notFound")
        }
        var spellings = [
            id + "A", String(id.dropLast()), id + "=", "dec_", "x", id.uppercased(),
            "rule_" + id.dropFirst(4),
        ]
        // The last digit has bits to spare; only one spelling is the identifier.
        spellings.append(String(id.dropLast()) + (id.hasSuffix("A") ? "B" : "A"))
        for spelling in spellings {
            #expect(try agency.get("/v1/decisions/\(spelling)").code == "notFound", "\(spelling)")
        }
    }
}
