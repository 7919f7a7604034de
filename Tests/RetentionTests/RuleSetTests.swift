import FoundationEssentials
import Retention
import Testing

@Suite struct RuleSetTests {
    private static let message = "msg_00000000000000000000000001"
    private static let rule = "rule_00000000000000000000000001"

    private static func json(
        version: String = "1", when: String = "{}",
        treatment: String = "{\"kind\":\"fallback\"}"
    ) -> Data {
        Data(
            """
            {"schemaVersion":\(version),"rules":[{"id":"\(rule)","name":"first",
            "when":\(when),"treatment":\(treatment)}]}
            """.utf8)
    }

    private func decode(_ data: Data) throws -> RuleSet {
        try JSONDecoder().decode(RuleSet.self, from: data)
    }

    private func treatment(_ json: String) throws -> Treatment? {
        try decode(Self.json(treatment: json)).rules.first?.treatments.first
    }

    private func rule(_ when: Condition, _ treatment: Treatment) -> Rule {
        Rule(id: RuleID(UUID()), name: "name", when: when, treatment: treatment)
    }

    @Test func `every treatment and condition survives JSON`() throws {
        let message = MessageID(UUID())
        let conditions = [
            Condition.always, Condition.of(productIds: []), Condition.of(productIds: ["a", "b"]),
            Condition.of(languages: ["ja"]), Condition.of(environments: [.sandbox]),
            Condition.of(productIds: ["a"], languages: ["zh"], environments: [.production]),
        ]
        let plan = BillingPlanType(rawValue: "LATER_PLAN")
        let treatments: [Treatment] = [
            .message(message), .fallback,
            .switchPlan(message, productId: "yearly", billingPlanType: nil),
            .switchPlan(message, productId: "yearly", billingPlanType: .monthly),
            .switchPlan(message, productId: "yearly", billingPlanType: plan),
            .promotionalOffer(message, productId: "yearly", offerIdentifier: "half"),
        ]
        let rules = conditions.flatMap { when in treatments.map { rule(when, $0) } }
        let ruleSet = RuleSet(rules: rules)
        #expect(try decode(JSONEncoder().encode(ruleSet)) == ruleSet)
    }

    @Test func `each treatment has the shape the documents name`() throws {
        let id = try #require(MessageID(Self.message))
        let expected: [(String, Treatment)] = [
            (#"{"kind":"message","messageId":"\#(Self.message)"}"#, .message(id)),
            (
                #"{"kind":"switchPlan","messageId":"\#(Self.message)","productId":"y"}"#,
                .switchPlan(id, productId: "y", billingPlanType: nil)
            ),
            (
                #"{"kind":"switchPlan","messageId":"\#(Self.message)","productId":"y","#
                    + #""billingPlanType":"MONTHLY"}"#,
                .switchPlan(id, productId: "y", billingPlanType: .monthly)
            ),
            (
                #"{"kind":"promotionalOffer","messageId":"\#(Self.message)","productId":"y","#
                    + #""offerIdentifier":"o"}"#,
                .promotionalOffer(id, productId: "y", offerIdentifier: "o")
            ),
            (#"{"kind":"fallback"}"#, .fallback),
        ]
        for (json, wanted) in expected { #expect(try treatment(json) == wanted) }
    }

    @Test(arguments: [
        #"{}"#, #"{"kind":"coupon"}"#, #"{"kind":"message"}"#,
        #"{"kind":"message","messageId":"app_00000000000000000000000001"}"#,
        #"{"kind":"switchPlan","messageId":"msg_00000000000000000000000001"}"#,
        #"{"kind":"promotionalOffer","messageId":"msg_00000000000000000000000001","#
            + #""productId":"y"}"#,
        #"{"kind":"promotionalOffer","productId":"y","offerIdentifier":"o"}"#, #""fallback""#,
        "null",
    ])
    func `a treatment that lacks something or is unknown is refused`(json: String) {
        #expect(throws: DecodingError.self) { _ = try treatment(json) }
    }

    @Test(arguments: [
        #"{"kind":"fallback","unless":["ja"]}"#,
        #"{"kind":"message","messageId":"msg_00000000000000000000000001","productId":"y"}"#,
        #"{"kind":"switchPlan","messageId":"msg_00000000000000000000000001","productId":"y","#
            + #""offerIdentifier":"o"}"#,
        #"{"kind":"switchPlan","messageId":"msg_00000000000000000000000001","productId":"y","#
            + #""billingplantype":"MONTHLY"}"#,
    ])
    func `a treatment with a member that its kind has not is refused`(json: String) {
        #expect(throws: DecodingError.self) { _ = try treatment(json) }
    }

    @Test(arguments: ["0", "3", "-1", "null", "\"1\"", "1.5"])
    func `another schemaVersion is refused`(version: String) throws {
        #expect(throws: DecodingError.self) { _ = try decode(Self.json(version: version)) }
        #expect(try decode(Self.json()).rules.count == 1)
    }

    @Test(arguments: [
        #"{"profile":"x"}"#, #"{"productIds":["a"],"tenure":3}"#, #"{"languages":["ja"],"not":{}}"#,
        #"{"productids":["a"]}"#, #"{"":1}"#, #"{"environments":["Xcode"]}"#,
        #"{"environments":["production"]}"#, #"{"productIds":"a"}"#, "[]",
    ])
    func `a condition that this build cannot judge refuses the whole set`(when: String) {
        #expect(throws: DecodingError.self) { _ = try decode(Self.json(when: when)) }
    }

    @Test func `a member of a rule that this build does not know refuses the set`() {
        let json = """
            {"schemaVersion":1,"rules":[{"id":"\(Self.rule)","name":"n","when":{},
            "unless":{"languages":["ja"]},"treatment":{"kind":"fallback"}}]}
            """
        #expect(throws: DecodingError.self) { _ = try decode(Data(json.utf8)) }
    }

    @Test func `sixty-four random shares are read in all rules, one more is not`() throws {
        func ruleSet(_ count: Int) -> RuleSet {
            let share = Condition.randomShare(RandomShare(salt: "s", basisPoints: 5))
            return RuleSet(
                rules: (0..<count).map { _ in rule(.all([.not(share)]), .fallback) })
        }
        let most = ruleSet(RuleSet.sharesLimit)
        #expect(try decode(JSONEncoder().encode(most)).shares == 64)
        let tooMany = ruleSet(RuleSet.sharesLimit + 1)
        #expect(throws: DecodingError.self) { _ = try decode(JSONEncoder().encode(tooMany)) }
    }

    @Test func `two hundred rules are read, one more is not`() throws {
        let rules = (0...RuleSet.rulesLimit).map { _ in rule(.always, .fallback) }
        let most = RuleSet(rules: Array(rules.dropLast()))
        #expect(try decode(JSONEncoder().encode(most)).rules.count == 200)
        let tooMany = RuleSet(rules: rules)
        #expect(throws: DecodingError.self) { _ = try decode(JSONEncoder().encode(tooMany)) }
    }
}
