import FoundationEssentials
import Retention
import TestSupport
import Testing

@Suite struct RuleReachTests {
    private static let fixture = SnapshotFixture()

    private static func rule(
        _ when: Condition, _ treatment: Treatment = .fallback, _ schedule: Schedule = .always
    ) -> Rule {
        Rule(
            id: RuleID(UUID()), name: "r", schedule: schedule, when: when,
            outcome: .treatment(treatment))
    }

    private func findings(_ rules: Rule...) -> [RuleSetFinding] {
        RuleSetFinding.all(
            in: RuleSet(rules: rules), products: Self.fixture.products,
            environment: .production, now: Asked.now)
    }

    private static func number(_ low: Int64?, _ high: Int64?) -> Condition {
        .fact(FactCondition(.tenureDays, .number(atLeast: low, below: high)))
    }

    private static func text(_ fact: Fact, _ texts: String...) -> Condition {
        .fact(FactCondition(fact, .oneOf(texts)))
    }

    private static func share(_ basisPoints: Int32) -> Condition {
        .randomShare(RandomShare(salt: "s", basisPoints: basisPoints))
    }

    private static func flag(_ flag: Bool) -> Condition {
        .fact(FactCondition(.inTrial, .flag(flag)))
    }

    private static let impossible: [Condition] = [
        .any([]), .not(.always), text(.productId), text(.productId, "unknown"),
        text(.environment, "Sandbox"), text(.language),
        .all([text(.productId, "monthly"), text(.subscriptionGroup, "two")]),
        .all([text(.productId, "monthly"), text(.productId, "yearly")]),
        .all([text(.storefront, "DEU"), text(.storefront, "FRA", "ITA")]),
        .all([text(.storefront, "DEU"), .not(text(.storefront, "DEU", "FRA"))]),
        .all([number(10, nil), number(nil, 10)]), number(5, 5), .not(number(nil, nil)),
        .all([number(10, 20), .not(number(5, 15)), .not(number(15, 25))]),
        .all([flag(true), flag(false)]), .all([flag(true), .not(flag(true))]),
        .all([share(100), .not(share(100))]), share(0), .not(share(10_000)),
        .not(.any([.not(flag(true)), flag(true)])),
        .any([.all([flag(true), flag(false)]), text(.environment, "Sandbox")]),
        .all([
            .fact(FactCondition(.lifetimeSpend, .money(atLeast: 1, below: nil, currency: "EUR"))),
            .fact(FactCondition(.lifetimeSpend, .money(atLeast: 1, below: nil, currency: "JPY"))),
        ]),
    ]

    private static let possible: [Condition] = [
        .always, text(.productId, "unknown", "yearly"), text(.environment, "Production"),
        .all([text(.language, "no"), text(.language, "nb")]),
        .all([number(10, 20), .not(number(5, 15))]), .all([flag(true), .not(flag(false))]),
        .all([share(100), .not(share(99))]),
        .all([text(.storefront, "DEU", "FRA"), .not(text(.storefront, "DEU"))]),
        .any([.any([]), flag(true)]), .not(.all([flag(true), number(1, 2)])),
    ]

    @Test func `a rule that nobody can meet is found, and no other`() {
        for condition in Self.impossible {
            let found = findings(Self.rule(condition))
            #expect(found == [RuleSetFinding(rule: 0, kind: .neverMatches)], "\(condition)")
        }
        for condition in Self.possible {
            #expect(findings(Self.rule(condition)).isEmpty, "\(condition)")
        }
    }

    /// Of cases, of texts in them, of products: more of any of these does not take longer.
    @Test func `the worst rules that a body holds are judged within seconds`() {
        let word = { (index: Int) in "p\(index)" }
        let two = Condition.any([Self.flag(true), Self.flag(false)])
        let never = Condition.all([Self.flag(true), Self.flag(false)])
        // One megabyte of texts in 200 rules, in each of 256 cases, none of them possible.
        let texts = (0..<8).map { list in
            Condition.fact(
                FactCondition(.storefront, .oneOf((0..<80).map { word(list * 80 + $0) })))
        }
        let products = (0..<8).map { list in
            Condition.not(
                .fact(FactCondition(.productId, .oneOf((0..<80).map { word(list * 80 + $0) }))))
        }
        let few = Array(repeating: two, count: 8)
        let many = Array(repeating: two, count: 12)
        let sold = (0..<2_000).map {
            Product(
                productId: word($0 + 9_000), subscriptionGroup: "one", period: "P1M",
                billingPlans: [])
        }
        for worst in [
            Condition.all(few + texts + [never]), .all(few + products), .all(many + products),
            .any([.all(few + products), never]),
        ] {
            #expect(worst.nodes <= Condition.nodesLimit)
            let rules = (0..<RuleSet.rulesLimit).map { _ in Self.rule(worst) }
            let taken = ContinuousClock().measure {
                _ = RuleSetFinding.all(
                    in: RuleSet(rules: rules), products: sold, environment: .production,
                    now: Asked.now)
            }
            #expect(taken < .seconds(10))
        }
    }

