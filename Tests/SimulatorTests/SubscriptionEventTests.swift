import HTTPClient
import Service
import Simulator
import Testing

/// What happens to subscriptions, and what Apple tells of it.
struct SubscriptionEventTests {
    /// Every type and subtype of Apple's table
    /// (`appstoreservernotifications/notificationtype`).
    private static let all: Set<String> = [
        "SUBSCRIBED/INITIAL_BUY", "SUBSCRIBED/RESUBSCRIBE", "DID_RENEW",
        "DID_RENEW/BILLING_RECOVERY", "DID_CHANGE_RENEWAL_PREF/UPGRADE",
        "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "DID_CHANGE_RENEWAL_PREF",
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
        "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED", "DID_CHANGE_RENEWAL_STATUS",
        "OFFER_REDEEMED", "OFFER_REDEEMED/UPGRADE", "OFFER_REDEEMED/DOWNGRADE",
        "EXPIRED/VOLUNTARY", "EXPIRED/BILLING_RETRY", "EXPIRED/PRICE_INCREASE",
        "EXPIRED/PRODUCT_NOT_FOR_SALE", "DID_FAIL_TO_RENEW", "DID_FAIL_TO_RENEW/GRACE_PERIOD",
        "GRACE_PERIOD_EXPIRED", "PRICE_INCREASE/PENDING", "PRICE_INCREASE/ACCEPTED", "REFUND",
        "REFUND_REVERSED", "REFUND_DECLINED", "CONSUMPTION_REQUEST", "REVOKE", "RENEWAL_EXTENDED",
        "RENEWAL_EXTENSION/FAILURE", "RENEWAL_EXTENSION/SUMMARY", "ONE_TIME_CHARGE", "TEST",
        "EXTERNAL_PURCHASE_TOKEN/UNREPORTED", "EXTERNAL_PURCHASE_TOKEN/CREATED",
        "EXTERNAL_PURCHASE_TOKEN/ACTIVE_TOKEN_REMINDER", "RESCIND_CONSENT", "METADATA_UPDATE",
        "MIGRATION", "PRICE_CHANGE",
    ]

    /// Each life with what Apple says at each step; `wait` is for the end of the period.
    private static let lives: [[(SubscriptionEvent?, String)]] = [
        [
            (.init(.renew), "DID_RENEW"), (.init(.disableAutoRenew), "*/AUTO_RENEW_DISABLED"),
            (.init(.enableAutoRenew), "*/AUTO_RENEW_ENABLED"),
            (.init(.disableAutoRenew), "*/AUTO_RENEW_DISABLED"), (nil, ""),
            (.init(.expire, reason: "VOLUNTARY"), "EXPIRED/VOLUNTARY"),
            (.init(.resubscribe), "SUBSCRIBED/RESUBSCRIBE"),
        ],
        [
            (nil, ""), (.init(.failRenewal, days: 16), "DID_FAIL_TO_RENEW/GRACE_PERIOD"),
            (nil, ""), (.init(.endGracePeriod), "GRACE_PERIOD_EXPIRED"),
            (.init(.recover), "DID_RENEW/BILLING_RECOVERY"), (nil, ""),
            (.init(.failRenewal), "DID_FAIL_TO_RENEW"),
            (.init(.expire, reason: "BILLING_RETRY"), "EXPIRED/BILLING_RETRY"),
            (
                .init(.redeemOffer, offerType: 4, offerIdentifier: "back"),
                "SUBSCRIBED/RESUBSCRIBE"
            ),
        ],
        [
            (.init(.upgrade, productId: Shop.pro), "DID_CHANGE_RENEWAL_PREF/UPGRADE"),
            (.init(.downgrade, productId: Shop.plus), "DID_CHANGE_RENEWAL_PREF/DOWNGRADE"),
            (.init(.revertDowngrade), "DID_CHANGE_RENEWAL_PREF"),
            (
                .init(
                    .redeemOffer, productId: Shop.plus, offerType: 2, offerIdentifier: "half"),
                "OFFER_REDEEMED/DOWNGRADE"
            ), (nil, ""), (.init(.renew), "DID_RENEW"),
            (
                .init(.crossgrade, productId: Shop.yearly),
                "DID_CHANGE_RENEWAL_PREF/DOWNGRADE"
            ),
            (
                .init(.crossgrade, productId: "plus.other"),
                "DID_CHANGE_RENEWAL_PREF/UPGRADE"
            ),
            (
                .init(
                    .redeemOffer, productId: Shop.plus, offerType: 3, offerIdentifier: "code"),
                "OFFER_REDEEMED/UPGRADE"
            ),
            (.init(.redeemOffer, offerType: 5, offerIdentifier: "stay"), "OFFER_REDEEMED"),
        ],
        [
            (.init(.proposePriceIncrease, price: 12_990), "PRICE_INCREASE/PENDING"),
            (.init(.acceptPriceIncrease), "PRICE_INCREASE/ACCEPTED"), (nil, ""),
            (.init(.renew), "DID_RENEW"),
            (.init(.announcePriceIncrease, price: 13_990), "PRICE_INCREASE/ACCEPTED"),
            (.init(.disableAutoRenew), "DID_CHANGE_RENEWAL_STATUS"),
        ],
        [
            (.init(.proposePriceIncrease, price: 12_990), "PRICE_INCREASE/PENDING"), (nil, ""),
            (.init(.expire, reason: "PRICE_INCREASE"), "EXPIRED/PRICE_INCREASE"),
            (.init(.resubscribe, productId: Shop.pro), "SUBSCRIBED/RESUBSCRIBE"), (nil, ""),
            (.init(.expire, reason: "PRODUCT_NOT_FOR_SALE"), "EXPIRED/PRODUCT_NOT_FOR_SALE"),
        ],
        [
            (.init(.requestRefund, reason: "LEGAL"), "CONSUMPTION_REQUEST"),
            (.init(.declineRefund), "REFUND_DECLINED"),
            (.init(.refund, percentage: 40_000), "REFUND"),
            (.init(.reverseRefund), "REFUND_REVERSED"), (.init(.refund), "REFUND"),
            (.init(.failExtension), "RENEWAL_EXTENSION/FAILURE"),
        ],
        [
            (.init(.extendRenewal, days: 30), "RENEWAL_EXTENDED"),
            (.init(.changeMetadata), "METADATA_UPDATE"),
            (.init(.changePrice, price: 5_000), "PRICE_CHANGE"), (.init(.migrate), "MIGRATION"),
            (.init(.disableAutoRenew), "*/AUTO_RENEW_DISABLED"),
        ],
    ]

