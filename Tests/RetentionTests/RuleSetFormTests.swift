import FoundationEssentials
import Retention
import Testing

/// The stored form, version 2.
@Suite struct RuleSetFormTests {
    private func decode(_ json: String) throws -> RuleSet {
        try JSONDecoder().decode(RuleSet.self, from: Data(json.utf8))
    }

    private func json(
        when: String = #"{"all":[]}"#, outcome: String = #""treatment":{"kind":"fallback"}"#,
        more: String = "", holdout: String = #"{"percent":5,"answer":"defaultMessage"}"#,
        governor: String = "{}"
    ) -> String {
        """
        {"schemaVersion":2,"holdout":\(holdout),"governor":\(governor),"rules":[
        {"id":"rule_00000000000000000000000001","name":"n","when":\(when),\(outcome)\(more)}]}
        """
    }

    @Test func `every part of the full form survives JSON`() throws {
        let tests: [FactCondition] = [
            FactCondition(.productId, .oneOf(["a"])), FactCondition(.inTrial, .flag(false)),
            FactCondition(.tenureDays, .number(atLeast: 1, below: nil), maxAgeHours: 24),
            FactCondition(.tenureDays, .number(atLeast: nil, below: .max)),
            FactCondition(.lifetimeSpend, .money(atLeast: 1, below: 2, currency: "EUR")),
            FactCondition(.client("v"), .version(atLeast: AppVersion("2.1"), below: nil)),
            FactCondition(.client("level"), .oneOf(["gold"])),
        ]
        let conditions: [Condition] =
            tests.map { .fact($0) } + [
                .not(.any([.always, .randomShare(RandomShare(salt: "s", basisPoints: 12))]))
            ]
        let message = MessageID(UUID())
        let treatments: [Treatment] = [
            .appStoreConnectMessage(UUID()),
            .promotionalOffer(message, productId: "p", offerIdentifier: "o", signature: .v1),
            .escalation([.message(message), .fallback]),
        ]
        let experiment = Experiment(
            id: ExperimentID(UUID()), name: "e",
            arms: treatments.map { .init(key: "\($0.kind)", weight: 2_500, treatment: $0) }
                + [.init(key: "rest", weight: 2_500, treatment: .fallback)])
        let schedule = Schedule(
            from: Instant(milliseconds: 1), to: Instant(milliseconds: 2),
            daily: .init(fromMinute: 3, toMinute: 4))
        let rules =
            conditions.map { when in
                Rule(
                    id: RuleID(UUID()), name: "n", schedule: schedule, when: when,
                    outcome: .experiment(experiment))
            }
            + treatments.map { Rule(id: RuleID(UUID()), name: "n", when: .always, treatment: $0) }
        let ruleSet = RuleSet(
            rules: rules, holdout: Holdout(percent: 20, answer: .fallback),
            governor: Governor(
                offersPerSubscriber: 1, coolDownDays: 2,
                monthlyDiscountBudget: .init(amountMilliunits: 3, currency: "EUR"))
        ).allocated(after: [])
        let coded = try JSONEncoder().encode(ruleSet)
        #expect(try JSONDecoder().decode(RuleSet.self, from: coded) == ruleSet)
    }

