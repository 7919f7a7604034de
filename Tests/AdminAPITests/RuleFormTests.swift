import AdminAPI
import Retention
import TestSupport
import Testing

/// The whole form of rule sets: what is taken is read back as it was sent, and every fault of what
/// is not taken is named at its place.
@Suite(.database) struct RuleFormTests {
    @Test func everyKindOfConditionAndTreatmentIsReadBackAsItWasSent() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let rules = RuleForms.whole(app)
        let made = try app.agency.send("PUT", "\(app.path)/rule-set-draft", rules)
        #expect(made.status == 201, "\(made.text)")
        #expect(made.json == rules)
        // And may be sent again.
        let again = try app.agency.send(
            "PUT", "\(app.path)/rule-set-draft", made.json, headers: [("If-Match", "*")])
        #expect(again.body == made.body)
    }

    @Test func faultsOfConditionsAreNamedAtTheirNodes() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        for (condition, faults) in RuleForms.faultyConditions {
            let answer = try put([TestApp.rule(0, when: condition, Self.fallback)], app)
            let expected = Set(faults.map { "/rules/0/when\($0)" })
            #expect(Set(answer.errors) == expected, "\(condition)")
        }
    }

    @Test func aConditionHasSoManyLevelsAndNodes() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        func nested(_ levels: Int) -> JSONTree {
            (1..<levels).reduce(TestApp.products("a")) { inner, _ in ["not": inner] }
        }
        func wide(_ nodes: Int) -> JSONTree {
            ["all": .array((1..<nodes).map { TestApp.products("p\($0)") })]
        }
        for (condition, isTaken) in [
            (nested(8), true), (nested(9), false), (wide(64), true), (wide(65), false),
        ] {
            let answer = try put([TestApp.rule(0, when: condition, Self.fallback)], app)
            #expect(answer.status < 300 ? isTaken : !isTaken, "\(answer.text)")
            guard !isTaken else { continue }
            #expect(answer.errors == ["/rules/0/when tooMany"])
            let told = answer.json["errors"]?.elements[0]
            #expect([8, 64].contains(told?["limit"]?.number), "\(answer.text)")
        }
    }

    @Test func theHoldoutIsThereUnlessItIsRefusedOnPurpose() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        func put(_ holdout: JSONTree?) throws -> TestAnswer {
            var members: [String: JSONTree] = ["schemaVersion": 2, "rules": []]
            members["holdout"] = holdout
            return try app.agency.send(
                "PUT", "\(app.path)/rule-set-draft", .object(members), headers: match(app))
        }
        #expect(try put(nil).json["holdout"] == TestApp.holdout)
        #expect(
            try put(["percent": 20, "answer": "fallback"]).json["holdout"]
                == ["percent": 20, "answer": "fallback"])
        let none = try put(["percent": 0, "confirmNoHoldout": true])
        #expect(
            none.json["holdout"]
                == ["percent": 0, "answer": "defaultMessage", "confirmNoHoldout": true])
        for (holdout, fault) in [
            (["percent": 0], "/holdout/confirmNoHoldout required"),
            (["percent": 0, "confirmNoHoldout": false], "/holdout/confirmNoHoldout required"),
            (["percent": 5, "confirmNoHoldout": true], "/holdout/confirmNoHoldout notAllowed"),
            (["percent": 21], "/holdout/percent outOfRange"),
            (["percent": .number(2.5)], "/holdout/percent wrongType"),
            ([:], "/holdout/percent required"),
            (["percent": 5, "answer": "nothing"], "/holdout/answer unknownValue"),
        ] as [(JSONTree, String)] { #expect(try put(holdout).errors == [fault], "\(holdout)") }
    }

    @Test func faultsOfGovernorScheduleAndExperimentAreNamed() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let arm: JSONTree = [
            "key": "a", "weight": .number(33.333), "treatment": ["kind": "fallback"],
        ]
        let body = TestApp.body([
            TestApp.rule(
                0,
                [
                    "treatment": ["kind": "fallback"],
                    "schedule": [
                        "from": "2026-12-01T00:00:00Z", "to": "2026-12-01T00:00:00Z",
                        "daily": ["from": "25:00", "to": "9:00"],
                    ],
                ]),
            TestApp.rule(
                1,
                [
                    "experiment": [
                        "id": "exp_x", "name": "e", "arms": [arm, arm],
                    ]
                ]),
            TestApp.rule(
                2,
                [
                    "treatment": [
                        "kind": "escalation",
                        "steps": [["kind": "escalation", "steps": []]],
                    ]
                ]),
            TestApp.rule(3, ["treatment": ["kind": "fallback"], "experiment": .null]),
            TestApp.rule(4, [:]),
        ]).merging([
            "governor": [
                "offersPerSubscriber": 0, "coolDownDays": 3_651,
                "monthlyDiscountBudget": ["amountMilliunits": 0, "currency": "eur"],
            ]
        ])
        let answer = try app.agency.send("PUT", "\(app.path)/rule-set-draft", body)
        #expect(
            Set(answer.errors) == [
                "/governor/offersPerSubscriber outOfRange", "/governor/coolDownDays outOfRange",
                "/governor/monthlyDiscountBudget/amountMilliunits outOfRange",
                "/governor/monthlyDiscountBudget/currency badFormat",
                "/rules/0/schedule/to outOfRange", "/rules/0/schedule/daily/from badFormat",
                "/rules/0/schedule/daily/to badFormat", "/rules/1/experiment/id badFormat",
                "/rules/1/experiment/arms/0/weight outOfRange",
                "/rules/1/experiment/arms/1/weight outOfRange",
                "/rules/1/experiment/arms/1/key duplicate", "/rules/1/experiment/arms outOfRange",
                "/rules/2/treatment/steps tooShort",
                "/rules/2/treatment/steps/0/kind notAllowed",
                "/rules/3/treatment notAllowed", "/rules/4/treatment required",
            ])
        let first = try app.agency.send(
            "PUT", "\(app.path)/rule-set-draft", ["schemaVersion": 1, "rules": []])
        #expect(first.text.contains("send 2"))
    }

    private static let fallback: [String: JSONTree] = ["treatment": ["kind": "fallback"]]

    private func put(_ rules: [JSONTree], _ app: TestApp) throws -> TestAnswer {
        try app.agency.send(
            "PUT", "\(app.path)/rule-set-draft", TestApp.body(rules), headers: match(app))
    }

    private func match(_ app: TestApp) throws -> [(String, String)] {
        let there = try app.agency.get("\(app.path)/rule-set-draft").status == 200
        return there ? [("If-Match", "*")] : []
    }
}

