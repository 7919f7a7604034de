import AdminAPI
import Retention
import RetentionStore
import TestSupport
import Testing

@Suite(.database) struct RuleSetTests {
    @Test func aDraftIsPutReadReplacedAndDeleted() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let agency = app.agency
        let path = "\(app.path)/rule-set-draft"
        #expect(try agency.get(path).code == "notFound")
        let first = TestApp.rules(app.says(app.text))
        let early = try agency.send("PUT", path, first, headers: [("If-Match", "*")])
        #expect(early.status == 412)
        let made = try agency.send("PUT", path, first)
        #expect(made.status == 201, "\(made.text)")
        #expect(made.json == first)
        #expect(made.header("Location") == path)
        let read = try agency.get(path)
        #expect(read.body == made.body && read.header("ETag") == made.header("ETag"))

        let second = TestApp.rules(
            app.offers(app.offer, on: app.monthly), app.switches(to: app.yearly),
            ["kind": "fallback"],
            when: [
                "all": [
                    TestApp.products(app.monthly), ["fact": "language", "in": ["ja", "fil"]],
                    ["fact": "environment", "in": ["Sandbox"]],
                ]
            ])
        #expect(try agency.send("PUT", path, second).status == 428)
        let stale = try agency.send("PUT", path, second, headers: [("If-Match", "\"0\"")])
        #expect(stale.status == 412)
        let tag = try #require(made.header("ETag"))
        let replaced = try agency.send("PUT", path, second, headers: [("If-Match", tag)])
        #expect(replaced.status == 200 && replaced.json == second)
        #expect(try agency.get(path).json == second)