    @Test func `version 1 is read, means what it meant, and is written as version 2`() throws {
        let first = try decode(
            """
            {"schemaVersion":1,"rules":[{"id":"rule_00000000000000000000000001","name":"n",
            "when":{"productIds":["a"],"languages":["ja"],"environments":["Sandbox"]},
            "treatment":{"kind":"fallback"}}]}
            """)
        #expect(
            first.rules[0].when
                == .of(productIds: ["a"], languages: ["ja"], environments: [.sandbox]))
        #expect(first.holdout == .nobody)
        #expect(!first.hasChosenHoldout)
        #expect(RuleSet(rules: first.rules).hasChosenHoldout)
        #expect(first.schemaVersion == 2)
        #expect(try JSONDecoder().decode(RuleSet.self, from: JSONEncoder().encode(first)) == first)
    }

    @Test(arguments: [
        "{}", "[]", "null", #"{"all":[],"any":[]}"#, #"{"all":{}}"#, #"{"not":[]}"#,
        #"{"none":[]}"#, #"{"fact":"mood","is":true}"#, #"{"fact":"inTrial"}"#,
        #"{"fact":"inTrial","in":["a"]}"#, #"{"fact":"inTrial","is":1}"#,
        #"{"fact":"productId","atLeast":1}"#, #"{"fact":"tenureDays","is":true}"#,
        #"{"fact":"tenureDays","atLeast":1,"in":["a"]}"#,
        #"{"fact":"tenureDays","atLeast":1,"currency":"EUR"}"#,
        #"{"fact":"lifetimeSpend","atLeast":1}"#, #"{"fact":"tenureDays","atLeast":1.5}"#,
        #"{"fact":"tenureDays","atLeast":1,"maxAgeHours":0}"#,
        #"{"fact":"tenureDays","atLeast":1,"maxAgeHours":8761}"#,
        #"{"fact":"tenureDays","atLeast":1,"unit":"days"}"#,
        #"{"fact":"client.v","atLeastVersion":"dev"}"#,
        #"{"fact":"productId","atLeastVersion":"1"}"#,
        #"{"randomShare":{"salt":"","basisPoints":1}}"#,
        #"{"randomShare":{"salt":"s","basisPoints":10001}}"#, #"{"randomShare":{"salt":"s"}}"#,
    ])
    func `a condition that cannot be judged refuses the whole set`(when: String) {
        #expect(throws: DecodingError.self) { _ = try decode(json(when: when)) }
    }

    @Test func `depth and size of a condition are bounded`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: #"{"not":"#, count: depth - 1) + #"{"all":[]}"#
                + String(repeating: "}", count: depth - 1)
        }
        func wide(_ nodes: Int) -> String {
            let parts = [String](repeating: #"{"all":[]}"#, count: nodes - 1)
            return #"{"any":[\#(parts.joined(separator: ","))]}"#
        }
        #expect(try decode(json(when: nested(8))).rules[0].when.depth == 8)
        #expect(throws: DecodingError.self) { _ = try decode(json(when: nested(9))) }
        #expect(try decode(json(when: wide(64))).rules[0].when.nodes == 64)
        #expect(throws: DecodingError.self) { _ = try decode(json(when: wide(65))) }
        #expect(throws: (any Error).self) { _ = try decode(json(when: nested(100_000))) }
    }

    @Test(arguments: [
        "", #""treatment":{"kind":"fallback"},"experiment":{"id":"x"}"#,
        #""treatment":{"kind":"escalation","steps":[{"kind":"fallback"}]}"#,
        #""treatment":{"kind":"escalation","steps":[{"kind":"fallback"},"#
            + #"{"kind":"escalation","steps":[{"kind":"fallback"},{"kind":"fallback"}]}]}"#,
        #""treatment":{"kind":"appStoreConnectMessage","messageIdentifier":"x"}"#,
        #""treatment":{"kind":"promotionalOffer","messageId":"msg_00000000000000000000000001","#
            + #""productId":"p","offerIdentifier":"o","signatureVersion":3}"#,
    ])
    func `an outcome that cannot be answered refuses the whole set`(outcome: String) {
        let outcome = outcome.isEmpty ? #""comment":1"# : outcome
        #expect(throws: DecodingError.self) { _ = try decode(json(outcome: outcome)) }
    }

    private func experiment(
        name: String = "e", arms: [String]? = nil, more: String = ""
    ) -> String {
        """
        "experiment":{"id":"exp_00000000000000000000000001","name":"\(name)",\
        "arms":[\((arms ?? [arm()]).joined(separator: ","))]\(more)}
        """
    }

    private func arm(
        key: String = "a", weight: String = "10000", buckets: String = "[]", more: String = ""
    ) -> String {
        """
        {"key":"\(key)","weight":\(weight),"treatment":{"kind":"fallback"},\
        "buckets":\(buckets)\(more)}
        """
    }

    @Test func `experiments are bounded`() throws {
        func isRead(_ outcome: String) -> Bool {
            (try? decode(json(outcome: outcome))) != nil
        }
        func arms(_ count: Int) -> [String] {
            [arm()] + (1..<max(1, count)).map { arm(key: "a\($0)", weight: "0") }
        }
        #expect(isRead(experiment()))
        #expect(isRead(experiment(arms: arms(Experiment.armsLimit))))
        #expect(!isRead(experiment(arms: arms(Experiment.armsLimit + 1))))
        #expect(!isRead(experiment(arms: [])))
        #expect(isRead(experiment(name: String(repeating: "n", count: 100))))
        #expect(!isRead(experiment(name: String(repeating: "n", count: 101))))
        #expect(!isRead(experiment(name: "")))
        #expect(!isRead(experiment(more: #","until":1"#)))
        let key = String(repeating: "k", count: 32)
        let read = [arm(key: key), arm(buckets: #"[{"first":0,"end":10000}]"#)]
        for one in read { #expect(isRead(experiment(arms: [one])), "\(one)") }
        let refused = [
            arm(key: ""), arm(key: key + "k"), arm(weight: "9999"), arm(weight: "10001"),
            arm(weight: "-1"), arm(weight: "1e10"), arm(more: #","until":1"#),
            arm(buckets: #"[{"first":-1,"end":1}]"#), arm(buckets: #"[{"first":0,"end":10001}]"#),
            arm(buckets: #"[{"first":1,"end":1}]"#),
            arm(buckets: #"[{"first":0,"end":1,"step":2}]"#),
        ]
        for one in refused { #expect(!isRead(experiment(arms: [one])), "\(one)") }
        let balanced = [arm(weight: "10001"), arm(key: "b", weight: "-1")]
        #expect(!isRead(experiment(arms: balanced)))
    }

    @Test(arguments: [
        #"{"percent":-1,"answer":"fallback"}"#, #"{"percent":21,"answer":"fallback"}"#,
        #"{"percent":1,"answer":"none"}"#, #"{"percent":1,"answer":"fallback","of":"new"}"#,
    ])
    func `a holdout is bounded`(holdout: String) throws {
        #expect(throws: DecodingError.self) { _ = try decode(json(holdout: holdout)) }
        for percent in [0, 1, 20] {
            let holdout = #"{"percent":\#(percent),"answer":"fallback"}"#
            #expect(try decode(json(holdout: holdout)).holdout.percent == Int32(percent))
        }
    }

    @Test(arguments: [
        #"{"offersPerSubscriber":0}"#, #"{"coolDownDays":0}"#, #"{"coolDownDays":-1}"#,
        #"{"offersPerYear":1}"#,
        #"{"monthlyDiscountBudget":{"amountMilliunits":0,"currency":"EUR"}}"#,
        #"{"monthlyDiscountBudget":{"amountMilliunits":1,"currency":"EURO"}}"#,
        #"{"monthlyDiscountBudget":{"amountMilliunits":1,"currency":"eur"}}"#,
        #"{"monthlyDiscountBudget":{"amountMilliunits":1,"currency":"EUR","of":"app"}}"#,
    ])
    func `a governor is bounded`(governor: String) throws {
        #expect(throws: DecodingError.self) { _ = try decode(json(governor: governor)) }
        let least = """
            {"offersPerSubscriber":1,"coolDownDays":1,\
            "monthlyDiscountBudget":{"amountMilliunits":1,"currency":"EUR"}}
            """
        #expect(try decode(json(governor: least)).governor.coolDownDays == 1)
    }

    @Test(arguments: [
        #"{"fromMinute":-1,"toMinute":1}"#, #"{"fromMinute":0,"toMinute":1441}"#,
        #"{"fromMinute":0}"#, #"{"fromMinute":0,"toMinute":1,"zone":"UTC"}"#,
    ])
    func `a time of day is bounded`(daily: String) throws {
        #expect(throws: DecodingError.self) {
            _ = try decode(json(more: #","schedule":{"daily":\#(daily)}"#))
        }
        let allDay = #","schedule":{"daily":{"fromMinute":0,"toMinute":1440}}"#
        #expect(try decode(json(more: allDay)).rules[0].schedule.daily?.toMinute == 1_440)
    }

    @Test func `unknown members refuse the set, wherever they stand`() throws {
        #expect(try decode(json()).rules.count == 1)
        #expect(throws: DecodingError.self) { _ = try decode(json(more: #","unless":{}"#)) }
        #expect(throws: DecodingError.self) {
            _ = try decode(json(more: #","schedule":{"from":1,"until":2}"#))
        }
        #expect(throws: DecodingError.self) { _ = try decode(json(holdout: "{}")) }
    }
}
