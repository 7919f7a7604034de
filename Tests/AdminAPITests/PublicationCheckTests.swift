import AdminAPI
import Foundation
import Postgres
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

/// Rules are put in force only where Apple has approved what they name, and only such as can answer.
@Suite(.database) struct PublicationCheckTests {
    @Test func everyMessageIsApprovedInTheDefaultLocaleOfThatEnvironment() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let steps: [JSONTree] = [app.says(app.text), app.offers(app.offer, on: app.monthly)]
        let arms: [JSONTree] = [
            ["key": "a", "weight": 50, "treatment": app.switches(to: app.yearly)],
            [
                "key": "b", "weight": 50,
                "treatment": ["kind": "escalation", "steps": .array(steps)],
            ],
        ]
        let rule = TestApp.rule(
            0, when: TestApp.products(app.monthly),
            [
                "experiment": [
                    "id": "exp_01KB9S3A001HJG5B8YR0ZTPE4C", "name": "e", "arms": .array(arms),
                ]
            ])
        #expect(try app.freeze(TestApp.body([rule])).status == 201)
        try app.place([app.text], .approved, at: [.sandbox])
        try app.place([app.plan], in: ["de-DE"], .approved)
        try app.place([app.discount], .pending)
        let place = "/rules/0/experiment/arms"
        #expect(
            Set(try app.publish(1, .sandbox).errors) == [
                "\(place)/0/treatment/messageId notApproved",
                "\(place)/1/treatment/steps/1/messageId notApproved",
            ])
        #expect(
            try app.publish(1, .production).errors.contains(
                "\(place)/1/treatment/steps/0/messageId notApproved"))
        #expect(try app.agency.all("\(app.path)/publications?environment=Sandbox").isEmpty)
        try app.place([app.plan, app.discount], .approved, at: [.sandbox])
        try app.place([app.text], in: ["ja", "fr-FR"], .rejected)
        let published = try app.publish(1, .sandbox)
        #expect(published.status == 201, "\(published.text)")
        let warnings = published.json["warnings"]?.elements ?? []
        #expect(warnings.map { $0["code"] } == ["localesWithoutText"])
        #expect(warnings.first?["messageId"] == .string(app.text.description))
        #expect(warnings.first?["locales"] == ["fr-FR", "ja"])
    }

    @Test func aRuleThatNobodyMeetsOrThatHidesTheRestIsRefused() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        try app.place([app.text])
        let says = ["treatment": app.says(app.text)]
        let over: JSONTree = ["to": "2020-01-01T00:00:00Z"]
        let contradiction: JSONTree = [
            "all": [
                ["fact": "tenureDays", "atLeast": 9], ["fact": "tenureDays", "below": 9],
            ]
        ]
        for (rules, faults) in [
            ([TestApp.rule(0, when: contradiction, says)], ["/rules/0 neverMatches"]),
            ([TestApp.rule(0, when: ["any": []], says)], ["/rules/0 neverMatches"]),
            (
                [TestApp.rule(0, says.merging(["schedule": over]) { a, _ in a })],
                ["/rules/0 neverMatches"]
            ),
            ([TestApp.rule(0, says), TestApp.rule(1, says)], ["/rules/0 hidesLaterRules"]),
            (
                [
                    TestApp.rule(0, when: TestApp.products(app.monthly), says),
                    TestApp.rule(1, says),
                ],
                []
            ),
        ] as [([JSONTree], [String])] {
            let frozen = try app.freeze(TestApp.body(rules))
            let version = try #require(frozen.json["version"]?.number, "\(frozen.text)")
            let answer = try app.publish(Int(version), .sandbox)
            #expect(answer.errors == faults, "\(answer.text)")
            #expect(answer.status == (faults.isEmpty ? 201 : 422))
        }
    }

    /// A campaign that is over must not keep an agency from going back to what worked.
    @Test func whatWasInForceIsPutBackWithAWarning() throws {
        let stage = try GatewayStage()
        let app = try stage.makeAgency().makeTestApp()
        try app.place([app.text])
        let end = JSONTree.time(stage.now.milliseconds + 60_000)
        let campaign = TestApp.rule(
            0, ["treatment": app.says(app.text), "schedule": ["to": .string(end)]])
        _ = try app.freeze(TestApp.body([campaign]))
        _ = try app.freeze(TestApp.body([]))
        #expect(try app.publish(1, .sandbox).status == 201)
        stage.clock.advance(milliseconds: 120_000)
        #expect(try app.publish(2, .sandbox).status == 201)
        let back = try app.publish(1, .sandbox)
        #expect(back.status == 201 && back.json["isRollback"] == true, "\(back.text)")
        #expect(back.json["warnings"]?.elements.map { $0["code"] } == ["neverMatches"])
        #expect(try app.publish(1, .production).errors == ["/rules/0 neverMatches"])
    }

    @Test func theHistoryTellsWhatChanged() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        try app.place([app.text])
        let says = ["treatment": app.says(app.text)]
        let products = [app.monthly, app.yearly, app.extra]
        func rule(_ index: Int, _ product: Int) -> JSONTree {
            TestApp.rule(index, when: TestApp.products(products[product]), says)
        }
        _ = try app.freeze(TestApp.body([rule(0, 0), rule(1, 1), rule(2, 2)]))
        _ = try app.freeze(
            TestApp.body([rule(2, 2), rule(0, 1), rule(3, 0)]).merging([
                "holdout": ["percent": 10, "answer": "fallback"],
                "governor": ["coolDownDays": 7],
            ]))
        let first = try app.publish(1, .sandbox)
        app.agency.stage.clock.advance(milliseconds: 1)
        let second = try app.publish(2, .sandbox)
        func names(_ answer: TestAnswer, _ member: String) throws -> [String] {
            let read = try app.agency.get(try #require(answer.header("Location")))
            return (read.json["changes"]?[member]?.elements ?? []).compactMap { $0["name"]?.text }
        }
        #expect(try names(first, "rulesAdded") == ["rule 0", "rule 1", "rule 2"])
        #expect(try names(second, "rulesAdded") == ["rule 3"])
        #expect(try names(second, "rulesRemoved") == ["rule 1"])
        #expect(try names(second, "rulesChanged") == ["rule 0"])
        #expect(try names(second, "rulesMoved").count == 1)
        let changes = try app.agency.get(try #require(second.header("Location"))).json["changes"]
        #expect(changes?["rulesChanged"]?.elements[0]["members"] == ["when"])
        #expect(changes?["holdout"]?["to"]?["percent"] == 10)
        #expect(changes?["governor"] == ["from": [:], "to": ["coolDownDays": 7]])
        let stranger = try app.agency.stage.makeAgency()
        #expect(try stranger.get(try #require(second.header("Location"))).code == "notFound")
    }

    @Test func aMessageOfAppStoreConnectWaitsForSomebodysWord() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let id = UUID().uuidString.lowercased()
        let rules = TestApp.rules([
            "kind": "appStoreConnectMessage", "messageIdentifier": .string(id),
        ])
        #expect(
            try app.freeze(rules).errors
                == ["/ruleSet/rules/0/treatment/messageIdentifier unknownReference"])
        let base = "\(app.path)/app-store-connect-messages"
        let made = try app.agency.post(
            base, ["messageIdentifier": .string(id), "name": "winter"])
        #expect(made.status == 201, "\(made.text)")
        let path = try #require(made.header("Location"))
        let twice = try app.agency.post(
            base, ["messageIdentifier": .string(id), "name": "other"])
        #expect(twice.status == 409 && twice.errors == ["/messageIdentifier duplicate"])
        #expect(try app.freeze(rules).status == 201)
        #expect(try app.publish(1, .sandbox).status == 201)
        #expect(
            try app.publish(1, .production).errors
                == ["/rules/0/treatment/messageIdentifier notConfirmed"])
        let confirmed = try app.agency.post("\(path)/confirmations", nil)
        #expect(confirmed.status == 201, "\(confirmed.text)")
        #expect(confirmed.json["confirmedBy"]?["kind"] == "apiKey")
        #expect(try app.publish(1, .production).status == 201)
        #expect(try app.agency.delete(path).code == "inUse")
        #expect(try app.agency.all(base, limit: 1).count == 1)
        _ = try app.freeze(TestApp.body([]))
        for environment in StoreEnvironment.allCases { _ = try app.publish(2, environment) }
        #expect(try app.agency.delete(path).status == 204)
        #expect(try app.agency.get(path).code == "notFound")
        #expect(try app.agency.get("\(base)/nonsense").code == "notFound")
        #expect(
            try app.agency.post(base, ["messageIdentifier": .string(id.uppercased()), "name": "x"])
                .errors == ["/messageIdentifier badFormat"])
    }

    @Test func aVersionOfAnotherFormIsNotServed() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        _ = try app.freeze(TestApp.body([]))
        try app.agency.stage.database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                update holdfast.rule_set set body = jsonb_set(body, '{schemaVersion}', '3')
                where app_id = \(app.id.uuid)
                """)
        }
        #expect(try app.publish(1, .sandbox).code == "conflict")
        #expect(try app.agency.get("\(app.path)/rule-sets/1").code == "conflict")
    }

    /// Whoever changes weights moves as few subscribers as can be, and a rollback moves them back.
    @Test func aChangeOfWeightsMovesTheFewest() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        func buckets(_ weights: [Int64]) throws -> [[ClosedRange<Int64>]] {
            let arms = weights.enumerated().map { index, weight -> JSONTree in
                [
                    "key": .string("arm \(index)"), "weight": .integer(weight),
                    "treatment": ["kind": "fallback"],
                ]
            }
            let frozen = try app.freeze(
                TestApp.body([
                    TestApp.rule(
                        0,
                        [
                            "experiment": [
                                "id": "exp_01KB9S3A001HJG5B8YR0ZTPE4C", "name": "e",
                                "arms": .array(arms),
                            ]
                        ])
                ]))
            let rule = frozen.json["ruleSet"]?["rules"]?.elements.first
            return (rule?["experiment"]?["arms"]?.elements ?? []).map { arm in
                (arm["buckets"]?.elements ?? []).compactMap { range in
                    guard let first = range["first"]?.number, let end = range["end"]?.number else {
                        return nil
                    }
                    return first...(end - 1)
                }
            }
        }
        func owners(_ arms: [[ClosedRange<Int64>]]) -> [Int64: Int] {
            var owners: [Int64: Int] = [:]
            for (arm, ranges) in arms.enumerated() {
                for bucket in ranges.joined() { owners[bucket] = arm }
            }
            return owners
        }
        let first = owners(try buckets([50, 50]))
        let second = owners(try buckets([50, 30, 20]))
        let third = owners(try buckets([20, 30, 50]))
        #expect(first.count == 10_000 && second.count == 10_000 && third.count == 10_000)
        #expect(first.count { second[$0.key] != $0.value } == 2_000)
        #expect(second.count { third[$0.key] != $0.value } == 3_000)
    }
}
