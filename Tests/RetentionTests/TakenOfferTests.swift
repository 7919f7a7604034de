import Retention
import Testing

private typealias Story = SignedStory

/// RUL-04's counts: of offers taken, once each, whatever their type.
@Suite struct TakenOfferTests {
    private func mark(
        _ type: OfferType, _ identifier: String?, _ discount: OfferDiscountType = .payAsYouGo
    ) -> OfferMark {
        OfferMark(type: type, identifier: identifier, discountType: discount, period: nil)
    }

    private func month(_ number: Int64, _ offer: OfferMark?) -> SignedFact {
        Story.read(Story.transaction("\(number)", on: (number - 1) * 30) { $0.offer = offer })
    }

    private func mind(on days: Int64, _ offer: OfferMark?) -> SignedFact {
        Story.read(Story.renewal(signed: days) { $0.offer = offer })
    }

    @Test(arguments: [Int64](1...5) + [9, 99])
    func `an offer of any type is taken, and all but the introductory one count`(type: Int64) {
        let offer = mark(OfferType(rawValue: type), "a", .freeTrial)
        let state = SubscriptionState.fold([month(1, nil), month(2, offer), month(3, nil)])
        #expect(state.offersTaken.map(\.offer) == [offer])
        #expect(state.offersTaken.map(\.at) == [Story.at(30)])
        let counters = state.governorCounters(escalationLevel: 2)
        #expect(counters.offersTaken == (type == 1 ? 0 : 1) && counters.escalationLevel == 2)
        #expect(counters.lastOfferAt == (type == 1 ? nil : Story.at(30)))
    }

    @Test func `an offer of several periods is taken once, another one again`() {
        let (half, other) = (mark(.promotional, "half"), mark(.promotional, "other"))
        let state = SubscriptionState.fold([
            month(1, half), month(2, half), month(3, half), month(4, other), month(5, nil),
            month(6, half),
        ])
        #expect(state.offersTaken.map(\.transactionId) == ["1", "4", "6"])
        #expect(state.offersTakenCount == 3 && state.lastOfferAt == Story.at(150))
        let free = mark(.retention, "keep", .freeTrial)
        #expect(SubscriptionState.fold([month(1, free), month(2, free)]).offersTakenCount == 2)
    }

    @Test func `an offer is taken when it is redeemed, not first when it begins`() {
        let keep = mark(.retention, "keep", .freeTrial)
        let waiting = SubscriptionState.fold([month(1, nil), mind(on: 5, keep), mind(on: 7, keep)])
        #expect(waiting.offersTaken.map(\.at) == [Story.at(5)])
        #expect(waiting.offersTaken.map(\.transactionId) == [nil])
        #expect(waiting.offersTakenCount == 1)
        let begun = SubscriptionState.fold([month(1, nil), mind(on: 5, keep), month(2, keep)])
        #expect(begun.offersTaken.map(\.at) == [Story.at(5)])
        #expect(begun.offersTaken.map(\.transactionId) == ["2"])
        // Turned off again, it is not going to begin.
        let off = Story.read(
            Story.renewal(signed: 9) {
                $0.offer = keep
                $0.autoRenewStatus = .off
            })
        #expect(SubscriptionState.fold([month(1, nil), mind(on: 5, keep), off]).offersTaken == [])
    }

    @Test func `a renewal info that names the running offer takes no other`() {
        let half = mark(.promotional, "half")
        let state = SubscriptionState.fold([month(1, half), mind(on: 5, half)])
        #expect(state.offersTakenCount == 1)
        let unnamed = mark(.introductory, nil)
        let trial = SubscriptionState.fold([month(1, unnamed), mind(on: 5, unnamed)])
        #expect(trial.offersTaken.count == 1)
    }

    /// Composed and decomposed, which Swift takes for one.
    @Test func `identifiers are the same only when their bytes are`() {
        let state = SubscriptionState.fold([
            month(1, mark(.promotional, "\u{e9}")), month(2, mark(.promotional, "e\u{301}")),
        ])
        #expect(state.offersTakenCount == 2)
    }
}
