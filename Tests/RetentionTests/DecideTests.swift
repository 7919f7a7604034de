import FoundationEssentials
import Retention
import Testing

@Suite struct DecideTests {
    private let fixture = SnapshotFixture()

    private var theDefault: Answer { .defaultMessage(fixture.englishDefault) }

    @Test func `each treatment gives its answer, with its rule and locale`() {
        let table: [(Treatment, Answer, String?)] = [
            (.message(fixture.text), .message(fixture.english), "en-US"),
            (
                .switchPlan(fixture.switchPlan, productId: "yearly", billingPlanType: nil),
                .alternateProduct(
                    fixture.switchText, productId: "yearly", billingPlanType: nil), "en-US"
            ),
            (
                .switchPlan(fixture.switchPlan, productId: "yearly", billingPlanType: .monthly),
                .alternateProduct(
                    fixture.switchText, productId: "yearly", billingPlanType: .monthly), "en-US"
            ),
            (
                .promotionalOffer(fixture.offer, productId: "monthly", offerIdentifier: "half"),
                .promotionalOffer(
                    fixture.offerText, productId: "monthly", offerIdentifier: "half"), "en-US"
            ),
            (
                .promotionalOffer(fixture.offer, productId: "yearly", offerIdentifier: "half"),
                .promotionalOffer(
                    fixture.offerText, productId: "yearly", offerIdentifier: "half"), "en-US"
            ),
            (.fallback, .fallback(.chosenByRule), nil),
        ]
        for (treatment, answer, locale) in table {
            let ruled = fixture.with(treatment)
            let wanted = Decision(answer: answer, rule: ruled.rules[0].id, localeServed: locale)
            #expect(ruled.decide() == wanted)
        }
    }

    @Test func `a rule that cannot be said is dead, and the next one or the default answers`() {
        let dead: [(String, Treatment)] = [
            ("unknown message", .message(MessageID(UUID()))),
            ("switch text as message", .message(fixture.switchPlan)),
            ("offer text as message", .message(fixture.offer)),
            (
                "text as switch",
                .switchPlan(fixture.text, productId: "yearly", billingPlanType: nil)
            ),
            (
                "same product",
                .switchPlan(fixture.switchPlan, productId: "monthly", billingPlanType: nil)
            ),
            (
                "other group",
                .switchPlan(fixture.switchPlan, productId: "stranger", billingPlanType: nil)
            ),
            (
                "unknown product",
                .switchPlan(fixture.switchPlan, productId: "none", billingPlanType: nil)
            ),
            (
                "unknown plan",
                .switchPlan(
                    fixture.switchPlan, productId: "yearly",
                    billingPlanType: BillingPlanType(rawValue: "WEEKLY"))
            ),
            (
                "text as offer",
                .promotionalOffer(fixture.text, productId: "monthly", offerIdentifier: "half")
            ),
            (
                "unknown offer",
                .promotionalOffer(fixture.offer, productId: "monthly", offerIdentifier: "third")
            ),
            (
                "win-back offer",
                .promotionalOffer(fixture.offer, productId: "monthly", offerIdentifier: "back")
            ),
            (
                "retention offer",
                .promotionalOffer(fixture.offer, productId: "monthly", offerIdentifier: "keep")
            ),
            (
                "offer of another group",
                .promotionalOffer(fixture.offer, productId: "stranger", offerIdentifier: "half")
            ),
        ]
        for (name, treatment) in dead {
            #expect(fixture.with(treatment).decide().answer == theDefault, "\(name)")
            #expect(fixture.with(treatment).decide().rule == nil, "\(name)")
            let next = fixture.with(treatment, .message(fixture.text))
            #expect(next.decide().answer == .message(fixture.english), "\(name)")
            #expect(next.decide().rule == next.rules[1].id, "\(name)")
        }
    }

    @Test func `a product that the snapshot does not know gets no switch and no offer`() {
        let ruled = fixture.with(
            .switchPlan(fixture.switchPlan, productId: "yearly", billingPlanType: nil),
            .promotionalOffer(fixture.offer, productId: "monthly", offerIdentifier: "half"))
        #expect(ruled.decide(product: "none").answer == .fallback(.nothingToShow))
    }

    @Test func `offers need a key that signs them, nothing else does`() {
        let ruled = fixture.with(
            .promotionalOffer(fixture.offer, productId: "monthly", offerIdentifier: "half"),
            .message(fixture.text))
        #expect(ruled.decide().rule == ruled.rules[0].id)
        #expect(ruled.decide(canSignOffers: false).rule == ruled.rules[1].id)
        let switched = fixture.with(
            .switchPlan(fixture.switchPlan, productId: "yearly", billingPlanType: nil))
        #expect(switched.decide(canSignOffers: false).rule == switched.rules[0].id)
    }