/// Rule sets of every form, and what is wrong with others: shared with the judge of the published
/// schema.
enum RuleForms {
    static let conditions: [JSONTree] = [
        TestApp.always, ["any": []], ["not": ["all": []]],
        ["randomShare": ["salt": "s", "percent": 0]],
        ["randomShare": ["salt": "s", "percent": .number(12.34)]],
        ["randomShare": ["salt": "s", "percent": 100]],
        TestApp.products("a", "b"), ["fact": "subscriptionGroup", "in": ["main"]],
        ["fact": "locale", "in": ["pt-BR", "zh-Hant"]], ["fact": "language", "in": ["ja", "fil"]],
        ["fact": "environment", "in": ["Sandbox"]],
        ["fact": "storefront", "in": ["DEU"], "maxAgeHours": 1],
        ["fact": "billingPlan", "in": ["MONTHLY"]],
        ["fact": "cancelReason", "in": ["TOO_DEAR"], "maxAgeHours": 8_760],
        ["fact": "tenureDays", "atLeast": 30, "below": 365],
        ["fact": "daysToRenewal", "below": -1], ["fact": "paidPeriods", "atLeast": 0],
        ["fact": "pageViews", "atLeast": 3], ["fact": "refunds", "below": 1],
        ["fact": "openRefundRequests", "below": 1],
        ["fact": "daysSinceActive", "atLeast": 7, "maxAgeHours": 24],
        ["fact": "offersTaken", "below": 2], ["fact": "daysSinceOfferTaken", "atLeast": 90],
        ["fact": "inTrial", "is": false], ["fact": "inIntroOffer", "is": true],
        ["fact": "inOffer", "is": false], ["fact": "billingIssue", "is": true],
        ["fact": "lifetimeSpend", "atLeast": 50_000, "below": 90_000, "currency": "EUR"],
        ["fact": "client.plan", "in": ["pro"]], ["fact": "client.seats", "atLeast": 5],
        ["fact": "client.beta", "is": true],
        [
            "fact": "client.appVersion", "atLeastVersion": "2.1-beta.9", "belowVersion": "10.0.0",
            "maxAgeHours": 48,
        ],
    ]

