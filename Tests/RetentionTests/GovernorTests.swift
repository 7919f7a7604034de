import FoundationEssentials
import Retention
import Testing

@Suite struct GovernorTests {
    private static let day: Int64 = 86_400_000
    private static let budget = Governor.Budget(amountMilliunits: 1_000, currency: "EUR")

    private func ago(_ days: Int64) -> Instant {
        Instant(milliseconds: Asked.now.milliseconds - days * Self.day)
    }

    /// An offer, and a text behind it.
    private func fixture(
        cap: Int32? = nil, coolDown: Int32? = nil, budget: Governor.Budget? = nil
    ) -> SnapshotFixture {
        var fixture = SnapshotFixture()
        fixture = fixture.with(
            .promotionalOffer(fixture.offer, productId: "monthly", offerIdentifier: "half"),
            .message(fixture.text))
        fixture.governor = Governor(
            offersPerSubscriber: cap, coolDownDays: coolDown, monthlyDiscountBudget: budget)
        return fixture
    }

    private func outcome(_ fixture: SnapshotFixture, _ asked: Asked) -> DeadReason? {
        let (decision, trace) = fixture.explain(asked)
        let dead = trace.rules[0].treatments[0].dead
        #expect(decision.answer.kind == (dead == nil ? .promotionalOffer : .message))
        return dead
    }

    private func taken(_ count: Int32, _ last: Instant? = nil) -> Asked {
        Asked.known(GovernorCounters(offersTaken: count, lastOfferAt: last, escalationLevel: 0))
    }

    @Test func `a cap counts offers taken`() {
        let capped = fixture(cap: 2)
        #expect(outcome(capped, taken(0)) == nil)
        #expect(outcome(capped, taken(1)) == nil)
        #expect(outcome(capped, taken(2)) == .offerCap)
        #expect(outcome(capped, taken(3)) == .offerCap)
        #expect(outcome(fixture(), taken(.max)) == nil)
    }

