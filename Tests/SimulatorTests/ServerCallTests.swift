import Foundation
import Service
import Simulator
import Testing

/// Transactions, statuses and refunds, as the App Store Server API gives them.
struct ServerCallTests {
    private func list(_ reply: Developer.Reply, _ name: String = "signedTransactions")
        -> [JSONValue]
    {
        guard case .array(let elements)? = reply.json?[name] else { return [] }
        return elements
    }

    private func get(_ shop: Shop, _ path: String) throws -> Developer.Reply {
        try shop.developer.get("/inApps/\(path)", in: shop.environment)
    }

    /// A customer with so many periods of a week.
    private func life(_ shop: Shop, renewals: Int) throws -> SubscriptionView {
        var view = try shop.begin(.init(buy: .init(.buy, productId: Shop.weekly))).subscription
        for _ in 0..<renewals {
            try shop.waitForEnd(of: view.originalTransactionId)
            view = try shop.apply(.init(.renew), to: view.originalTransactionId).subscription
        }
        return view
    }

    @Test func aHistoryIsReadByPagesAndLaterByItsRevision() throws {
        let shop = try Shop()
        let view = try life(shop, renewals: 44)
        let path = "v2/history/\(view.transactionIds[30])"
        var seen: [String] = []
        var revision: String?
        var sizes: [Int] = []
        while true {
            let reply = try get(shop, path + (revision.map { "?revision=\($0)" } ?? ""))
            #expect(reply.json?["bundleId"]?.text == SampleApp.bundleId)
            #expect(reply.json?["environment"]?.text == "Production")
            let page = try list(reply).map {
                try #require(try shop.open($0.text)["transactionId"]?.text)
            }
            sizes.append(page.count)
            seen += page
            revision = reply.json?["revision"]?.text
            if reply.json?["hasMore"] != .bool(true) { break }
        }
        #expect(sizes == [20, 20, 5])
        #expect(seen == view.transactionIds)
        let known = try #require(revision)
        #expect(try list(get(shop, "\(path)?revision=\(known)")).isEmpty)
        let old = view.transactionIds[3]
        try shop.apply(.init(.refund, transactionId: old), to: view.originalTransactionId)
        let changed = try list(get(shop, "\(path)?revision=\(known)"))
        #expect(changed.count == 1)
        let document = try shop.open(changed.first?.text)
        #expect(document["transactionId"]?.text == old)
        #expect(document["revocationType"]?.text == "REFUND_FULL")
        let other = try get(shop, "\(path)?revision=\(known)&sort=DESCENDING")
        #expect(other.isRefusal(.invalidRequestRevision))
    }

    @Test func filtersAreAllToHoldAndValuesOfOneAreChoices() throws {
        let shop = try Shop()
        let view = try life(shop, renewals: 2)
        let path = "v2/history/\(view.originalTransactionId)"
        try shop.apply(.init(.refund), to: view.originalTransactionId)
        _ = try shop.post(
            NotificationView.self, "\(shop.app)/notices",
            AppNotice(
                type: "ONE_TIME_CHARGE", productId: "coins",
                appTransactionId: view.appTransactionId))
        func count(_ query: String) throws -> Int { try list(get(shop, "\(path)?\(query)")).count }
        #expect(try count("") == 4)
        #expect(try count("productType=CONSUMABLE") == 1)
        #expect(try count("productType=CONSUMABLE&productType=AUTO_RENEWABLE") == 4)
        #expect(try count("productId=coins&productType=AUTO_RENEWABLE") == 0)
        #expect(try count("productId=\(Shop.weekly)&productId=coins") == 4)
        #expect(try count("subscriptionGroupIdentifier=main") == 3)
        #expect(try count("inAppOwnershipType=FAMILY_SHARED") == 0)
        #expect(try count("revoked=true") == 1)
        #expect(try count("revoked=false") == 3)
        #expect(try count("startDate=\(SampleApp.nowMilliseconds + 1)") == 3)
        #expect(try count("endDate=\(SampleApp.nowMilliseconds + 1)") == 1)
        let descending = try list(get(shop, "\(path)?sort=DESCENDING"))
            .map { try shop.open($0.text)["productId"]?.text }
        #expect(descending.first == "coins")
    }

