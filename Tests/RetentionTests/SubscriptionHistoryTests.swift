import Retention
import TestSupport
import Testing

private typealias Story = SignedStory

@Suite struct SubscriptionHistoryTests {
    /// Facts of a made-up life, many with dates, UUIDs and transactions in common.
    private func facts(_ count: Int, _ numbers: inout SeededNumbers) -> [SignedFact] {
        let types: [NotificationType] = [
            .renewed, .consumptionRequest, .refund, .refundReversed, .refundDeclined,
            .renewalExtended, .migrate, NotificationType(rawValue: "FUTURE_THING"),
        ]
        return (0..<count).map { _ in
            let day = Int64.random(in: 0..<20, using: &numbers)
            let month = Int64.random(in: 1...12, using: &numbers)
            let transaction = Story.transaction("\(month)", on: month * 30, signed: day) {
                $0.priceMilliunits = Int64.random(in: 0...5, using: &numbers)
                $0.revocationDate = Bool.random(using: &numbers) ? Story.at(day) : nil
                $0.webOrderLineItemId = "\(month / 2)"
                $0.commitment = TransactionFact.Commitment()
                $0.isUpgraded = Bool.random(using: &numbers)
                $0.appAccountToken = Story.uuid(UInt8(month))
            }
            let renewal = Story.renewal(signed: day) {
                $0.autoRenewStatus = Bool.random(using: &numbers) ? .on : .off
                $0.eligibleWinBackOfferIds = ["a", "b"]
                $0.commitment = RenewalFact.Commitment()
                $0.offer = OfferMark(
                    type: .retention, identifier: "keep", discountType: .freeTrial, period: "P1M")
            }
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0: return Story.read(transaction)
            case 1: return Story.read(renewal)
            default:
                return Story.notification(
                    types[Int.random(in: types.indices, using: &numbers)], on: day,
                    uuid: UInt8.random(in: 1...9, using: &numbers), transaction, renewal,
                    content: UInt64.random(in: 0...9_999_999, using: &numbers), status: .active)
            }
        }
    }

    @Test(arguments: [UInt64](1...200))
    func `parts joined in any order are the whole`(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        let facts = distinct(facts(60, &numbers))
        let whole = SubscriptionHistory(facts)
        #expect(whole.state == .fold(facts.shuffled(using: &numbers) + facts))
        var parts = [SubscriptionHistory](repeating: SubscriptionHistory(), count: 4)
        for fact in facts + facts.shuffled(using: &numbers) {
            parts[Int.random(in: 0..<4, using: &numbers)].insert(fact)
        }
        var joined = SubscriptionHistory()
        for part in parts.shuffled(using: &numbers) {
            // As a worker keeps it between two turns.
            let kept = try #require(SubscriptionHistory(body: part.encoded()))
            #expect(kept == part)
            joined.merge(kept)
        }
        #expect(joined == whole && joined.encoded() == whole.encoded())
        joined.merge(whole)
        #expect(joined == whole && joined.state == whole.state)
    }

    /// What is read by itself has no content of its own here: of one date and transaction only the
    /// first is a fact.
    private func distinct(_ facts: [SignedFact]) -> [SignedFact] {
        var seen: Set<String> = []
        return facts.filter { fact in
            guard fact.notification == nil else { return true }
            let transactionId = fact.transaction?.content.transactionId ?? "renewal"
            return seen.insert("\(transactionId) \(fact.key.signedDate.milliseconds)").inserted
        }
    }

    @Test func `beyond its limits it holds the newest, in whatever order they came`() {
        let count = SubscriptionHistory.transactionsLimit + 300
        let month: Int64 = 30
        var facts = (1...Int64(count)).map { number in
            Story.read(
                Story.transaction("\(number)", on: number, signed: number) {
                    $0.expiresDate = Story.at(number + month)
                })
        }
        facts += (1...Int64(count)).map { number in
            Story.notification(
                .consumptionRequest, on: number, Story.transaction("\(number)", on: number),
                Story.renewal(signed: number) { $0.autoRenewProductId = "\(number)" },
                content: UInt64(number))
        }
        let state = SubscriptionState.fold(facts)
        #expect(state.paidPeriods == Int64(SubscriptionHistory.transactionsLimit))
        #expect(state.periods.count == SubscriptionState.periodsLimit)
        #expect(state.periods.last?.transactionId == "\(count)")
        #expect(state.renewalChanges.count == SubscriptionState.changesLimit)
        #expect(state.refundRequests.count == SubscriptionState.refundRequestsLimit)
        var numbers = SeededNumbers(seed: 3)
        let whole = SubscriptionHistory(facts)
        #expect(SubscriptionHistory(facts.reversed()) == whole)
        facts.shuffle(using: &numbers)
        #expect(SubscriptionHistory(facts) == whole)
        var (one, other) = (
            SubscriptionHistory(facts[..<count]), SubscriptionHistory(facts[count...])
        )
        one.merge(other)
        other.merge(one)
        #expect(one == whole && other == whole)
    }

    @Test func `a body that another build wrote, or a damaged one, is read as none`() {
        var numbers = SeededNumbers(seed: 5)
        let history = SubscriptionHistory(facts(20, &numbers))
        let body = history.encoded()
        #expect(SubscriptionHistory(body: body) == history)
        for length in 0..<body.count {
            #expect(SubscriptionHistory(body: Array(body[..<length])) == nil)
        }
        #expect(SubscriptionHistory(body: body + [0]) == nil)
        #expect(
            SubscriptionHistory(body: [SubscriptionHistory.version + 1] + body.dropFirst()) == nil)
        for place in body.indices {
            var damaged = body
            damaged[place] ^= 0xFF
            // Whatever it says, it ends nothing.
            _ = SubscriptionHistory(body: damaged)?.state
        }
        #expect(SubscriptionHistory(body: SubscriptionHistory().encoded()) == SubscriptionHistory())
    }

    @Test func `sums beyond 64 bits stay the largest`() {
        let facts = (1...3).map { number in
            Story.read(
                Story.transaction("\(number)", on: Int64(number)) {
                    $0.priceMilliunits = .max
                    $0.revocationDate = number == 3 ? Story.at(9) : nil
                    $0.revocationPercentage = 99_999
                })
        }
        #expect(SubscriptionState.fold(facts).spend.map(\.amountMilliunits) == [.max])
        let refunded = SubscriptionState.fold(facts.suffix(1))
        // 9,223,372,036,854,775,807 less 99.999 % of it.
        #expect(refunded.spend.map(\.amountMilliunits) == [92_233_720_368_548])
        let strange = Story.read(
            Story.transaction("1", on: 0) {
                $0.priceMilliunits = .min
                $0.revocationDate = Story.at(1)
                $0.revocationPercentage = .min
            })
        #expect(SubscriptionState.fold([strange]).spend.map(\.amountMilliunits) == [0])
    }
}
