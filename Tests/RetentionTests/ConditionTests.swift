import FoundationEssentials
import Retention
import TestSupport
import Testing

@Suite struct ConditionTests {
    private static let values: [Condition] = [
        // Yes, no and unknown, whatever is known of the subscriber.
        .all([]), .any([]), .fact(FactCondition(.inTrial, .flag(true))),
    ]

    private func verdict(_ condition: Condition, _ asked: Asked = Asked()) -> Verdict {
        var fixture = SnapshotFixture()
        fixture.rules = [
            Rule(id: RuleID(UUID()), name: "r", when: condition, treatment: .fallback)
        ]
        return fixture.explain(asked).1.rules[0].condition?.verdict ?? .no
    }

    @Test func `an unknown part never decides, and neither does its negation`() {
        let (yes, no, unknown) = (Self.values[0], Self.values[1], Self.values[2])
        let table: [(Condition, Verdict)] = [
            (.not(yes), .no), (.not(no), .yes), (.not(unknown), .unknown),
            (.not(.not(unknown)), .unknown), (.all([yes, unknown]), .unknown),
            (.all([unknown, no]), .no), (.all([yes, yes]), .yes), (.any([no, unknown]), .unknown),
            (.any([unknown, yes]), .yes), (.any([no, no]), .no),
            (.not(.any([unknown, no])), .unknown), (.not(.all([unknown, no])), .yes),
        ]
        for (condition, wanted) in table { #expect(verdict(condition) == wanted, "\(condition)") }
        for condition in [unknown, .not(unknown)] {
            var fixture = SnapshotFixture()
            fixture.rules = [
                Rule(id: RuleID(UUID()), name: "r", when: condition, treatment: .fallback)
            ]
            #expect(fixture.decide(Asked()).rule == nil)
        }
    }

    /// A second way to the same verdict: by counting.
    @Test func `any tree has the verdict of Kleene's logic`() {
        var dice = SeededNumbers(seed: 20_261_130)
        for _ in 0..<2_000 {
            let (tree, wanted) = Self.tree(depth: 5, &dice)
            #expect(verdict(tree) == wanted, "\(tree)")
        }
    }

    private static func tree(
        depth: Int, _ dice: inout some RandomNumberGenerator
    ) -> (Condition, Verdict) {
        let kind = depth == 0 ? 0 : Int.random(in: 0..<4, using: &dice)
        switch kind {
        case 1:
            let (part, verdict) = tree(depth: depth - 1, &dice)
            let negated: [Verdict: Verdict] = [.yes: .no, .no: .yes, .unknown: .unknown]
            return (.not(part), negated[verdict] ?? .unknown)
        case 2, 3:
            let parts = (0..<Int.random(in: 0..<4, using: &dice)).map { _ in
                tree(depth: depth - 1, &dice)
            }
            let ranks = parts.map { rank($0.1) }
            let verdict = kind == 2 ? ranks.min() ?? 2 : ranks.max() ?? 0
            let condition: Condition =
                kind == 2 ? .all(parts.map(\.0)) : .any(parts.map(\.0))
            return (condition, Verdict.allCases[verdict])
        default:
            let place = Int.random(in: 0..<3, using: &dice)
            return (values[place], [.yes, .no, .unknown][place])
        }
    }

    private static func rank(_ verdict: Verdict) -> Int {
        Verdict.allCases.firstIndex(of: verdict) ?? 0
    }

    @Test func `a number is within a half-open span`() {
        let asked = Asked.known { $0.paidPeriods = 12 }
        let table: [(Int64?, Int64?, Verdict)] = [
            (12, nil, .yes), (13, nil, .no), (nil, 12, .no), (nil, 13, .yes), (12, 13, .yes),
            (12, 12, .no), (.min, .max, .yes),
        ]
        for (low, high, wanted) in table {
            let test = FactCondition(.paidPeriods, .number(atLeast: low, below: high))
            #expect(verdict(.fact(test), asked) == wanted, "\(test)")
            #expect(verdict(.fact(test)) == .unknown)
        }
    }

    @Test func `money of another currency is unknown, never converted`() {
        let asked = Asked.known {
            $0.lifetimeSpend = SubscriberProfile.Money(amountMilliunits: 99_990, currency: "EUR")
        }
        func spend(_ currency: String) -> Condition {
            .fact(
                FactCondition(
                    .lifetimeSpend, .money(atLeast: 50_000, below: nil, currency: currency)))
        }
        #expect(verdict(spend("EUR"), asked) == .yes)
        #expect(verdict(spend("JPY"), asked) == .unknown)
        #expect(verdict(.not(spend("JPY")), asked) == .unknown)
    }

    @Test func `a fact of another form than the test's is unknown`() {
        let asked = Asked.known {
            $0.clientFacts = [
                .init(name: "level", value: .text("9"), toldAt: Asked.now),
                .init(name: "seats", value: .number(9), toldAt: Asked.now),
            ]
        }
        let nine = FactTest.number(atLeast: 9, below: nil)
        #expect(verdict(.fact(FactCondition(.client("level"), nine)), asked) == .unknown)
        #expect(verdict(.fact(FactCondition(.client("seats"), nine)), asked) == .yes)
        #expect(verdict(.fact(FactCondition(.client("Seats"), nine)), asked) == .unknown)
    }

    @Test func `a profile counts up to its age, a condition may say another`() {
        let hour: Int64 = 3_600_000
        func asked(_ hours: Int64) -> Asked {
            var profile = SubscriberProfile()
            (profile.inTrial, profile.storefront) = (true, "DEU")
            profile.clientFacts = [
                .init(
                    name: "vip", value: .flag(true),
                    toldAt: Instant(milliseconds: Asked.now.milliseconds - hours * hour))
            ]
            var asked = Asked()
            asked.subscriber = .known(
                KeptProfile(profile),
                asOf: Instant(milliseconds: Asked.now.milliseconds - hours * hour),
                .zero)
            return asked
        }
        func trial(_ limit: Int64?) -> Condition {
            .fact(FactCondition(.inTrial, .flag(true), maxAgeHours: limit))
        }
        let store = Condition.fact(FactCondition(.storefront, .oneOf(["DEU"])))
        let client = Condition.fact(FactCondition(.client("vip"), .flag(true)))
        let table: [(Condition, Int64, Verdict)] = [
            (trial(nil), 48, .yes), (trial(nil), 49, .unknown), (trial(72), 72, .yes),
            (trial(72), 73, .unknown), (trial(1), 2, .unknown), (store, 168, .yes),
            (store, 169, .unknown), (client, 168, .yes), (client, 169, .unknown),
            // Ahead by our clock: one of the two is wrong.
            (trial(nil), -1, .unknown), (client, -1, .unknown), (client, -8_760, .unknown),
        ]
        for (condition, hours, wanted) in table {
            #expect(verdict(condition, asked(hours)) == wanted, "\(condition) after \(hours)")
        }
    }

    @Test func `every fact is read from where it stands`() {
        let day: Int64 = 86_400_000
        func ago(_ days: Int64) -> Instant {
            Instant(milliseconds: Asked.now.milliseconds - days * day)
        }
        var asked = Asked.known(
            GovernorCounters(offersTaken: 2, lastOfferAt: ago(30), escalationLevel: 0)
        ) { profile in
            (profile.subscribedAt, profile.renewsAt, profile.lastActiveAt) = (
                ago(400), ago(-9), ago(3)
            )
            (profile.paidPeriods, profile.pageViews) = (13, 4)
            (profile.refunds, profile.openRefundRequests) = (1, 2)
            (profile.storefront, profile.billingPlan) = ("DEU", "MONTHLY")
            profile.cancelReason = "price"
            (profile.inTrial, profile.inIntroOffer) = (false, false)
            (profile.inOffer, profile.billingIssue) = (true, true)
            profile.lifetimeSpend = .init(amountMilliunits: 5, currency: "EUR")
            profile.clientFacts = [.init(name: "v", value: .text("2.1"), toldAt: ago(0))]
        }
        asked.languages = ["nb", "no"]
        func number(_ fact: Fact, _ value: Int64) -> FactCondition {
            FactCondition(fact, .number(atLeast: value, below: value + 1))
        }
        func text(_ fact: Fact, _ value: String) -> FactCondition {
            FactCondition(fact, .oneOf(["x", value]))
        }
        let all: [FactCondition] = [
            text(.productId, "monthly"), text(.subscriptionGroup, "one"), text(.locale, "en-US"),
            text(.language, "no"), text(.environment, "Production"), text(.billingPlan, "MONTHLY"),
            text(.storefront, "DEU"), number(.tenureDays, 400), number(.paidPeriods, 13),
            FactCondition(.lifetimeSpend, .money(atLeast: 5, below: 6, currency: "EUR")),
            FactCondition(.inTrial, .flag(false)), FactCondition(.inIntroOffer, .flag(false)),
            FactCondition(.inOffer, .flag(true)), number(.daysToRenewal, 9), number(.pageViews, 4),
            number(.refunds, 1), number(.openRefundRequests, 2),
            FactCondition(.billingIssue, .flag(true)), number(.daysSinceActive, 3),
            text(.cancelReason, "price"), number(.offersTaken, 2), number(.daysSinceOfferTaken, 30),
            FactCondition(
                .client("v"), .version(atLeast: AppVersion("2.1.0"), below: AppVersion("2.2"))),
        ]
        #expect(all.map(\.fact) == Fact.fixed + [.client("v")])
        for test in all {
            #expect(test.test.fits(test.fact), "\(test)")
            #expect(verdict(.fact(test), asked) == .yes, "\(test)")
            let needsSubscriber = test.fact.source != .request
            var nobody = asked
            nobody.subscriber = .unavailable
            #expect(verdict(.fact(test), nobody) == (needsSubscriber ? .unknown : .yes), "\(test)")
            #expect(Fact(name: test.fact.name) == test.fact)
        }
        #expect(verdict(.fact(number(.offersTaken, 0)), Asked()) == .yes, "nothing was ever taken")
    }

    @Test(arguments: ["", "tenure", "client.", "client.1a", "client.a b", "client", "TENUREDAYS"])
    func `no other name is a fact`(name: String) {
        #expect(Fact(name: name) == nil)
    }

    @Test func `a random share holds the same subscribers, and more of them when raised`() {
        func share(_ basisPoints: Int32) -> Condition {
            .randomShare(RandomShare(salt: "s", basisPoints: basisPoints))
        }
        for bucket in [0, 999, 1_000, 1_999, 2_000, 9_999] {
            var asked = Asked()
            asked.bucket = { $0 == "share:s" ? bucket : -1 }
            #expect(verdict(share(1_000), asked) == Verdict(bucket < 1_000))
            #expect(verdict(share(2_000), asked) == Verdict(bucket < 2_000))
            #expect(verdict(share(0), asked) == .no)
            #expect(verdict(share(10_000), asked) == .yes)
        }
    }
}
