import Service
import Simulator
import Testing

/// What the signed documents hold in each case.
struct StoreDocumentTests {
    @Test func aPurchaseSaysWhatWasPaidAndWhere() throws {
        let shop = try Shop()
        let now = SampleApp.nowMilliseconds
        let report = try shop.begin(
            .init(
                storefront: "DEU", originalTransactionId: "2000000123456789",
                appAccountToken: "7e3fb20b-4cdb-47cc-936d-99d65f608138",
                buy: .init(.buy, productId: Shop.plus)))
        #expect(report.subscription.originalTransactionId == "2000000123456789")
        let payload = try shop.lastPayload()
        #expect(payload["signedDate"]?.integer == now)
        #expect(payload["data"]?["status"]?.integer == 1)
        let (transaction, renewal) = try shop.lastDocuments()
        #expect(transaction["transactionId"]?.text == "2000000123456789")
        #expect(transaction["originalTransactionId"]?.text == "2000000123456789")
        #expect(transaction["type"]?.text == "Auto-Renewable Subscription")
        #expect(transaction["price"]?.integer == 10_990)
        #expect(transaction["currency"]?.text == "EUR")
        #expect(transaction["storefront"]?.text == "DEU")
        #expect(transaction["storefrontId"]?.text == "143443")
        #expect(transaction["subscriptionGroupIdentifier"]?.text == "main")
        #expect(transaction["transactionReason"]?.text == "PURCHASE")
        #expect(transaction["inAppOwnershipType"]?.text == "PURCHASED")
        #expect(transaction["environment"]?.text == "Production")
        #expect(transaction["purchaseDate"]?.integer == now)
        #expect(transaction["appAccountToken"]?.text == "7e3fb20b-4cdb-47cc-936d-99d65f608138")
        #expect(transaction["offerType"] == nil)
        #expect(transaction["appTransactionId"]?.text == report.subscription.appTransactionId)
        #expect(renewal["autoRenewStatus"]?.integer == 1)
        #expect(renewal["renewalPrice"]?.integer == 10_990)
        #expect(renewal["renewalDate"]?.integer == report.subscription.expiresDate)
        #expect(renewal["recentSubscriptionStartDate"]?.integer == now)
        #expect(renewal["bundleId"] == nil)
    }

    @Test func anOfferOnTheSameProductBeginsWithTheNextPeriods() throws {
        let shop = try Shop()
        let subscriber = try shop.buy()
        try shop.apply(
            .init(.redeemOffer, offerType: 2, offerIdentifier: "half"), to: subscriber)
        var (transaction, renewal) = try shop.lastDocuments()
        #expect(transaction["offerType"] == nil)
        #expect(renewal["offerType"]?.integer == 2)
        #expect(renewal["offerIdentifier"]?.text == "half")
        #expect(renewal["renewalPrice"]?.integer == 4_995)
        for number in 1...4 {
            try shop.waitForEnd(of: subscriber)
            try shop.apply(.init(.renew), to: subscriber)
            (transaction, renewal) = try shop.lastDocuments()
            let isReduced = number < 4
            #expect(transaction["transactionReason"]?.text == "RENEWAL")
            #expect(transaction["price"]?.integer == (isReduced ? 4_995 : 9_990))
            #expect(transaction["offerDiscountType"]?.text == (isReduced ? "PAY_AS_YOU_GO" : nil))
            #expect(transaction["offerPeriod"]?.text == (isReduced ? "P3M" : nil))
            #expect(renewal["offerType"]?.integer == (number < 3 ? 2 : nil))
        }
    }

    /// The example of WWDC26, session 309.
    @Test func aRetentionOfferIsOfTypeFiveAndFreeForAllItsMonths() throws {
        let shop = try Shop()
        let subscriber = try shop.buy()
        try shop.apply(
            .init(.redeemOffer, offerType: 5, offerIdentifier: "stay"), to: subscriber)
        try shop.waitForEnd(of: subscriber)
        let start = try #require(try shop.lastDocuments().transaction["expiresDate"]?.integer)
        try shop.apply(.init(.renew), to: subscriber)
        let (transaction, _) = try shop.lastDocuments()
        #expect(transaction["offerType"]?.integer == 5)
        #expect(transaction["price"]?.integer == 0)
        #expect(transaction["offerDiscountType"]?.text == "FREE_TRIAL")
        #expect(transaction["offerPeriod"]?.text == "P3M")
        #expect(transaction["purchaseDate"]?.integer == start)
        let end = try #require(transaction["expiresDate"]?.integer)
        #expect((89...92).contains((end - start) / Shop.day))
    }

