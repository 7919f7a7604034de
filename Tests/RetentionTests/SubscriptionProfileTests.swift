import Retention
import Testing

private typealias Story = SignedStory

@Suite struct SubscriptionProfileTests {
    private func sources(_ facts: [SignedFact], told: [ToldFact] = []) -> ProfileSources {
        ProfileSources(state: .fold(facts), told: told)
    }

    private func profile(_ facts: [SignedFact], at now: Instant) -> SubscriberProfile {
        SubscriberProfile(of: sources(facts), at: now)
    }

    private func bought(_ change: (inout TransactionFact) -> Void = { _ in }) -> SignedFact {
        Story.read(Story.transaction("1", on: 0, change))
    }

    private func mind(
        signed days: Int64 = 0, _ change: (inout RenewalFact) -> Void = { _ in }
    ) -> SignedFact {
        Story.read(Story.renewal(signed: days, change))
    }

    @Test func `each part of a profile is filled`() {
        let sources = ProfileSources(
            state: .fold([
                bought { $0.billingPlan = .monthly },
                mind { $0.isInBillingRetryPeriod = true },
                Story.notification(
                    .consumptionRequest, on: 1,
                    Story.transaction("1", on: 0) { $0.billingPlan = .monthly }),
            ]),
            told: [
                ToldFact(
                    name: "cancelReason", value: .text("tooExpensive"), observedAt: Story.at(1),
                    expiresAt: nil),
                ToldFact(
                    name: "consent", value: .flag(true), observedAt: Story.at(1), expiresAt: nil),
                ToldFact(
                    name: "appVersion", value: .text("2.4"), observedAt: Story.at(1),
                    expiresAt: nil),
            ], lastActiveAt: Story.at(2), pageViews: 3)
        let profile = SubscriberProfile(of: sources, at: Story.at(5))
        #expect(profile.subscribedAt == Story.at(0) && profile.renewsAt == Story.at(30))
        #expect(profile.lastActiveAt == Story.at(2) && profile.pageViews == 3)
        #expect(profile.paidPeriods == 1 && profile.billingPlan == "MONTHLY")
        #expect(profile.lifetimeSpend?.amountMilliunits == 9_990)
        #expect(profile.storefront == "DEU" && profile.refunds == 0)
        #expect(profile.openRefundRequests == 1 && profile.billingIssue == true)
        #expect(profile.inTrial == false && profile.inOffer == false)
        #expect(profile.inIntroOffer == false && profile.cancelReason == "tooExpensive")
        #expect(profile.clientFacts.map(\.name) == ["appVersion"])
        #expect(SubscriberProfile(body: profile.encoded()) == profile)
    }

    @Test func `without a transaction nothing is known but what was told`() {
        let sources = ProfileSources(state: .fold([mind()]), pageViews: 3)
        var expected = SubscriberProfile()
        expected.pageViews = 3
        #expect(SubscriberProfile(of: sources, at: Story.at(5)) == expected)
        #expect(sources.nextChange(after: Story.at(0)) == nil)
    }

    @Test func `offers are told apart by their types`() {
        func flags(_ type: Int64?, _ discount: OfferDiscountType) -> [Bool?] {
            let offer = OfferMark(
                type: type.map(OfferType.init), identifier: nil, discountType: discount, period: nil
            )
            let profile = self.profile([bought { $0.offer = offer }], at: Story.at(5))
            return [profile.inTrial, profile.inIntroOffer, profile.inOffer]
        }
        #expect(flags(1, .freeTrial) == [true, true, false])
        #expect(flags(1, .payAsYouGo) == [false, true, false])
        #expect(flags(nil, .freeTrial) == [true, false, false])
        for type in [2, 3, 4, 5, 99] as [Int64] {
            #expect(flags(type, .freeTrial) == [false, false, true])
        }
    }

