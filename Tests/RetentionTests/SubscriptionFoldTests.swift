import Retention
import TestSupport
import Testing

private typealias Story = SignedStory

@Suite struct SubscriptionFoldTests {
    /// The state, which no order and no repetition changes.
    private func fold(_ facts: SignedFact...) -> SubscriptionState {
        let state = SubscriptionState.fold(facts)
        for permutation in facts.permutations {
            #expect(SubscriptionState.fold(permutation) == state)
            #expect(SubscriptionState.fold(permutation + permutation.reversed()) == state)
        }
        return state
    }

    private var bought: SignedFact {
        Story.notification(
            .subscribed, on: 0, uuid: 1, Story.transaction("1", on: 0), Story.renewal(signed: 0))
    }

    private var renewed: SignedFact {
        Story.notification(
            .renewed, on: 30, uuid: 2, Story.transaction("2", on: 30), Story.renewal(signed: 30))
    }

    private func refund(
        of transaction: TransactionFact, on days: Int64, uuid: UInt8 = 9,
        _ change: (inout TransactionFact) -> Void = { _ in }
    ) -> SignedFact {
        let signed = Story.transaction(
            transaction.transactionId,
            on: (transaction.purchaseDate.milliseconds - Story.start) / Story.day, signed: days
        ) {
            $0.revocationDate = Story.at(days)
            change(&$0)
        }
        return Story.notification(.refund, on: days, uuid: uuid, signed)
    }