    @Test func `rules are tried in their order, and a chosen fallback ends the search`() {
        let first = fixture.with(.message(fixture.text), .fallback)
        #expect(first.decide().rule == first.rules[0].id)
        let last = fixture.with(.fallback, .message(fixture.text))
        #expect(last.decide().answer == .fallback(.chosenByRule))
        #expect(last.decide().rule == last.rules[0].id)
    }

    @Test func `a rule whose conditions do not hold is passed over`() {
        let table: [(Condition, Bool)] = [
            (.always, true), (Condition.of(productIds: ["monthly"]), true),
            (Condition.of(productIds: ["yearly", "monthly"]), true),
            (Condition.of(productIds: ["yearly"]), false), (Condition.of(productIds: []), false),
            (Condition.of(languages: ["ja"]), true), (Condition.of(languages: ["jp"]), false),
            (Condition.of(environments: [.production]), true),
            (Condition.of(environments: [.sandbox]), false),
            (
                Condition.of(
                    productIds: ["monthly"], languages: ["ja"], environments: [.production]), true
            ),
            (Condition.of(productIds: ["monthly"], languages: ["de"]), false),
            (Condition.of(productIds: ["MONTHLY"]), false),
        ]
        for (when, holds) in table {
            var ruled = fixture
            ruled.rules = [
                Rule(id: RuleID(UUID()), name: "r", when: when, treatment: .fallback)
            ]
            let decision = ruled.decide(languages: ["ja"], chain: ["ja"])
            #expect((decision.rule == ruled.rules[0].id) == holds, "\(when)")
        }
    }

    @Test(arguments: [
        (["zh"], true), (["zho"], false), ([], false), ([""], false), (["zh\u{301}"], false),
        (["cmn", "zh"], true), (["yue", "cmn"], false),
    ])
    func `a condition on the language is met under any code of it`(
        languages: [String], holds: Bool
    ) {
        var ruled = fixture
        ruled.rules = [
            Rule(
                id: RuleID(UUID()), name: "r", when: Condition.of(languages: ["xx", "zh"]),
                treatment: .fallback)
        ]
        let answer = ruled.decide(languages: languages).answer
        #expect((answer == .fallback(.chosenByRule)) == holds)
    }

    @Test func `product ids are the same only when their bytes are`() {
        // U+212A, the Kelvin sign, equals "K" for Swift; "é" has two spellings.
        for (known, asked) in [("K", "\u{212A}"), ("caf\u{e9}", "cafe\u{301}")] {
            var ruled = fixture.with(
                .switchPlan(fixture.switchPlan, productId: "yearly", billingPlanType: nil))
            ruled.products.append(
                Product(
                    productId: known, subscriptionGroup: "one", period: "P1M", billingPlans: []))
            #expect(ruled.decide(product: known).rule == ruled.rules[0].id)
            #expect(ruled.decide(product: asked).rule == nil, "\(known)")
            ruled.rules = [
                Rule(
                    id: RuleID(UUID()), name: "r", when: Condition.of(productIds: [known]),
                    treatment: .fallback)
            ]
            #expect(ruled.decide(product: known).rule == ruled.rules[0].id)
            #expect(ruled.decide(product: asked).rule == nil, "\(known)")
        }
    }

    @Test func `two products whose ids only look alike keep their own groups`() {
        var ruled = fixture.with(
            .switchPlan(fixture.switchPlan, productId: "yearly", billingPlanType: nil))
        for (id, group) in [("caf\u{e9}", "two"), ("cafe\u{301}", "one")] {
            ruled.products.append(
                Product(productId: id, subscriptionGroup: group, period: "P1M", billingPlans: []))
        }
        #expect(ruled.decide(product: "caf\u{e9}").rule == nil)
        #expect(ruled.decide(product: "cafe\u{301}").rule == ruled.rules[0].id)
    }

    @Test func `a decision is a function of its input`() {
        let ruled = fixture.with(
            .promotionalOffer(fixture.offer, productId: "yearly", offerIdentifier: "half"),
            .message(fixture.text))
        let serving = ServingSnapshot(ruled.snapshot)
        let again = ServingSnapshot(serving.snapshot)
        for canSign in [true, false] {
            for chain in [[], ["ja"], ["xx", "ja", "en-US"]] {
                var asked = Asked()
                (asked.languages, asked.chain) = (["ja"], chain)
                asked.canSignOffers = canSign
                let answers = [serving, serving, again].map { $0.decide(asked.inputs) }
                #expect(serving.explain(asked.inputs).0 == answers[0])
                #expect(answers[0] == answers[1])
                #expect(answers[0] == answers[2])
            }
        }
    }
}