    @Test func aYearPaidByTheMonthIsACommitment() throws {
        let shop = try Shop()
        let subscriber = try shop.begin(
            .init(buy: .init(.buy, productId: Shop.yearly, billingPlanType: "MONTHLY"))
        ).subscription.originalTransactionId
        var (transaction, renewal) = try shop.lastDocuments()
        let end = transaction["commitmentInfo"]?["commitmentExpiresDate"]?.integer
        #expect(transaction["billingPlanType"]?.text == "MONTHLY")
        #expect(transaction["price"]?.integer == 10_000)
        #expect(transaction["commitmentInfo"]?["commitmentPrice"]?.integer == 120_000)
        #expect(renewal["renewalBillingPlanType"]?.text == "MONTHLY")
        try shop.apply(.init(.disableAutoRenew), to: subscriber)
        #expect(
            try shop.lastDocuments().renewal["commitmentInfo"]?["commitmentAutoRenewStatus"]?
                .integer == 0)
        for number in 2...12 {
            try shop.waitForEnd(of: subscriber)
            try shop.apply(.init(.renew), to: subscriber)
            (transaction, renewal) = try shop.lastDocuments()
            let info = transaction["commitmentInfo"]
            #expect(info?["billingPeriodNumber"]?.integer == Int64(number))
            #expect(info?["totalBillingPeriods"]?.integer == 12)
            #expect(info?["commitmentExpiresDate"]?.integer == end)
        }
        try shop.waitForEnd(of: subscriber)
        #expect(try shop.refusal(.init(.renew), subscriber)?.message == "Auto-renew is off.")
        try shop.apply(.init(.expire, reason: "VOLUNTARY"), to: subscriber)
    }

    @Test func aRefundKeepsTheTransactionAndSaysHowMuch() throws {
        let shop = try Shop()
        let subscriber = try shop.buy()
        shop.wait(days: 3)
        try shop.apply(.init(.requestRefund, reason: "UNINTENDED_PURCHASE"), to: subscriber)
        #expect(
            try shop.lastPayload()["data"]?["consumptionRequestReason"]?.text
                == "UNINTENDED_PURCHASE")
        let report = try shop.apply(.init(.refund, percentage: 67_932), to: subscriber)
        #expect(report.subscription.status == 5)
        let (transaction, renewal) = try shop.lastDocuments()
        #expect(transaction["transactionId"]?.text == subscriber)
        #expect(transaction["revocationType"]?.text == "REFUND_PRORATED")
        #expect(transaction["revocationPercentage"]?.integer == 67_932)
        #expect(transaction["revocationDate"]?.integer == shop.developer.clock.clock.now())
        #expect(transaction["revocationReason"]?.integer == 0)
        #expect(renewal["autoRenewStatus"]?.integer == 0)
        #expect(renewal["renewalPrice"] == nil)
        let back = try shop.apply(.init(.reverseRefund), to: subscriber)
        #expect(back.subscription.status == 1)
        #expect(try shop.lastDocuments().transaction["revocationDate"] == nil)
    }

    @Test func theEndSaysWhyAndWhatMightBringTheCustomerBack() throws {
        let shop = try Shop()
        let subscriber = try shop.buy()
        try shop.apply(.init(.disableAutoRenew), to: subscriber)
        try shop.waitForEnd(of: subscriber)
        try shop.apply(.init(.expire, reason: "VOLUNTARY"), to: subscriber)
        let (_, renewal) = try shop.lastDocuments()
        #expect(renewal["expirationIntent"]?.integer == 1)
        #expect(renewal["isInBillingRetryPeriod"] == .bool(false))
        #expect(
            renewal["eligibleWinBackOfferIds"] == .array([.string("back"), .string("again")]))
        try shop.apply(
            .init(.redeemOffer, offerType: 4, offerIdentifier: "back"), to: subscriber)
        let (transaction, after) = try shop.lastDocuments()
        #expect(transaction["offerType"]?.integer == 4)
        #expect(transaction["originalTransactionId"]?.text == subscriber)
        #expect(transaction["transactionReason"]?.text == "PURCHASE")
        #expect(after["eligibleWinBackOfferIds"] == nil)
    }

    @Test func anUpgradeEndsThePeriodBeforeAndAMigrationTheNumber() throws {
        let shop = try Shop()
        let subscriber = try shop.buy()
        shop.wait(days: 5)
        try shop.apply(.init(.upgrade, productId: Shop.pro), to: subscriber)
        let (transaction, _) = try shop.lastDocuments()
        #expect(transaction["productId"]?.text == Shop.pro)
        #expect(transaction["purchaseDate"]?.integer == shop.developer.clock.clock.now())
        let report = try shop.apply(.init(.migrate), to: subscriber)
        #expect(report.subscription.originalTransactionId != subscriber)
        let (migrated, _) = try shop.lastDocuments()
        #expect(migrated["previousOriginalTransactionId"]?.text == subscriber)
        #expect(try shop.apply(.init(.disableAutoRenew), to: subscriber).subscription.status == 1)
    }
}
