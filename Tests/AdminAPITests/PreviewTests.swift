import AdminAPI
import Foundation
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

@Suite(.database) struct PreviewTests {
    @Test func theDraftIsPreviewedElseWhatIsInForce() throws {
        let stage = try DecidingStage()
        let nothing = try preview(stage)
        #expect(nothing.json["rules"] == ["source": "none", "version": .null])
        #expect(nothing.json["decision"]?["fallbackReason"] == "nothingToShow")
        _ = try stage.publish(stage.rules())
        #expect(try preview(stage).json["rules"] == ["source": "published", "version": 1])
        let draft = TestApp.rules(["kind": "fallback"]).merging([
            "holdout": ["percent": 0, "confirmNoHoldout": true]
        ])
        _ = try stage.app.agency.send("PUT", "\(stage.app.path)/rule-set-draft", draft)
        let drafted = try preview(stage)
        #expect(drafted.json["rules"] == ["source": "draft", "version": .null])
        #expect(drafted.json["decision"]?["fallbackReason"] == "chosenByRule")
        #expect(
            try preview(stage, ["version": 1]).json["rules"] == ["source": "version", "version": 1])
        let given = try preview(stage, ["ruleSet": stage.rules()])
        #expect(given.json["rules"] == ["source": "body", "version": .null])
        #expect(given.json["walk"]?["rules"]?.elements.last?["arm"]?.text != nil, "\(given.text)")
        #expect(try stage.app.agency.all("\(stage.app.path)/decisions").isEmpty)
    }

    @Test func aSubscriberIsDescribedOrLookedUp() throws {
        let stage = try DecidingStage()
        _ = try stage.publish(stage.rules())
        let ago = JSONTree.time(stage.app.agency.stage.now.milliseconds - 400 * 86_400_000)
        let described = try preview(
            stage, ["subscriber": ["subscribedAt": .string(ago), "inTrial": false]])
        #expect(described.json["decision"]?["ruleId"] == .string(TestApp.ruleId(0)))
        #expect(described.json["subscriberSource"] == "body")
        // Too old to be known.
        let stale = try preview(
            stage,
            ["subscriber": ["subscribedAt": .string(ago), "asOf": .string(ago), "inTrial": false]])
        #expect(stale.json["walk"]?["rules"]?.elements[0]["result"] == "unknown")
        let absent = try preview(stage, ["originalTransactionId": "77"])
        #expect(absent.json["subscriberSource"] == "absent")
        var profile = SubscriberProfile()
        profile.subscribedAt = Instant(
            milliseconds: stage.app.agency.stage.now.milliseconds - 400 * 86_400_000)
        profile.inTrial = false
        try stage.app.change {
            try $0.upsertProfile(
                StoredProfile(body: profile.encoded(), asOf: stage.app.agency.stage.now),
                of: "77", at: stage.key)
        }
        let kept = try preview(stage, ["originalTransactionId": "77"])
        #expect(kept.json["subscriberSource"] == "kept")
        #expect(kept.json["decision"]?["ruleId"] == .string(TestApp.ruleId(0)), "\(kept.text)")
        // At another time it is as old as it would be then.
        let later = JSONTree.time(stage.app.agency.stage.now.milliseconds + 30 * 86_400_000)
        let then = try preview(stage, ["originalTransactionId": "77", "at": .string(later)])
        #expect(then.json["walk"]?["rules"]?.elements[0]["result"] == "unknown")
    }

    @Test func clientFactsAndCountersCount() throws {
        let stage = try DecidingStage()
        let app = stage.app
        let rules = TestApp.body([
            TestApp.rule(
                0, when: ["fact": "client.appVersion", "atLeastVersion": "9.0.0"],
                ["treatment": app.offers(app.offer, on: app.monthly)]),
            TestApp.rule(
                1, when: ["fact": "client.seats", "atLeast": 5],
                ["treatment": app.says(app.text)]),
        ]).merging([
            "governor": ["offersPerSubscriber": 1],
            "holdout": ["percent": 0, "confirmNoHoldout": true],
        ])
        let facts: JSONTree = [
            ["name": "appVersion", "value": "10.0.0"], ["name": "seats", "value": 5],
        ]
        let capped = try preview(
            stage, ["ruleSet": rules, "subscriber": ["clientFacts": facts, "offersTaken": 1]])
        // No key is there to sign with, which is found first.
        let steps = capped.json["walk"]?["rules"]?.elements ?? []
        #expect(steps.map { $0["result"] } == ["dead", "answered"], "\(capped.text)")
        #expect(steps.first?["treatments"]?.elements[0]["dead"] == "noKey")
        let faulty = try preview(
            stage,
            [
                "version": 9, "productId": "", "at": "today",
                "subscriber": [
                    "pageViews": -1,
                    "clientFacts": [
                        ["name": "1", "value": .null], ["name": "a", "value": .number(1.5)],
                    ],
                ],
            ])
        #expect(
            Set(faulty.errors) == [
                "/productId tooShort", "/at badFormat", "/subscriber/pageViews outOfRange",
                "/subscriber/clientFacts/0/name badFormat",
                "/subscriber/clientFacts/0/value required",
                "/subscriber/clientFacts/1/value wrongType",
            ])
        #expect(try preview(stage, ["version": 9]).errors == ["/version unknownReference"])
        let both = try preview(stage, ["version": 9, "ruleSet": rules])
        #expect(both.errors == ["/version notAllowed"])
    }

    private func preview(
        _ stage: DecidingStage, _ members: [String: JSONTree] = [:]
    ) throws -> TestAnswer {
        let body: JSONTree = ["productId": .string(stage.app.monthly), "locale": "de-AT"]
        return try stage.app.agency.post("\(stage.app.path)/previews", body.merging(members))
    }
}
