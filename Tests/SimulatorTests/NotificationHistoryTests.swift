import Foundation
import Service
import Simulator
import TestSupport
import Testing

/// `POST /inApps/v1/notifications/history` and the test notification.
struct NotificationHistoryTests {
    private static let history = "/inApps/v1/notifications/history"
    private static let test = "/inApps/v1/notifications/test"

    private func ask(
        _ shop: Shop, _ more: String = "", from start: Int64? = nil, to end: Int64? = nil,
        token: String? = nil
    ) throws -> Developer.Reply {
        let now = shop.developer.clock.clock.now()
        let body = """
            {"startDate":\(start ?? now - 10 * Shop.day),"endDate":\(end ?? now + Shop.day)\(more)}
            """
        let query = token.map { "?paginationToken=\($0)" } ?? ""
        return try shop.developer.send(
            "POST", NotificationHistoryTests.history + query, Array(body.utf8),
            type: "application/json", in: shop.environment)
    }

    private func entries(_ reply: Developer.Reply) throws -> [JSONValue] {
        guard case .array(let entries)? = reply.json?["notificationHistory"] else { return [] }
        return entries
    }

    private func identifiers(_ shop: Shop, _ reply: Developer.Reply) throws -> [String] {
        try entries(reply).compactMap {
            try shop.open($0["signedPayload"]?.text)["notificationUUID"]?.text
        }
    }

    @Test func twentyAPageUntilNothingIsMissing() throws {
        let shop = try Shop()
        let receiver = try NotificationReceiver { $0 <= 3 ? 500 : 200 }
        try shop.connect(receiver)
        for _ in 0..<45 { try shop.buy() }
        #expect(try becomesTrue { try shop.sent().allSatisfy { $0.attempts.count == 1 } })
        var seen: [String] = []
        var sizes: [Int] = []
        var token: String?
        repeat {
            let reply = try ask(shop, from: 1_789_990_000_000, to: 1_791_000_000_000, token: token)
            #expect(reply.status == 200)
            sizes.append(try entries(reply).count)
            seen += try identifiers(shop, reply)
            token = reply.json?["paginationToken"]?.text
            #expect(reply.json?["hasMore"] == .bool(token != nil))
        } while token != nil
        #expect(sizes == [20, 20, 5])
        #expect(seen == (try shop.sent().map(\.notificationUUID)))
        let failures = try ask(shop, #","onlyFailures":true"#)
        #expect(try entries(failures).count == 3)
        let attempt = try entries(failures)[0]["sendAttempts"]
        guard case .array(let attempts)? = attempt else {
            Issue.record("No attempts.")
            return
        }
        #expect(attempts.count == 1)
        #expect(
            attempts[0]["sendAttemptResult"]?.text == "UNSUCCESSFUL_HTTP_RESPONSE_CODE")
        #expect(attempts[0]["attemptDate"]?.integer == SampleApp.nowMilliseconds)
    }

    @Test func aCustomerOrATypeIsAskedFor() throws {
        let shop = try Shop()
        try shop.connect(try NotificationReceiver())
        let first = try shop.buy()
        let second = try shop.buy()
        try shop.apply(.init(.disableAutoRenew), to: first)
        try shop.apply(.init(.enableAutoRenew), to: first)
        #expect(try entries(ask(shop, #","transactionId":"\#(first)""#)).count == 3)
        #expect(try entries(ask(shop, #","transactionId":"\#(second)""#)).count == 1)
        let type = #","notificationType":"DID_CHANGE_RENEWAL_STATUS""#
        #expect(try entries(ask(shop, type)).count == 2)
        let subtype = #"\#(type),"notificationSubtype":"AUTO_RENEW_DISABLED""#
        #expect(try entries(ask(shop, subtype)).count == 1)
    }