        #expect(try agency.send("DELETE", path).status == 428)
        #expect(try agency.delete(path).status == 204)
        #expect(try agency.get(path).status == 404)
        #expect(try agency.delete(path).status == 404)
        let actions = try agency.all("/v1/audit-events").compactMap { $0["action"]?.text }
        #expect(
            Set(actions) == ["ruleSetDraft.create", "ruleSetDraft.update", "ruleSetDraft.delete"])
    }

    @Test func everyFaultOfTheFormIsNamedAtOnce() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let id = JSONTree.string(TestApp.ruleId(0))
        let body: JSONTree = [
            "schemaVersion": 3, "extra": 1,
            "rules": [
                [
                    "id": id, "name": "", "when": ["appVersion": "1"],
                    "treatment": ["kind": "fallback", "messageId": "x"],
                ],
                [
                    "id": id, "name": "n",
                    "when": [
                        "all": [
                            ["fact": "productId", "in": ["a", "a"]],
                            ["fact": "language", "in": ["DE", "q"]],
                            ["fact": "environment", "in": ["production"]],
                        ]
                    ],
                    "treatment": ["kind": "switchPlan", "messageId": "msg_x", "productId": ""],
                ],
                ["id": "rule_x", "name": 5, "when": [], "treatment": ["kind": "shout"]],
                [
                    "id": .string(TestApp.ruleId(3)), "name": "n", "when": TestApp.always,
                    "treatment": ["kind": "promotionalOffer", "billingPlanType": "MONTHLY"],
                ],
                7,
            ],
        ]
        let answer = try app.agency.send("PUT", "\(app.path)/rule-set-draft", body)
        #expect(answer.status == 422)
        #expect(
            Set(answer.errors) == [
                "/schemaVersion outOfRange", "/extra unknown", "/rules/0/name tooShort",
                "/rules/0/when required", "/rules/0/when/appVersion unknown",
                "/rules/0/treatment/messageId unknown", "/rules/1/id duplicate",
                "/rules/1/when/all/0/in/1 duplicate", "/rules/1/when/all/1/in/0 unknownValue",
                "/rules/1/when/all/1/in/1 tooShort", "/rules/1/when/all/2/in/0 unknownValue",
                "/rules/1/treatment/messageId badFormat", "/rules/1/treatment/productId tooShort",
                "/rules/2/id badFormat", "/rules/2/name wrongType", "/rules/2/when wrongType",
                "/rules/2/when required", "/rules/2/treatment/kind unknownValue",
                "/rules/3/treatment/messageId required",
                "/rules/3/treatment/productId required",
                "/rules/3/treatment/offerIdentifier required",
                "/rules/3/treatment/billingPlanType unknown", "/rules/4 wrongType",
                "/rules/4/id required", "/rules/4/name required", "/rules/4/when required",
                "/rules/4/treatment required",
            ])
        let none = try app.agency.send("PUT", "\(app.path)/rule-set-draft", [:])
        #expect(Set(none.errors) == ["/schemaVersion required", "/rules required"])
    }

    @Test func limitsAreNamedWithWhatWasMeasured() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let path = "\(app.path)/rule-set-draft"
        let fallback: JSONTree = ["kind": "fallback"]
        func rule(
            _ id: RuleID, _ name: String, _ when: JSONTree = TestApp.always
        ) -> JSONTree {
            [
                "id": .string(id.description), "name": .string(name), "when": when,
                "treatment": fallback,
            ]
        }
        func put(_ rules: [JSONTree]) throws -> TestAnswer {
            try app.agency.send("PUT", path, TestApp.body(rules))
        }
        let now = app.agency.stage.now
        let many = try put((0...RuleSet.rulesLimit).map { rule(.make(at: now), "\($0)") })
        #expect(many.errors == ["/rules tooMany"])
        #expect(many.json["errors"]?.elements[0]["limit"] == 200)
        #expect(many.json["errors"]?.elements[0]["measured"] == 201)
        // Whoever counts graphemes would take it: 67 families are 737 UTF-16 units.
        let families = String(repeating: "👨‍👩‍👧‍👦", count: 67)
        let long = try put([rule(.make(at: now), families)])
        #expect(long.errors == ["/rules/0/name tooLong"])
        #expect(long.json["errors"]?.elements[0]["measured"] == 737)
        let products = JSONTree.texts((0...200).map { "product\($0)" })
        let wide = try put([
            rule(.make(at: now), "n", ["fact": "productId", "in": products])
        ])
        #expect(wide.errors == ["/rules/0/when/in tooMany"])
        let nul = try put([rule(.make(at: now), "a\u{0}b", TestApp.products("\u{0}"))])
        #expect(
            [400, 422].contains(nul.status), "\(nul.text)")
        let most = try put(
            (0..<RuleSet.rulesLimit).map { rule(.make(at: now), "rule \($0)") })
        #expect(most.status == 201)
    }

    @Test func aDraftIsFrozenAsTheNextVersion() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let agency = app.agency
        let path = "\(app.path)/rule-sets"
        let nothing = try agency.post(path, [:])
        #expect(nothing.status == 409 && nothing.code == "conflict")
        let rules = TestApp.rules(
            app.offers(app.offer, on: app.monthly), when: TestApp.products(app.yearly))
        _ = try agency.send("PUT", "\(app.path)/rule-set-draft", rules)
        let first = try agency.post(path, [:])
        #expect(first.status == 201, "\(first.text)")
        #expect(first.header("Location") == "\(path)/1")
        #expect(first.json["version"] == 1 && first.json["ruleSet"] == rules)
        #expect(first.json["createdBy"]?["name"] == "tests")
        #expect(try agency.get("\(app.path)/rule-set-draft").status == 404)

        let given = TestApp.rules(app.says(app.text), app.switches(to: app.yearly))
        _ = try agency.send("PUT", "\(app.path)/rule-set-draft", rules)
        let second = try agency.post(path, ["ruleSet": given])
        #expect(second.json["version"] == 2 && second.json["ruleSet"] == given)
        #expect(try agency.get("\(app.path)/rule-set-draft").json == rules)

        let read = try agency.get("\(path)/1")
        #expect(read.body == first.body && read.header("ETag") == first.header("ETag"))
        let list = try agency.all(path, limit: 1)
        #expect(list.map { $0["version"] } == [2, 1])
        #expect(list.map { $0["ruleCount"] } == [2, 1])
        for absent in ["3", "0", "01", "+1", "-1", "x", "99999999999", "1%00"] {
            #expect(try agency.get("\(path)/\(absent)").status == 404, "\(absent)")
        }
        let typo = try agency.post(path, ["ruleset": given])
        #expect(typo.errors == ["/ruleset unknown"])
    }

    @Test func freezingLooksUpWhatRulesName() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let (app, neighbour) = (try agency.makeTestApp(), try agency.makeTestApp())
        let foreign = try stage.makeAgency().makeTestApp()
        let rules = TestApp.rules(
            app.says(neighbour.text), app.says(foreign.text), app.says(app.plan),
            app.switches(to: "com.example.gone", saying: app.text),
            app.offers(app.offer, on: app.yearly), app.offers(app.retentionOffer, on: app.monthly),
            app.switches(to: app.extra).merging(["billingPlanType": "YEARLY"]),
            when: TestApp.products(app.monthly, "com.example.unknown"))
        let expected: Set = [
            "/rules/0/treatment/messageId unknownReference",
            "/rules/1/treatment/messageId unknownReference",
            "/rules/2/treatment/messageId notAllowed", "/rules/3/treatment/messageId notAllowed",
            "/rules/3/treatment/productId unknownReference",
            "/rules/4/treatment/offerIdentifier unknownReference",
            "/rules/5/treatment/offerIdentifier notAllowed",
            "/rules/6/treatment/billingPlanType unknownReference",
            "/rules/6/treatment/productId notAllowed",
        ]
        let products = Set((0...6).map { "/rules/\($0)/when/in/1 unknownReference" })
        let given = try agency.post("\(app.path)/rule-sets", ["ruleSet": rules])
        #expect(given.status == 422)
        #expect(
            Set(given.errors) == Set(expected.union(products).map { "/ruleSet\($0)" }))
        // The draft is judged by its form alone, and then by all of it.
        let draft = try agency.send("PUT", "\(app.path)/rule-set-draft", rules)
        #expect(draft.status == 201)
        let frozen = try agency.post("\(app.path)/rule-sets", [:])
        #expect(Set(frozen.errors) == expected.union(products))
        #expect(try agency.all("\(app.path)/rule-sets").isEmpty)
        #expect(try agency.get("\(app.path)/rule-set-draft").status == 200)
    }

    @Test func aRuleThatNobodyCanReachIsRefused() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        func freeze(_ treatment: JSONTree, from products: [String]) throws -> TestAnswer {
            let when: JSONTree = ["fact": "productId", "in": .texts(products)]
            return try app.freeze(
                TestApp.rules(treatment, when: products.isEmpty ? TestApp.always : when))
        }
        let place = "/ruleSet/rules/0/treatment/productId notAllowed"
        let other = try freeze(app.switches(to: app.extra), from: [app.monthly, app.yearly])
        #expect(other.errors == [place])
        let same = try freeze(app.switches(to: app.yearly), from: [app.yearly])
        #expect(same.errors == [place])
        let far = try freeze(app.offers(app.offer, on: app.monthly), from: [app.extra])
        #expect(far.errors == [place])
        for good in [
            try freeze(app.switches(to: app.yearly), from: [app.extra, app.monthly]),
            try freeze(app.switches(to: app.yearly), from: []),
            try freeze(app.offers(app.offer, on: app.monthly), from: [app.monthly]),
        ] { #expect(good.status == 201, "\(good.text)") }
    }
}