    private func notices(_ shop: Shop) throws {
        for (type, subtype) in [
            ("TEST", nil), ("RENEWAL_EXTENSION", "SUMMARY"), ("RESCIND_CONSENT", nil),
            ("EXTERNAL_PURCHASE_TOKEN", "UNREPORTED"), ("EXTERNAL_PURCHASE_TOKEN", "CREATED"),
            ("EXTERNAL_PURCHASE_TOKEN", "ACTIVE_TOKEN_REMINDER"),
        ] as [(String, String?)] {
            _ = try shop.post(
                NotificationView.self, "\(shop.app)/notices",
                AppNotice(type: type, subtype: subtype))
        }
        _ = try shop.post(
            NotificationView.self, "\(shop.app)/notices",
            AppNotice(type: "ONE_TIME_CHARGE", productId: "coins"))
    }

    @Test func everyTypeAndSubtypeOfAppleCanHappen() throws {
        let shop = try Shop()
        for life in SubscriptionEventTests.lives {
            let subscriber = try shop.buy()
            // The first life renews at once, a day before the end.
            shop.wait(days: 29)
            for (step, expected) in life {
                guard var event = step else {
                    try shop.waitForEnd(of: subscriber)
                    continue
                }
                if event.kind == .renew { try shop.waitForEnd(of: subscriber) }
                event.at = shop.developer.clock.clock.now()
                let name = try shop.apply(event, to: subscriber).notification.name
                let full = expected.replacing("*", with: "DID_CHANGE_RENEWAL_STATUS")
                #expect(name == full)
            }
        }
        let member = try shop.begin(
            .init(isFamilyShared: true, buy: .init(.buy, productId: Shop.plus)))
        try shop.apply(.init(.revoke), to: member.subscription.originalTransactionId)
        try notices(shop)
        let made = try shop.sent(signedPayloads: true)
        #expect(Set(made.map(\.name)) == SubscriptionEventTests.all)
        #expect(Set(made.map(\.notificationUUID)).count == made.count)
        for notification in made {
            let payload = try shop.open(notification.signedPayload)
            #expect(payload["notificationType"]?.text == notification.notificationType)
            #expect(payload["notificationUUID"]?.text == notification.notificationUUID)
            #expect(payload["version"]?.text == "2.0")
            let bodies = ["data", "summary", "externalPurchaseToken", "appData"]
                .compactMap { payload[$0] }
            #expect(bodies.count == 1)
            #expect(bodies[0]["bundleId"]?.text == SampleApp.bundleId)
            #expect(bodies[0]["appAppleId"]?.integer == SampleApp.appAppleId)
            for name in ["signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo"] {
                guard let inner = bodies[0][name] else { continue }
                _ = try shop.open(inner.text)
            }
        }
    }