    @Test(
        arguments: [
            (#","transactionId":"1","notificationType":"TEST""#, .multipleFiltersSupplied),
            (#","transactionId":"x""#, .invalidTransactionId),
            (#","transactionId":"12345""#, .transactionIdNotFound),
            (#","notificationType":"NONE""#, .invalidNotificationType),
            (
                #","notificationType":"DID_RENEW","notificationSubtype":"UPGRADE""#,
                .invalidNotificationType
            ), (#","notificationSubtype":"UPGRADE""#, .invalidNotificationType),
            (#","onlyFailures":1"#, .generalBadRequest), (#","more":1"#, .generalBadRequest),
        ] as [(String, AppleError)])
    func aQuestionThatIsWrongIsRefused(_ more: String, _ error: AppleError) throws {
        let shop = try Shop()
        #expect(try ask(shop, more).isRefusal(error))
    }

    @Test func datesHaveLimits() throws {
        let shop = try Shop()
        let now = SampleApp.nowMilliseconds
        #expect(try ask(shop, from: now - 180 * Shop.day).status == 200)
        #expect(try ask(shop, from: now - 180 * Shop.day - 1).isRefusal(.startDateTooFarInPast))
        #expect(try ask(shop, from: now, to: now - 1).isRefusal(.startDateAfterEndDate))
        let sandbox = try Shop(.sandbox)
        #expect(try ask(sandbox, from: now - 30 * Shop.day).status == 200)
        #expect(try ask(sandbox, from: now - 31 * Shop.day).isRefusal(.startDateTooFarInPast))
        func body(_ json: String) throws -> Developer.Reply {
            try shop.developer.send(
                "POST", NotificationHistoryTests.history, Array(json.utf8),
                type: "application/json", in: .production)
        }
        #expect(try body(#"{"endDate":5}"#).isRefusal(.invalidStartDate))
        #expect(try body(#"{"startDate":"5","endDate":6}"#).isRefusal(.invalidStartDate))
        #expect(try body(#"{"startDate":\#(now)}"#).isRefusal(.invalidEndDate))
        #expect(try body("[]").isRefusal(.generalBadRequest))
        #expect(try body("").isRefusal(.generalBadRequest))
    }

    @Test func aTokenIsForTheSameQuestionAndForADay() throws {
        let shop = try Shop()
        try shop.connect(try NotificationReceiver())
        for _ in 0..<21 { try shop.buy() }
        let (start, end) = (SampleApp.nowMilliseconds - 5, SampleApp.nowMilliseconds + 5)
        let page = try ask(shop, from: start, to: end)
        let token = try #require(page.json?["paginationToken"]?.text)
        #expect(try entries(ask(shop, from: start, to: end, token: token)).count == 1)
        let other = try ask(shop, from: start + 1, to: end, token: token)
        #expect(other.isRefusal(.invalidPaginationToken))
        let broken = try ask(shop, from: start, to: end, token: "abc")
        #expect(broken.isRefusal(.invalidPaginationToken))
        shop.developer.clock.advance(milliseconds: Shop.day + 1)
        let late = try ask(shop, from: start, to: end, token: token)
        #expect(late.isRefusal(.paginationTokenExpired))
    }

    @Test func aTestNotificationIsSentAndAskedAfter() throws {
        let shop = try Shop()
        let none = try shop.developer.send(
            "POST", NotificationHistoryTests.test, in: .production)
        #expect(none.isRefusal(.serverNotificationURLNotFound))
        let receiver = try NotificationReceiver()
        try shop.connect(receiver)
        let reply = try shop.developer.send(
            "POST", NotificationHistoryTests.test, in: .production)
        let token = try #require(reply.json?["testNotificationToken"]?.text)
        let status = "\(NotificationHistoryTests.test)/\(token)"
        #expect(
            try becomesTrue {
                let reply = try shop.developer.get(status, in: .production)
                guard case .array(let attempts)? = reply.json?["sendAttempts"] else {
                    return false
                }
                return attempts.first?["sendAttemptResult"]?.text == "SUCCESS"
            })
        let payload = try shop.developer.get(status, in: .production).json?["signedPayload"]?.text
        #expect(receiver.payloads == [try #require(payload)])
        let opened = try shop.open(payload)
        #expect(opened["notificationType"]?.text == "TEST")
        #expect(opened["data"]?["signedTransactionInfo"] == nil)
        let bad = try shop.developer.get("\(NotificationHistoryTests.test)/x", in: .production)
        #expect(bad.isRefusal(.invalidTestNotificationToken))
        let unknown = "\(NotificationHistoryTests.test)/\(UUID())_5"
        let missing = try shop.developer.get(unknown, in: .production)
        #expect(missing.isRefusal(.testNotificationNotFound))
    }
}