    @Test func `a status goes its way by time alone`() {
        let on = SubscriptionState.fold([bought(), mind()])
        #expect(on.status(at: Story.at(30, plus: -1)) == .active)
        #expect(on.status(at: Story.at(31, plus: -1)) == .active)
        #expect(on.status(at: Story.at(31)) == .expired)
        let off = SubscriptionState.fold([bought(), mind { $0.autoRenewStatus = .off }])
        #expect(off.status(at: Story.at(30)) == .expired)
        let retry = SubscriptionState.fold([
            bought(),
            mind(signed: 30) {
                $0.isInBillingRetryPeriod = true
                $0.gracePeriodExpiresDate = Story.at(46)
            },
        ])
        #expect(retry.status(at: Story.at(46, plus: -1)) == .gracePeriod)
        #expect(retry.status(at: Story.at(46)) == .billingRetry)
        #expect(retry.status(at: Story.at(90)) == .expired)
        let ended = SubscriptionState.fold([
            bought(), mind(signed: 30) { $0.expirationIntent = .other },
        ])
        #expect(ended.status(at: Story.at(30)) == .expired)
        #expect(
            SubscriptionState.fold([bought { $0.expiresDate = nil }]).status(at: Story.at(1)) == nil
        )
    }

    /// A worker that wakes then, and only then, has every profile right.
    @Test func `between two changes by time a profile stays as it is`() {
        let trial = OfferMark(
            type: .introductory, identifier: nil, discountType: .freeTrial, period: nil)
        let sources = self.sources(
            [
                bought { $0.offer = trial },
                mind(signed: 30) {
                    $0.isInBillingRetryPeriod = true
                    $0.gracePeriodExpiresDate = Story.at(46)
                },
                Story.notification(
                    .consumptionRequest, on: 3, Story.transaction("1", on: 0) { $0.offer = trial }),
            ],
            told: [
                ToldFact(
                    name: "seats", value: .number(3), observedAt: Story.at(1),
                    expiresAt: Story.at(20))
            ])
        var changes: [Instant] = []
        var next = sources.nextChange(after: Story.at(4))
        while let change = next {
            changes.append(change)
            next = sources.nextChange(after: change)
        }
        // The grace period's end changes no part.
        #expect(changes == [Story.at(20), Story.at(30), Story.at(33), Story.at(90)])
        var known = SubscriberProfile(of: sources, at: Story.at(4))
        for hour in (4 * 24)..<(100 * 24) as Range<Int64> {
            let now = Story.at(0, plus: hour * 3_600_000)
            let profile = SubscriberProfile(of: sources, at: now)
            #expect((profile != known) == changes.contains(now))
            known = profile
        }
    }

    @Test func `what was told last counts, until it expires, and sixteen fit`() {
        func told(_ name: String, _ value: Int64, _ on: Int64, until: Int64? = nil) -> ToldFact {
            ToldFact(
                name: name, value: .number(value), observedAt: Story.at(on),
                expiresAt: until.map { Story.at($0) })
        }
        let facts = [told("a", 1, 1), told("a", 2, 3, until: 9), told("a", 3, 2)]
        func values(at days: Int64) -> [FactValue] {
            SubscriberProfile(of: sources([], told: facts), at: Story.at(days)).clientFacts
                .map(\.value)
        }
        #expect(values(at: 8) == [.number(2)] && values(at: 9) == [.number(3)])
        let many = (10..<40).map { told("f\($0)", 1, 1) }
        let profile = SubscriberProfile(of: sources([], told: many.reversed()), at: Story.at(2))
        #expect(profile.clientFacts.map(\.name) == (10..<26).map { "f\($0)" })
    }

    @Test func `dates at the end of time do not end the process`() {
        let end = Instant(milliseconds: 253_402_300_799_999)
        for date in [end, Instant(milliseconds: 0), Instant(milliseconds: .max)] {
            let sources = self.sources([
                bought { $0.expiresDate = date },
                mind { $0.isInBillingRetryPeriod = true },
                Story.notification(
                    .consumptionRequest, on: 3,
                    Story.transaction("1", on: 0) { $0.expiresDate = date }),
            ])
            let first = sources.state.status(at: Instant(milliseconds: .min))
            #expect(first == .active)
            _ = sources.nextChange(after: Instant(milliseconds: .min))
            _ = sources.state.status(at: Instant(milliseconds: .max))
        }
    }
}