    /// Apple's performance test asks very often for one transaction, and every view asks.
    @Test func `asking counts nothing`() {
        let capped = fixture(cap: 1, coolDown: 30, budget: Self.budget)
        for _ in 0..<1_000 { #expect(outcome(capped, Asked()) == nil) }
    }

    @Test func `a cool-down ends after its calendar days`() {
        let cooling = fixture(coolDown: 30)
        #expect(outcome(cooling, taken(1, ago(29))) == .coolDown)
        #expect(outcome(cooling, taken(1, ago(30))) == nil)
        #expect(outcome(cooling, taken(1, ago(-1))) == .coolDown)
        #expect(outcome(cooling, taken(0)) == nil)
    }

    @Test func `who was not looked up in time gets no capped offer`() {
        var asked = Asked()
        asked.subscriber = .unavailable
        #expect(outcome(fixture(cap: 2), asked) == .countersUnknown)
        #expect(outcome(fixture(coolDown: 2), asked) == .countersUnknown)
        #expect(outcome(fixture(), asked) == nil)
        #expect(outcome(fixture(budget: Self.budget), asked) == nil)
        asked.subscriber = .absent
        #expect(outcome(fixture(cap: 2), asked) == nil)
    }

    @Test func `a spent budget leaves what costs nothing`() {
        let budgeted = fixture(budget: Self.budget)
        let table: [(BudgetReading, DeadReason?)] = [
            (.nothing, nil), (.spent(milliunits: 999, currency: "EUR"), nil),
            (.spent(milliunits: 1_000, currency: "EUR"), .budgetSpent),
            (.spent(milliunits: .max, currency: "EUR"), .budgetSpent),
            (.spent(milliunits: 1, currency: "USD"), .budgetUnknown), (.unknown, .budgetUnknown),
        ]
        for (reading, wanted) in table {
            var asked = Asked()
            asked.budget = reading
            #expect(outcome(budgeted, asked) == wanted, "\(reading)")
            #expect(outcome(fixture(), asked) == nil, "\(reading)")
        }
    }

    @Test func `what is known of age decides how much may be said`() {
        let table: [(ServingMode, AnswerKind, AnswerKind)] = [
            (.full, .promotionalOffer, .promotionalOffer),
            (.noBudgetedOffers, .promotionalOffer, .message), (.noOffers, .message, .message),
            (.defaultOnly, .defaultMessage, .defaultMessage), (.silent, .fallback, .fallback),
        ]
        #expect(table.map(\.0) == ServingMode.allCases)
        for (mode, free, governed) in table {
            var asked = Asked()
            asked.mode = mode
            #expect(fixture().decide(asked).answer.kind == free, "\(mode)")
            #expect(fixture(cap: 5).decide(asked).answer.kind == governed, "\(mode)")
            #expect(fixture(budget: Self.budget).decide(asked).answer.kind == governed, "\(mode)")
        }
    }

    @Test func `a rule that asks for counters makes no offer by old ones`() {
        var fixture = fixture()
        let offer = Treatment.promotionalOffer(
            fixture.offer, productId: "monthly", offerIdentifier: "half")
        let few = Condition.fact(FactCondition(.offersTaken, .number(atLeast: 0, below: 2)))
        let rules = [
            Rule(id: RuleID(UUID()), name: "r", when: few, treatment: offer),
            Rule(
                id: RuleID(UUID()), name: "r", when: .always,
                treatment: .escalation([offer, .message(fixture.text)])),
        ]
        for rule in rules {
            fixture.rules = [rule]
            var asked = Asked()
            #expect(fixture.decide(asked).answer.kind == .promotionalOffer)
            asked.mode = .noBudgetedOffers
            #expect(fixture.decide(asked).answer.kind == .defaultMessage)
        }
    }

    @Test func `an escalation goes up with what did not keep, and down where it cannot`() {
        var fixture = SnapshotFixture()
        let small = Treatment.promotionalOffer(
            fixture.offer, productId: "monthly", offerIdentifier: "half")
        let large = Treatment.promotionalOffer(
            fixture.offer, productId: "yearly", offerIdentifier: "half")
        fixture = fixture.with(
            .escalation([
                .message(fixture.text),
                .switchPlan(fixture.switchPlan, productId: "yearly", billingPlanType: nil), small,
                large,
            ]))
        func kind(_ level: Int32, _ change: (inout Asked) -> Void = { _ in }) -> [Treatment.Kind] {
            var asked = Asked.known(
                GovernorCounters(offersTaken: 0, lastOfferAt: nil, escalationLevel: level))
            change(&asked)
            return fixture.explain(asked).1.rules[0].treatments.map(\.kind)
        }
        #expect(kind(0) == [.message])
        #expect(kind(1) == [.switchPlan])
        #expect(kind(2) == [.promotionalOffer])
        #expect(kind(3) == [.promotionalOffer])
        #expect(kind(.max) == [.promotionalOffer])
        #expect(
            kind(3) { $0.canSignOffers = false } == [
                .promotionalOffer, .promotionalOffer, .switchPlan,
            ])
        #expect(kind(1) { $0.product = "yearly" } == [.switchPlan, .message])
        #expect(kind(3) { $0.subscriber = .unavailable } == [.message])
        #expect(fixture.snapshot.ruleSet.asksForSubscriber)
    }

    @Test func `nobody is looked up for rules that do not ask`() {
        #expect(!fixture().snapshot.ruleSet.asksForSubscriber)
        #expect(!fixture(budget: Self.budget).snapshot.ruleSet.asksForSubscriber)
        #expect(fixture(cap: 1).snapshot.ruleSet.asksForSubscriber)
        var plain = SnapshotFixture()
        plain = plain.with(.message(plain.text))
        plain.governor = Governor(
            offersPerSubscriber: 1, coolDownDays: 1, monthlyDiscountBudget: nil)
        #expect(!plain.snapshot.ruleSet.asksForSubscriber, "no rule offers anything")
    }

    @Test func `a message of App Store Connect is named only where it is known`() {
        var fixture = SnapshotFixture()
        let id = UUID()
        fixture = fixture.with(.appStoreConnectMessage(id), .message(fixture.text))
        #expect(fixture.decide(Asked()).answer == .message(fixture.english))
        fixture.appStoreConnectMessages = [UUID(), id]
        let decision = fixture.decide(Asked())
        #expect(decision.answer == .appStoreConnectMessage(id))
        #expect(decision.localeServed == nil)
    }
}