    @Test func whatAppleHasNotInventedYetCanBeSent() throws {
        let shop = try Shop(.sandbox)
        let view = try shop.post(
            NotificationView.self, "\(shop.app)/notices",
            AppNotice(type: "FUTURE_THING", subtype: "NEWER"))
        #expect(view.name == "FUTURE_THING/NEWER")
        let payload = try shop.lastPayload()
        #expect(payload["data"]?["environment"]?.text == "Sandbox")
        let refusal = try shop.send(
            "POST", "\(shop.app)/notices", Array(#"{"type":"DID_RENEW"}"#.utf8))
        #expect(refusal.status == 409)
    }

    @Test(
        arguments: [
            (SubscriptionEvent(.buy, productId: Shop.plus), "bought once"),
            (.init(.renew), "ends later"), (.init(.recover), "No renewal has failed"),
            (.init(.endGracePeriod), "no grace period"),
            (.init(.expire, reason: "VOLUNTARY"), "ends later"), (.init(.expire), "reason is"),
            (.init(.enableAutoRenew), "on already"),
            (.init(.upgrade, productId: "plus.other"), "no upgrade"),
            (.init(.downgrade, productId: Shop.pro), "no downgrade"),
            (.init(.crossgrade, productId: Shop.plus), "of this product already"),
            (.init(.upgrade, productId: "none"), "no product"),
            (.init(.revertDowngrade), "No downgrade"),
            (.init(.redeemOffer, offerType: 4, offerIdentifier: "back"), "that has ended"),
            (.init(.redeemOffer, offerType: 1), "begins with buy"),
            (.init(.redeemOffer, offerType: 2, offerIdentifier: "none"), "no offer"),
            (.init(.proposePriceIncrease, price: 9_990), "above the present"),
            (.init(.acceptPriceIncrease), "No price increase"),
            (.init(.declineRefund), "No refund"),
            (.init(.requestRefund, reason: "x"), "reason is one of"),
            (.init(.refund, percentage: 100_001), "percentage"),
            (.init(.refund, transactionId: "1"), "no such transaction"),
            (.init(.reverseRefund), "Nothing was refunded"), (.init(.revoke), "family member"),
            (.init(.extendRenewal, days: 91), "days is 1 to 90"),
            (.init(.failExtension), "would extend"), (.init(.resubscribe), "has not ended"),
            (.init(.renew, at: SampleApp.nowMilliseconds + 1), "not after"),
            (.init(.disableAutoRenew, at: 5), "last event is later"),
        ] as [(SubscriptionEvent, String)])
    func whatCannotHappenIsRefusedWithASentence(_ event: SubscriptionEvent, _ words: String) throws
    {
        let shop = try Shop()
        let subscriber = try shop.buy()
        let refusal = try #require(try shop.refusal(event, subscriber))
        #expect(refusal.code == .impossibleEvent)
        #expect(refusal.status == 409)
        #expect(refusal.message.contains(words), "\(refusal.message)")
        let unknown = try shop.refusal(.init(.renew), "1")
        #expect(unknown?.code == .unknownSubscriber)
    }

    @Test func anExtensionIsGivenTwiceAYearAndToWhoPaid() throws {
        let shop = try Shop()
        let subscriber = try shop.buy()
        for _ in 0..<2 { try shop.apply(.init(.extendRenewal, days: 90), to: subscriber) }
        let third = try shop.refusal(.init(.extendRenewal, days: 1), subscriber)
        #expect(third?.message.contains("twice") == true)
        let trial = try shop.begin(
            .init(buy: .init(.buy, productId: Shop.plus, offerType: 1)))
        let free = try shop.refusal(
            .init(.extendRenewal, days: 1), trial.subscription.originalTransactionId)
        #expect(free?.message.contains("free period") == true)
    }

    /// A page is opened, and a performance test run, of what was sold as of any other.
    @Test func whatWasSoldIsKnownEverywhere() throws {
        let shop = try Shop(.sandbox)
        let subscriber = try shop.buy()
        var state = try #require(shop.developer.state(.sandbox))
        state.messages = [
            .init(
                messageIdentifier: "7e3fb20b-4cdb-47cc-936d-99d65f608138",
                messageState: .approved, header: "Stay", body: "With us.")
        ]
        state.defaults = [
            .init(
                productId: Shop.plus, locale: "en-US",
                messageIdentifier: "7e3fb20b-4cdb-47cc-936d-99d65f608138")
        ]
        state.realtimeURL = "https://holdfast.example/r"
        try shop.developer.simulator.set(state)
        func view() throws -> NotCalledReason? {
            let view = PageView(
                originalTransactionId: subscriber, appAppleId: SampleApp.appAppleId,
                environment: .sandbox, productId: Shop.plus, userLocale: "en-US", taps: true)
            let report = try shop.post(
                PageViewReport.self, "/control/page-views", PageViewBatch(pageViews: [view]))
            return report.results.first?.notCalledReason
        }
        func begin(_ identifier: String) throws -> Developer.Reply {
            try shop.developer.send(
                "POST", Developer.test, Array(#"{"originalTransactionId":"\#(identifier)"}"#.utf8),
                type: "application/json")
        }
        try shop.developer.simulator.setPerformanceTests(
            PerformanceTestScript(outcomes: [.init(.pass)]), appAppleId: SampleApp.appAppleId)
        #expect(try view() == nil)
        #expect(try begin(subscriber).status == 200)
        try shop.waitForEnd(of: subscriber)
        let renewed = try shop.apply(.init(.renew), to: subscriber).subscription
        #expect(try begin(renewed.transactionIds[1]).isRefusal(.notOriginalTransactionId))
        #expect(try begin(renewed.appTransactionId).isRefusal(.appTransactionIdNotSupported))
        try shop.apply(.init(.refund), to: subscriber)
        #expect(try view() == .subscriptionNotActive)
        #expect(try begin(subscriber).isRefusal(.invalidTransactionId))
    }
}
