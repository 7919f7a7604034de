import AdminAPI
import Foundation
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// Rules that an earlier release wrote as version 1, which had no holdout.
@Suite(.database) struct FirstFormTests {
    @Test func aDraftOfVersion1IsNotFrozen() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let path = "\(app.path)/rule-set-draft"
        let rules = TestApp.rules(app.says(app.text))
        #expect(try app.agency.send("PUT", path, rules).status == 201)
        try write("rule_set_draft", of: app)
        let refused = try app.agency.post("\(app.path)/rule-sets", [:])
        #expect(refused.code == "conflict")
        #expect(refused.text.contains("send them again as version 2, with a holdout"))
        #expect(try app.agency.all("\(app.path)/rule-sets").isEmpty)
        // What is shown can be sent back: that is the confirmation.
        let shown = try app.agency.get(path).json
        #expect(
            try app.agency.send("PUT", path, shown, headers: [("If-Match", "*")]).status == 200)
        #expect(try app.agency.post("\(app.path)/rule-sets", [:]).status == 201)
    }

    @Test func aVersion1IsPutInForceOnlyWhereItWas() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        try app.place([app.text])
        #expect(try app.freeze(TestApp.rules(app.says(app.text))).status == 201)
        #expect(try app.publish(1, .sandbox).status == 201)
        #expect(try app.freeze(TestApp.rules(["kind": "fallback"])).status == 201)
        #expect(try app.publish(2, .sandbox).status == 201)
        try write("rule_set", of: app)
        #expect(try app.publish(1, .production).code == "conflict")
        let back = try app.publish(1, .sandbox)
        #expect(back.status == 201, "\(back.text)")
        let target = try app.agency.makeTestApp("Other")
        let copied = try app.agency.post(
            "\(app.path)/rule-sets/1/copies", ["appId": .string(target.id.description)])
        #expect(copied.code == "conflict", "\(copied.text)")
        #expect(try app.agency.get("\(target.path)/rule-set-draft").status == 404)
    }

    @Test func sharesAreCountedInAllRulesTogether() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let share: JSONTree = ["randomShare": ["salt": "s", "percent": 5]]
        func rules(_ counts: Int...) -> JSONTree {
            TestApp.body(
                counts.enumerated().map { index, count in
                    TestApp.rule(
                        index, when: ["any": .array(Array(repeating: share, count: count))],
                        ["treatment": ["kind": "fallback"]])
                })
        }
        #expect(try app.freeze(rules(32, 32)).status == 201)
        #expect(
            try app.freeze(rules(32, 33, 1)).errors == ["/ruleSet/rules/1/when tooMany"])
    }

    @Test func anAppHasAHundredMessagesOfAppStoreConnectAndServesThoseThatRulesName() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let ids = (0..<TenantTransaction.appStoreConnectMessagesLimit).map { _ in UUID() }
        try app.change { transaction in
            for id in ids {
                try transaction.createAppStoreConnectMessage(
                    id, name: id.uuidString, of: app.id)
                try transaction.confirmAppStoreConnectMessage(id, of: app.id)
            }
        }
        let base = "\(app.path)/app-store-connect-messages"
        let one = ids[0].uuidString.lowercased()
        let further: JSONTree = [
            "messageIdentifier": .string(UUID().uuidString.lowercased()), "name": "one more",
        ]
        #expect(try app.agency.post(base, further).code == "conflict")
        #expect(try app.agency.delete("\(base)/\(ids[1].uuidString.lowercased())").status == 204)
        #expect(try app.agency.post(base, further).status == 201)
        let named = RuleSet(rules: [
            Rule(
                id: .make(at: app.agency.stage.now), name: "r", when: .always,
                treatment: .appStoreConnectMessage(ids[0]))
        ])
        let key = AppEnvironment(app: app.id, environment: .production)
        let (none, some) = try app.change { transaction in
            (
                try transaction.prospectiveSnapshot(at: key, RuleSet(rules: [])),
                try transaction.prospectiveSnapshot(at: key, named)
            )
        }
        #expect(none.appStoreConnectMessages.isEmpty)
        #expect(some.appStoreConnectMessages.map { $0.uuidString.lowercased() } == [one])
    }

    /// Turns what is stored into what the earlier release would have written.
    private func write(_ table: String, of app: TestApp) throws {
        let rule = TestApp.ruleId(0)
        let body = """
            {"schemaVersion":1,"rules":[{"id":"\(rule)","name":"first","when":{},
            "treatment":{"kind":"message","messageId":"\(app.text)"}}]}
            """
        let version = table == "rule_set" ? " and version = 1" : ""
        try app.agency.stage.database.superuser.withConnection { connection in
            _ = try connection.query(
                Query(
                    unsafeSQL: """
                        update holdfast.\(table) set body = '\(body)'::jsonb
                        where app_id = '\(app.id.uuid)'\(version)
                        """))
        }
    }
}