    @Test func `what is too much work is taken for possible`() {
        let never = Condition.all([Self.flag(true), Self.flag(false)])
        let two = Condition.any([Self.flag(true), Self.number(1, 2)])
        let tooMany = Self.rule(.all(Array(repeating: two, count: 9) + [never]))
        #expect(findings(tooMany).isEmpty)
        let few = Self.rule(.all(Array(repeating: two, count: 8) + [never]))
        #expect(findings(few).map(\.kind) == [.neverMatches])
    }

    /// The other way round: what some subscriber meets must never be called impossible.
    @Test func `no condition that somebody meets is called impossible`() {
        var dice = SeededNumbers(seed: 20_261_130)
        let leaves = (Self.impossible + Self.possible)
        var met = 0
        for _ in 0..<3_000 {
            let condition = Self.tree(depth: 3, leaves, &dice)
            var asked = Asked.known { profile in
                profile.subscribedAt = Instant(
                    milliseconds: Asked.now.milliseconds
                        - Int64.random(in: 0...30, using: &dice) * 86_400_000)
                profile.inTrial = .random(using: &dice)
                profile.storefront = ["DEU", "FRA", "ITA"].randomElement(using: &dice)
            }
            asked.product = ["monthly", "yearly", "stranger"].randomElement(using: &dice) ?? ""
            asked.languages = ["nb", "no"]
            let bucket = Int.random(in: 0..<200, using: &dice)
            asked.bucket = { _ in bucket }
            var fixture = Self.fixture
            fixture.rules = [Self.rule(condition)]
            guard fixture.decide(asked).rule != nil else { continue }
            met += 1
            #expect(findings(Self.rule(condition)).isEmpty, "\(condition)")
        }
        #expect(met > 100)
    }

    private static func tree(
        depth: Int, _ leaves: [Condition], _ dice: inout some RandomNumberGenerator
    ) -> Condition {
        guard depth > 0, Int.random(in: 0..<3, using: &dice) > 0 else {
            return leaves.randomElement(using: &dice) ?? .always
        }
        let parts = (0..<Int.random(in: 1...3, using: &dice)).map { _ in
            tree(depth: depth - 1, leaves, &dice)
        }
        switch Int.random(in: 0..<3, using: &dice) {
        case 0: return .all(parts)
        case 1: return .any(parts)
        default: return .not(parts[0])
        }
    }

    @Test func `a schedule that is over, or empty, never matches`() {
        let day: Int64 = 86_400_000
        func schedule(_ from: Int64?, _ to: Int64?, _ daily: Schedule.Daily? = nil) -> Schedule {
            Schedule(
                from: from.map { Instant(milliseconds: Asked.now.milliseconds + $0 * day) },
                to: to.map { Instant(milliseconds: Asked.now.milliseconds + $0 * day) },
                daily: daily)
        }
        for over in [
            schedule(nil, 0), schedule(-2, -1), schedule(5, 5), schedule(5, 4),
            schedule(nil, nil, .init(fromMinute: 60, toMinute: 60)),
        ] {
            #expect(findings(Self.rule(.always, .fallback, over)).map(\.kind) == [.neverMatches])
        }
        for running in [schedule(nil, 1), schedule(3, nil), schedule(1, 2)] {
            #expect(findings(Self.rule(.always, .fallback, running)).isEmpty)
        }
    }

    @Test func `a rule that answers everybody hides those behind it`() {
        let text = Treatment.message(Self.fixture.text)
        let offer = Treatment.promotionalOffer(
            Self.fixture.offer, productId: "monthly", offerIdentifier: "half")
        let last = Self.rule(Self.flag(true))
        let hides = [RuleSetFinding(rule: 0, kind: .hidesLaterRules)]
        #expect(findings(Self.rule(.always, text), last) == hides)
        #expect(findings(Self.rule(.always), last) == hides)
        #expect(findings(Self.rule(.any([.always, Self.flag(true)])), last) == hides)
        // Whoever a later rule could match has the product that the first one asks for.
        let monthly = Self.text(.productId, "monthly")
        let behind = Self.rule(.all([monthly, Self.flag(true)]))
        #expect(findings(Self.rule(monthly, text), behind) == hides)
        #expect(findings(Self.rule(monthly, text), last).isEmpty)
        #expect(findings(Self.rule(.always, text)).isEmpty, "the last one hides nothing")
        #expect(findings(Self.rule(.always, offer), last).isEmpty, "the governor may refuse it")
        #expect(findings(Self.rule(Self.flag(true), text), last).isEmpty)
        #expect(
            findings(Self.rule(.not(Self.flag(true)), text), last).isEmpty, "unknown is neither")
        let scheduled = Schedule(from: Asked.now, to: nil, daily: nil)
        #expect(findings(Self.rule(.always, text, scheduled), last).isEmpty)
    }
}