    @Test func `a purchase and its renewals are periods`() {
        let state = fold(bought, renewed)
        #expect(state.originalTransactionId == "1" && state.productId == "monthly")
        #expect(state.subscribedAt == Story.at(0) && state.expiresAt == Story.at(60))
        #expect(state.paidPeriods == 2 && state.autoRenewing == true)
        #expect(
            state.spend == [SubscriberProfile.Money(amountMilliunits: 19_980, currency: "EUR")])
        #expect(state.periods.map(\.beginning) == [.first, .renewal])
        #expect(state.asOf == Story.at(30))
        #expect(fold() == SubscriptionState())
    }

    /// NOT-02.
    @Test func `a renewal that comes behind the refund does not bring the subscriber back`() {
        let second = Story.transaction("2", on: 30)
        let state = fold(
            bought, refund(of: second, on: 33, uuid: 3), renewed,
            Story.notification(
                .changedStatus, on: 31, uuid: 4, second,
                Story.renewal(signed: 31) { $0.autoRenewStatus = .off }),
            Story.notification(
                NotificationType(rawValue: "GRACE_PERIOD_EXPIRED"), on: 33, uuid: 5,
                Story.transaction("2", on: 30, signed: 32)))
        #expect(state.status(at: Story.at(34)) == .revoked)
        #expect(state.refunds == 1 && state.paidPeriods == 1 && state.autoRenewing == false)
    }

    @Test func `of one date the greater UUID holds, of one UUID the greater content`() {
        func mind(_ status: AutoRenewStatus, uuid: UInt8, content: UInt64 = 0) -> SignedFact {
            Story.notification(
                .changedStatus, on: 5, uuid: uuid, Story.transaction("1", on: 0),
                Story.renewal(signed: 5) { $0.autoRenewStatus = status }, content: content)
        }
        #expect(fold(mind(.off, uuid: 2), mind(.on, uuid: 1)).autoRenewing == false)
        #expect(fold(mind(.off, uuid: 1), mind(.on, uuid: 2)).autoRenewing == true)
        #expect(
            fold(mind(.off, uuid: 1, content: 7), mind(.on, uuid: 1, content: 8)).autoRenewing
                == true)
        #expect(
            fold(mind(.off, uuid: 1, content: 8), mind(.on, uuid: 1, content: 7)).autoRenewing
                == false)
        // What was read by itself has the smallest UUID.
        let alone = Story.read(Story.renewal(signed: 5) { $0.autoRenewStatus = .off })
        #expect(fold(alone, mind(.on, uuid: 1)).autoRenewing == true)
    }

    /// NOT-01.
    @Test func `two transactions of one purchase are one period`() {
        func version(_ id: String, signed: Int64) -> SignedFact {
            Story.read(
                Story.transaction(id, on: 0, signed: signed) { $0.webOrderLineItemId = "77" })
        }
        let state = fold(version("1", signed: 0), version("9", signed: 2), renewed)
        #expect(state.paidPeriods == 2 && state.periods.map(\.transactionId) == ["9", "2"])
        #expect(fold(version("9", signed: 0), version("1", signed: 2)).periods.count == 1)
    }

    @Test func `a refund of a part leaves the rest, cut to thousandths`() {
        let first = Story.transaction("1", on: 0)
        func net(_ type: RevocationType?, _ percentage: Int64?) -> Int64? {
            let state = fold(
                bought,
                refund(of: first, on: 3) {
                    $0.revocationType = type
                    $0.revocationPercentage = percentage
                })
            #expect(state.refunds == 1)
            #expect((state.paidPeriods == 0) == (state.spend.first?.amountMilliunits == 0))
            return state.spend.first?.amountMilliunits
        }
        #expect(net(.proratedRefund, 67_932) == 3_204)
        #expect(net(.proratedRefund, 0) == 9_990)
        #expect(net(.proratedRefund, nil) == 0)
        #expect(net(.fullRefund, 10) == 0)
        #expect(net(nil, 50_000) == 4_995)
        #expect(net(RevocationType(rawValue: "NEW"), nil) == 0)
        #expect(net(nil, -4) == 9_990)
        #expect(net(nil, .max) == 0)
    }

    @Test func `a refund is taken back by its reversal, and a later one is not`() {
        let first = Story.transaction("1", on: 0)
        let refund = refund(of: first, on: 3)
        func reversal(on days: Int64, _ date: Instant?) -> SignedFact {
            Story.notification(
                .refundReversed, on: days, uuid: 10,
                Story.transaction("1", on: 0, signed: days) { $0.revocationDate = date })
        }
        for date in [nil, Story.at(3)] {
            let state = fold(bought, refund, reversal(on: 6, date))
            #expect(state.refunds == 0 && state.paidPeriods == 1)
            #expect(state.status(at: Story.at(7)) == .active)
            let again = fold(
                bought, refund, reversal(on: 6, date), self.refund(of: first, on: 8, uuid: 11))
            #expect(again.refunds == 1 && again.status(at: Story.at(9)) == .revoked)
        }
    }

    @Test func `a request for money is open until it is answered, or long ago`() {
        let request = Story.notification(
            .consumptionRequest, on: 3, uuid: 4, Story.transaction("1", on: 0, signed: 3))
        let open = fold(bought, request)
        #expect(open.openRefundRequests(at: Story.at(4)).map(\.transactionId) == ["1"])
        #expect(open.openRefundRequests(at: Story.at(33)).isEmpty)
        let declined = Story.notification(
            .refundDeclined, on: 4, uuid: 5, Story.transaction("1", on: 0, signed: 4))
        #expect(fold(bought, request, declined).refundRequests.isEmpty)
        let refund = refund(of: Story.transaction("1", on: 0), on: 5)
        #expect(fold(bought, request, refund).refundRequests.isEmpty)
        // Of the refund only the transaction is known.
        let read = Story.read(
            Story.transaction("1", on: 0, signed: 9) { $0.revocationDate = Story.at(5) })
        #expect(fold(bought, request, read).refundRequests.isEmpty)
        let again = Story.notification(
            .consumptionRequest, on: 6, uuid: 7, Story.transaction("1", on: 0, signed: 6))
        #expect(fold(request, declined, again).refundRequests.map(\.at) == [Story.at(6)])
    }

    @Test func `what the family shares is not paid, and its end is no refund`() {
        let shared = Story.transaction("1", on: 0) { $0.ownership = .familyShared }
        let lost = Story.transaction("1", on: 0, signed: 9) {
            $0.ownership = .familyShared
            $0.revocationDate = Story.at(9)
        }
        let state = fold(Story.read(shared), Story.read(lost))
        #expect(state.paidPeriods == 0 && state.refunds == 0)
        #expect(state.spend.map(\.amountMilliunits) == [0])
        #expect(state.revocation?.kind == .family && state.status(at: Story.at(10)) == .revoked)
        #expect(state.ownership == .familyShared)
    }

    @Test func `an upgrade begins a period over another, and what is taken back of it is netted`() {
        let upgraded = Story.transaction("1", on: 0, signed: 10) {
            $0.isUpgraded = true
            $0.revocationDate = Story.at(10)
            $0.revocationType = .proratedRefund
            $0.revocationPercentage = 50_000
        }
        let upgrade = Story.transaction("2", on: 10, product: "pro") {
            $0.reason = .purchase
            $0.priceMilliunits = 20_000
        }
        let running = fold(bought, Story.read(upgrade))
        #expect(running.periods.last?.beginning == .change && running.productId == "pro")
        let state = fold(bought, Story.read(upgraded), Story.read(upgrade))
        #expect(state.paidPeriods == 2 && state.spend.first?.amountMilliunits == 24_995)
        #expect(state.periods.first?.isUpgraded == true && state.returns == 1)
    }

    @Test func `a downgrade waits for the renewal, and auto-renew off takes it away`() {
        func mind(on days: Int64, _ product: String, _ status: AutoRenewStatus) -> SignedFact {
            Story.read(
                Story.renewal(signed: days) {
                    $0.autoRenewProductId = product
                    $0.autoRenewStatus = status
                })
        }
        let wanted = mind(on: 5, "basic", .on)
        #expect(fold(bought, wanted).pendingProductId == "basic")
        let off = fold(bought, wanted, mind(on: 6, "basic", .off))
        #expect(off.pendingProductId == nil && off.next?.productId == "basic")
        #expect(off.renewalChanges.map(\.autoRenewing) == [true, true, false])
        let applied = Story.read(Story.transaction("2", on: 30, product: "basic"))
        let state = fold(bought, wanted, applied)
        #expect(state.productId == "basic" && state.pendingProductId == nil)
        // The older renewal info speaks of the period before.
        #expect(state.autoRenewing == nil && state.next == nil)
    }

    @Test func `a renewal signed before its period begins speaks of it`() {
        let early = Story.notification(
            .renewed, on: 29, uuid: 3, Story.transaction("2", on: 30, signed: 29),
            Story.renewal(signed: 29) { $0.priceIncreaseStatus = .accepted })
        #expect(fold(bought, early).priceIncrease == .accepted)
    }

    @Test func `a type that is not known changes nothing`() {
        let strange = Story.notification(
            NotificationType(rawValue: "FUTURE_THING"), on: 40, uuid: 8,
            Story.transaction("3", on: 40), Story.renewal(signed: 40) { $0.autoRenewStatus = .off },
            status: .expired)
        #expect(fold(bought, strange) == fold(bought))
    }

    @Test func `extensions, migrations and commitments are kept`() {
        let extended = Story.notification(
            .renewalExtended, on: 9, uuid: 5,
            Story.transaction("1", on: 0, signed: 9) { $0.expiresDate = Story.at(50) })
        let state = fold(bought, extended)
        #expect(state.expiresAt == Story.at(50) && state.extensions == 1)
        #expect(state.paidPeriods == 1 && state.lastExtendedAt == Story.at(9))
        for type in [NotificationType.migrate, .migration] {
            let migrated = Story.notification(
                type, on: 9, uuid: 5,
                Story.transaction("1", on: 0, signed: 9) {
                    $0.previousOriginalTransactionId = "0"
                    $0.billingPlan = .monthly
                    $0.commitment = TransactionFact.Commitment()
                    $0.commitment?.billingPeriodNumber = 3
                })
            let state = fold(bought, migrated, renewed)
            #expect(state.migratedAt == Story.at(9) && state.previousOriginalTransactionId == "0")
            #expect(state.commitment == nil && fold(migrated).billingPlan == .monthly)
            #expect(fold(migrated).commitment?.now?.billingPeriodNumber == 3)
        }
    }

    @Test func `who comes back after the end has returned`() {
        let back = Story.transaction("3", on: 90) {
            $0.reason = .purchase
            $0.offer = OfferMark(
                type: .winBack, identifier: "back", discountType: .payUpFront, period: "P1M")
        }
        let state = fold(bought, renewed, Story.read(back))
        #expect(state.returns == 1 && state.lastReturnedAt == Story.at(90))
        #expect(state.offersTaken.map(\.offer.type) == [.winBack])
    }
}