    static let faultyConditions: [(JSONTree, [String])] = [
        ([:], [" required"]), (["all": .null], ["/all wrongType"]),
        (["all": [], "any": []], [" notAllowed"]),
        (["all": [[:]]], ["/all/0 required"]), (["not": ["fact": "x"]], ["/not/fact unknownValue"]),
        (["fact": "tenureDays"], ["/atLeast required"]),
        (["fact": "tenureDays", "atLeast": 5, "below": 5], ["/below outOfRange"]),
        (["fact": "tenureDays", "atLeast": 1, "below": .null], ["/below wrongType"]),
        (["fact": "tenureDays", "is": true], ["/atLeast required", "/is unknown"]),
        (["fact": "tenureDays", "atLeast": 1, "maxAgeHours": 0], ["/maxAgeHours outOfRange"]),
        (["fact": "offersTaken", "below": 1, "maxAgeHours": 1], ["/maxAgeHours unknown"]),
        (["fact": "inTrial"], ["/is required"]), (["fact": "inTrial", "is": 1], ["/is wrongType"]),
        (["fact": "lifetimeSpend", "atLeast": 1], ["/currency required"]),
        (["fact": "lifetimeSpend", "currency": "EUR"], ["/atLeast required"]),
        (["fact": "productId", "in": []], ["/in tooShort"]),
        (["fact": "productId"], ["/in required"]),
        (["fact": "locale", "in": ["pt_br"]], ["/in/0 nearMiss"]),
        (["fact": "storefront", "in": ["deu"]], ["/in/0 badFormat"]),
        (["fact": "client.x"], [" required"]),
        (["fact": "client.x", "in": ["a"], "is": true], [" notAllowed"]),
        (["fact": "client.1"], ["/fact unknownValue"]),
        (["fact": "client.v", "atLeastVersion": "dev"], ["/atLeastVersion badFormat"]),
        (
            ["fact": "client.v", "atLeastVersion": "9.0.0", "belowVersion": "2.0"],
            ["/belowVersion outOfRange"]
        ),
        (
            ["randomShare": ["salt": "", "percent": 101]],
            ["/randomShare/salt tooShort", "/randomShare/percent outOfRange"]
        ),
        (
            ["randomShare": ["salt": "s", "percent": .number(0.001)]],
            ["/randomShare/percent outOfRange"]
        ),
    ]

    /// Every condition, treatment and member at once.
    static func whole(_ app: TestApp) -> JSONTree {
        let steps: [JSONTree] = [
            app.says(app.text), app.switches(to: app.yearly),
            app.offers(app.offer, on: app.monthly).merging(["signatureVersion": 1]),
        ]
        let half: [JSONTree] = [
            ["key": "control", "weight": .number(50.25), "treatment": app.says(app.text)],
            [
                "key": "escalation", "weight": .number(49.75),
                "treatment": ["kind": "escalation", "steps": .array(steps)],
            ],
        ]
        let schedule: JSONTree = [
            "from": "2026-12-01T00:00:00.000Z", "to": "2027-01-01T00:00:00.000Z",
            "daily": ["from": "22:30", "to": "02:00"],
        ]
        return TestApp.body([
            TestApp.rule(
                0, when: ["any": .array(conditions)],
                [
                    "schedule": schedule,
                    "treatment": app.switches(to: app.yearly).merging([
                        "billingPlanType": "MONTHLY"
                    ]),
                ]),
            TestApp.rule(
                1,
                [
                    "experiment": [
                        "id": "exp_01KB9S3A001HJG5B8YR0ZTPE4C", "name": "Half",
                        "arms": .array(half),
                    ]
                ]),
            TestApp.rule(
                2,
                [
                    "schedule": ["daily": ["from": "00:00", "to": "24:00"]],
                    "treatment": [
                        "kind": "appStoreConnectMessage",
                        "messageIdentifier": "0d5f1c3e-8a42-8b6d-9e10-5f4c7a2b6d88",
                    ],
                ]),
        ]).merging([
            "governor": [
                "offersPerSubscriber": 2, "coolDownDays": 90,
                "monthlyDiscountBudget": ["amountMilliunits": 5_000_000, "currency": "EUR"],
            ]
        ])
    }
}
