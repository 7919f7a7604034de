import HTTPClient
import Service
import Signing
import Simulator
import TestSupport
import Testing

/// Lives drawn at random: whatever is asked for, the books stay in order.
struct SubscriptionLifeTests {
    private static let day: Int64 = 86_400_000
    private static let products = [
        Shop.plus, Shop.pro, Shop.yearly, Shop.weekly, "plus.other", "none",
    ]
    private static let offers = ["half", "code", "back", "again", "stay", "year", "none"]
    private static let reasons = [
        "VOLUNTARY", "BILLING_RETRY", "PRICE_INCREASE", "PRODUCT_NOT_FOR_SALE", "LEGAL", "x",
    ]

    private func event(
        _ numbers: inout SeededNumbers, _ view: SubscriptionView
    ) -> SubscriptionEvent {
        func draw<Value>(_ values: [Value?]) -> Value? {
            values[Int.random(in: 0..<values.count, using: &numbers)]
        }
        let kinds = SubscriptionEvent.Kind.allCases
        return SubscriptionEvent(
            kinds[Int.random(in: 0..<kinds.count, using: &numbers)],
            productId: draw(SubscriptionLifeTests.products + [nil]),
            billingPlanType: draw([nil, nil, nil, "MONTHLY"]), offerType: draw([1, 2, 3, 4, 5, 6]),
            offerIdentifier: draw(SubscriptionLifeTests.offers),
            transactionId: draw([nil, nil, view.transactionIds.first, "1"]),
            reason: draw(SubscriptionLifeTests.reasons),
            percentage: draw([nil, 1, 50_000, 100_000, -1]),
            days: draw([nil, 3, 16, 90, .max, .min]),
            price: draw([nil, 0, 20_990, 130_000, .max, .min]))
    }

    private func document(_ compact: JSONValue?) throws -> JSONValue {
        try JSONValue(CompactJWS(Array((compact?.text ?? "").utf8)).payload)
    }

    private func count(_ simulator: Simulator) -> Int {
        simulator.sentNotifications(appAppleId: SampleApp.appAppleId, environment: .production)
            .count
    }

    private func last(_ shop: Shop) throws -> JSONValue {
        let body = try shop.send(
            "GET", "\(shop.app)/notifications/sent?limit=1&signedPayload=true"
        ).body
        guard case .array(let sent)? = try JSONValue(body)["notifications"] else { return .null }
        return try document(sent.last?["signedPayload"])
    }

    /// What holds after every event, as the developer is told it.
    private func check(
        _ payload: JSONValue, _ view: SubscriptionView, at now: Int64
    ) throws {
        let data = try #require(payload["data"])
        let transaction = try document(data["signedTransactionInfo"])
        let renewal = try document(data["signedRenewalInfo"])
        #expect(data["status"]?.integer == view.status)
        #expect(renewal["autoRenewStatus"]?.integer == (view.autoRenews ? 1 : 0))
        #expect(renewal["productId"]?.text == view.productId)
        #expect(renewal["autoRenewProductId"]?.text == view.renewalProductId)
        #expect((renewal["expirationIntent"] != nil) == [2, 3, 4].contains(view.status))
        #expect((renewal["gracePeriodExpiresDate"] != nil) == (view.status == 4))
        #expect((transaction["price"]?.integer ?? -1) >= 0)
        let purchased = try #require(transaction["purchaseDate"]?.integer)
        let expires = try #require(transaction["expiresDate"]?.integer)
        #expect(purchased < expires)
        #expect((transaction["offerType"] != nil) == (transaction["offerPeriod"] != nil))
        #expect((transaction["revocationDate"] != nil) == (transaction["revocationType"] != nil))
        for each in [payload, transaction, renewal] { #expect(each["signedDate"]?.integer == now) }
    }

    @Test(arguments: [UInt64(1), 2, 3, 4])
    func whateverIsAskedForTheBooksStayInOrder(_ seed: UInt64) throws {
        let shop = try Shop()
        let simulator = shop.developer.simulator
        var numbers = SeededNumbers(seed: seed)
        var done: Set<SubscriptionEvent.Kind> = []
        for _ in 0..<12 {
            var view = try simulator.begin(
                .init(buy: .init(.buy, productId: Shop.plus)),
                appAppleId: SampleApp.appAppleId, environment: .production
            ).subscription
            for _ in 0..<120 {
                shop.developer.clock.advance(
                    milliseconds: Int64.random(in: 0...6, using: &numbers)
                        * SubscriptionLifeTests.day)
                let event = event(&numbers, view)
                let before = count(simulator)
                do {
                    let report = try simulator.apply(
                        event, to: view.originalTransactionId, appAppleId: SampleApp.appAppleId,
                        environment: .production)
                    done.insert(event.kind)
                    view = report.subscription
                    #expect(count(simulator) == before + 1)
                    try check(last(shop), view, at: shop.developer.clock.clock.now())
                } catch {
                    #expect((error as? ControlError)?.code == .impossibleEvent)
                    #expect(count(simulator) == before)
                }
                #expect(Set(view.transactionIds).count == view.transactionIds.count)
            }
        }
        #expect(done.count > 15)
    }
}