    @Test(
        arguments: [
            ("startDate=x", .invalidStartDate), ("endDate=-1", .invalidEndDate),
            ("startDate=5&endDate=4", .startDateAfterEndDate), ("productId=", .invalidProductId),
            ("productType=TAPES", .invalidProductType),
            ("subscriptionGroupIdentifier=", .invalidSubscriptionGroupIdentifier),
            ("inAppOwnershipType=MINE", .invalidInAppOwnershipType),
            ("revoked=yes", .invalidRevoked), ("sort=UP", .invalidSort),
            ("revision=abc", .invalidRequestRevision), ("other=1", .generalBadRequest),
        ] as [(String, AppleError)])
    func aQueryThatIsWrongIsRefused(_ query: String, _ error: AppleError) throws {
        let shop = try Shop()
        let subscriber = try shop.buy()
        #expect(try get(shop, "v2/history/\(subscriber)?\(query)").isRefusal(error))
    }

    @Test(arguments: [
        "v2/history/", "v1/subscriptions/", "v1/transactions/", "v2/refund/lookup/",
        "v1/transactions/appTransactions/",
    ])
    func aNumberIsOneOfThisAppsAndHost(_ path: String) throws {
        let shop = try Shop()
        let view = try shop.begin(.init(buy: .init(.buy, productId: Shop.plus))).subscription
        #expect(try get(shop, "\(path)abc").isRefusal(.invalidTransactionId))
        #expect(try get(shop, "\(path)12345678901234567890").isRefusal(.invalidTransactionId))
        #expect(try get(shop, "\(path)123").isRefusal(.transactionIdNotFound))
        #expect(try get(shop, path + view.originalTransactionId).status == 200)
        let sandbox = try shop.developer.get("/inApps/\(path)\(view.originalTransactionId)")
        #expect(sandbox.isRefusal(.transactionIdNotFound))
        let isSingle = path == "v1/transactions/"
        let byCustomer = try get(shop, path + view.appTransactionId)
        #expect(
            isSingle
                ? byCustomer.isRefusal(.appTransactionIdNotSupported) : byCustomer.status == 200)
        let stranger = try shop.developer.send(
            "GET", "/inApps/\(path)\(view.originalTransactionId)", in: .production,
            authorization: "Bearer x")
        #expect(stranger.status == 401)
    }

    @Test func statusesAreByGroupAndByNumber() throws {
        let shop = try Shop()
        let view = try life(shop, renewals: 1)
        try shop.begin(
            .init(
                appTransactionId: view.appTransactionId,
                buy: .init(.buy, productId: Shop.yearly)))
        try shop.waitForEnd(of: view.originalTransactionId)
        try shop.apply(.init(.failRenewal, days: 3), to: view.originalTransactionId)
        let path = "v1/subscriptions/\(view.transactionIds[1])"
        let reply = try get(shop, path)
        let groups = list(reply, "data")
        #expect(groups.count == 1)
        #expect(groups[0]["subscriptionGroupIdentifier"]?.text == "main")
        guard case .array(let entries)? = groups[0]["lastTransactions"] else {
            Issue.record("No transactions.")
            return
        }
        #expect(entries.map { $0["status"]?.integer } == [4, 1])
        let renewal = try shop.open(entries[0]["signedRenewalInfo"]?.text)
        #expect(renewal["isInBillingRetryPeriod"] == .bool(true))
        #expect(renewal["gracePeriodExpiresDate"]?.integer != nil)
        let transaction = try shop.open(entries[0]["signedTransactionInfo"]?.text)
        #expect(transaction["transactionId"]?.text == view.transactionIds[1])
        #expect(list(try get(shop, "\(path)?status=2"), "data").isEmpty)
        #expect(list(try get(shop, "\(path)?status=2&status=4"), "data").count == 1)
        #expect(try get(shop, "\(path)?status=6").isRefusal(.invalidStatus))
    }

    @Test func refundsComeEarliestFirstAndNewerOnesByTheLastRevision() throws {
        let shop = try Shop()
        let view = try life(shop, renewals: 24)
        let path = "v2/refund/lookup/\(view.originalTransactionId)"
        #expect(list(try get(shop, path)).isEmpty)
        for identifier in view.transactionIds.prefix(22).reversed() {
            shop.wait(days: 1)
            try shop.apply(
                .init(.refund, transactionId: identifier), to: view.originalTransactionId)
        }
        let first = try get(shop, path)
        #expect(list(first).count == 20)
        #expect(first.json?["hasMore"] == .bool(true))
        let revision = try #require(first.json?["revision"]?.text)
        let second = try get(shop, "\(path)?revision=\(revision)")
        #expect(list(second).count == 2)
        let dates = try (list(first) + list(second)).map {
            try #require(try shop.open($0.text)["revocationDate"]?.integer)
        }
        #expect(dates == dates.sorted())
        let last = try #require(second.json?["revision"]?.text)
        try shop.apply(
            .init(.refund, transactionId: view.transactionIds[23]),
            to: view.originalTransactionId)
        #expect(list(try get(shop, "\(path)?revision=\(last)")).count == 1)
        #expect(try get(shop, "\(path)?revision=1").isRefusal(.invalidRequestRevision))
    }

    @Test func aSingleTransactionIsSignedAnewEachTime() throws {
        let shop = try Shop()
        let view = try life(shop, renewals: 1)
        shop.wait(days: 2)
        let reply = try get(shop, "v1/transactions/\(view.transactionIds[0])")
        let document = try shop.open(reply.json?["signedTransactionInfo"]?.text)
        #expect(document["transactionId"]?.text == view.transactionIds[0])
        #expect(document["signedDate"]?.integer == shop.developer.clock.clock.now())
        let app = try get(shop, "v1/transactions/appTransactions/\(view.transactionIds[1])")
        let appTransaction = try shop.open(app.json?["signedAppTransactionInfo"]?.text)
        #expect(appTransaction["appTransactionId"]?.text == view.appTransactionId)
        #expect(appTransaction["receiptType"]?.text == "Production")
    }

    @Test func theHoursCallsAreApplesOwn() throws {
        let shop = try Shop()
        let subscriber = try shop.buy()
        let limits = RateLimits()
        #expect(limits.calls(.getTransactionHistory, .production) == 180_000)
        #expect(limits.calls(.getRefundHistory, .production) == 36_000)
        #expect(limits.calls(.requestTestNotification, .sandbox) == 360)
        try shop.developer.simulator.setLimits(
            RateLimits(callsPerHour: ["getTransactionInfo": 1]))
        let path = "v1/transactions/\(subscriber)"
        #expect(try get(shop, path).status == 200)
        let refused = try get(shop, path)
        #expect(refused.isRefusal(.rateLimitExceeded))
        let end = try #require(refused.header("Retry-After").flatMap { Int64($0) })
        shop.developer.clock.set(milliseconds: end)
        #expect(try get(shop, path).status == 200)
    }

    @Test func faultsAreForTheseCallsToo() throws {
        let shop = try Shop()
        let subscriber = try shop.buy()
        try shop.developer.simulator.setFaults([
            Fault(.html, endpoint: .getTransactionInfo, times: 1),
            Fault(.internalError, endpoint: .getRefundHistory),
        ])
        let path = "v1/transactions/\(subscriber)"
        #expect(try get(shop, path).status == 502)
        #expect(try get(shop, path).status == 200)
        #expect(try get(shop, "v2/refund/lookup/\(subscriber)").isRefusal(.generalInternal))
        let calls = shop.developer.simulator.apiCalls()
        #expect(calls.map(\.endpoint).last == .getRefundHistory)
        #expect(calls.allSatisfy { $0.identifier == subscriber })
    }

    @Test func theServerAPINeedsNoAccessToRetentionMessaging() throws {
        let shop = try Shop()
        let subscriber = try shop.buy()
        var state = try #require(shop.developer.state(.production))
        state.hasRetentionMessagingAccess = false
        try shop.developer.simulator.set(state)
        #expect(try get(shop, "v1/transactions/\(subscriber)").status == 200)
    }
}
