import Foundation
import HTTPClient
import HTTPServer
import Simulator
import Testing

/// Customers whose behaviour is told, and who live it over HTTP.
struct SubscriberBaseTests {
    private static let plain = UUID(), better = UUID()

    /// A shop whose real-time URL is answered by `script`.
    private func shop(
        _ receiver: NotificationReceiver?,
        _ script: @escaping @Sendable (Developer, RealtimeRequest) -> Response
    ) throws -> (Shop, RealtimeResponder) {
        let shop = try Shop()
        let developer = shop.developer
        let responder = try RealtimeResponder { script(developer, $0) }
        var state = try #require(developer.state(.production))
        for message in [SubscriberBaseTests.plain, SubscriberBaseTests.better] {
            state.messages.append(
                .init(
                    messageIdentifier: message.uuidString, messageState: .approved,
                    header: "Stay", body: "With us."))
        }
        state.realtimeURL = "https://realtime.example/r"
        for product in Shop.products {
            for locale in ["en-US", "de-DE"] {
                state.defaults.append(
                    .init(
                        productId: product.productId, locale: locale,
                        messageIdentifier: SubscriberBaseTests.plain.uuidString))
            }
        }
        try developer.simulator.set(state)
        var origins = [
            OriginMap.Entry(
                publicOrigin: "https://realtime.example", localOrigin: responder.origin)
        ]
        if let receiver {
            #expect(
                try shop.put("\(shop.app)/notifications", NotificationSettings(url: Shop.url))
                    == 204)
            origins.append(
                .init(publicOrigin: "https://holdfast.example", localOrigin: receiver.origin))
        }
        #expect(try shop.put("/control/origins", OriginMap(origins: origins)) == 204)
        return (shop, responder)
    }

    private func plan(
        subscribers: Int, _ change: (inout SubscriberBasePlan) -> Void = { _ in }
    ) -> SubscriberBasePlan {
        var plan = SubscriberBasePlan(
            appAppleId: SampleApp.appAppleId, environment: .production, seed: 42,
            subscribers: subscribers, start: SampleApp.nowMilliseconds,
            products: [.init(Shop.plus, share: 3), .init(Shop.pro, share: 1)],
            places: [.init("USA", "en-US", share: 2), .init("DEU", "de-DE")],
            ageDays: .init(from: 1, to: 100))
        change(&plan)
        return plan
    }

    private func play(_ shop: Shop, _ plan: SubscriberBasePlan, days: Int64) throws -> BaseReport {
        #expect(try shop.put("/control/base", plan) == 204)
        return try shop.post(
            BaseReport.self, "/control/base/play",
            PlayOrder(until: plan.start + days * Shop.day))
    }

    private static func answer(_ message: UUID) -> Response {
        .json(200, Array(#"{"message":{"messageIdentifier":"\#(message)"}}"#.utf8))
    }

    /// Every second customer is held out and sees the default.
    private static func isHeldOut(_ request: RealtimeRequest) -> Bool {
        (Int64(request.originalTransactionId) ?? 0) / 10_000 % 2 == 0
    }

    @Test func whatAMessageChangesIsWhatThePlanSays() throws {
        let receiver = try NotificationReceiver()
        let (shop, responder) = try shop(receiver) { _, request in
            SubscriberBaseTests.isHeldOut(request)
                ? .empty(503) : SubscriberBaseTests.answer(SubscriberBaseTests.better)
        }
        defer { responder.stop() }
        let plan = plan(subscribers: 300) {
            $0.monthly.view = 0.9
            $0.intentShare = 0.8
            $0.keep.fallback = 0.2
            $0.keep.message = 0.6
        }
        let report = try play(shop, plan, days: 28)
        #expect(report.subscribers == 300)
        #expect(report.playedUntil == plan.start + 28 * Shop.day)
        let message = try #require(report.shown["message"])
        let fallback = try #require(report.shown["fallback"])
        #expect(abs(message.trueLift - 0.32) < 1e-9)
        #expect(abs(message.chance - 0.68) < 1e-9)
        #expect(fallback.trueLift == 0)
        for effect in [message, fallback] {
            let views = Double(effect.views)
            let error = (effect.chance * (1 - effect.chance) / views).squareRoot()
            #expect(effect.views > 60)
            #expect(abs(Double(effect.kept) / views - effect.chance) < 4 * error)
        }
        #expect(fallback.kept == fallback.keptWithFallback)
        #expect(message.kept > message.keptWithFallback)
        #expect(
            report.shownMessages[SubscriberBaseTests.better.uuidString.lowercased()]?.views
                == message.views)
        let told = receiver.payloads.count
        #expect(try shop.sent().allSatisfy { $0.attempts.count == 1 })
        #expect(told == (try shop.sent().count))
        let off = try shop.sent().filter { $0.subtype == "AUTO_RENEW_DISABLED" }
        #expect(off.count == report.cancelled)
        #expect(report.cancelled > 50)
        #expect(responder.received.count == message.views + fallback.views)
    }

    @Test func theSameSeedGivesTheSameLives() throws {
        func live(_ seed: UInt64) throws -> (BaseReport, [String]) {
            let (shop, responder) = try shop(nil) { _, request in
                SubscriberBaseTests.isHeldOut(request)
                    ? .empty(503) : SubscriberBaseTests.answer(SubscriberBaseTests.better)
            }
            defer { responder.stop() }
            let plan = plan(subscribers: 60) {
                $0.seed = seed
                $0.monthly = .init(view: 0.5, refund: 0.2, billingFailure: 0.3, comeBack: 0.5)
                $0.trialShare = 0.5
            }
            let report = try play(shop, plan, days: 60)
            return (report, try shop.sent().map { "\($0.notificationUUID) \($0.name)" })
        }
        let first = try live(1)
        let again = try live(1)
        let other = try live(2)
        #expect(first.0 == again.0)
        #expect(first.1 == again.1)
        #expect(first.1 != other.1)
        #expect(first.0.refunds > 0 && first.0.renewalsFailed > 0 && first.0.cameBack > 0)
        #expect(first.0.expired > 0)
    }

    @Test func whoStaysAtAnOfferTakesIt() throws {
        let (shop, responder) = try shop(nil) { developer, request in
            guard request.productId == Shop.plus else {
                return .json(
                    200,
                    Array(
                        """
                        {"alternateProduct":{"messageIdentifier":\
                        "\(SubscriberBaseTests.better)","productId":"\(Shop.plus)"}}
                        """.utf8))
            }
            let signature = try? developer.token { claims in
                claims["exp"] = nil
                claims["iat"] = String(request.signedDate / 1000)
                claims["aud"] = #""promotional-offer""#
                claims["nonce"] = "\"\(UUID().uuidString.lowercased())\""
                claims["productId"] = "\"\(request.productId)\""
                claims["offerIdentifier"] = #""half""#
                claims["transactionId"] = "\"\(request.originalTransactionId)\""
            }
            return .json(
                200,
                Array(
                    """
                    {"promotionalOffer":{"messageIdentifier":"\(SubscriberBaseTests.better)",\
                    "promotionalOfferSignatureV2":"\(signature ?? "")"}}
                    """.utf8))
        }
        defer { responder.stop() }
        let plan = plan(subscribers: 60) {
            $0.monthly.view = 0.9
            $0.intentShare = 1
            $0.keep.promotionalOffer = 1
            $0.keep.switchPlan = 1
        }
        let report = try play(shop, plan, days: 25)
        #expect(report.cancelled == 0)
        #expect(report.offersTaken > 10)
        #expect(report.plansSwitched > 3)
        let sent = try shop.sent()
        #expect(sent.filter { $0.name == "OFFER_REDEEMED" }.count == report.offersTaken)
        #expect(
            sent.filter { $0.name == "DID_CHANGE_RENEWAL_PREF/DOWNGRADE" }.count
                == report.plansSwitched)
    }

    @Test func thePastCanBeToldAndIsSignedAsOfThen() throws {
        let receiver = try NotificationReceiver()
        let (shop, responder) = try shop(receiver) { _, _ in .empty(503) }
        defer { responder.stop() }
        let plan = plan(subscribers: 5) {
            $0.tellsHistory = true
            $0.ageDays = .init(from: 360, to: 400)
        }
        _ = try play(shop, plan, days: 1)
        let payloads = receiver.payloads
        #expect(payloads.count >= 5 * 12)
        for payload in payloads {
            let signedDate = try #require(try shop.open(payload)["signedDate"]?.integer)
            #expect(signedDate > plan.start - 401 * Shop.day)
        }
    }

    @Test func aDefaultMessageInRealTimeIsAFallback() throws {
        let (shop, responder) = try shop(nil) { _, _ in
            SubscriberBaseTests.answer(SubscriberBaseTests.plain)
        }
        defer { responder.stop() }
        let report = try play(shop, plan(subscribers: 40) { $0.monthly.view = 0.9 }, days: 20)
        #expect(Set(report.shown.keys) == ["fallback"])
        let clock = try JSONDecoder().decode(
            ClockView.self, from: Data(try shop.send("GET", "/control/clock").body))
        #expect(clock.now == SampleApp.nowMilliseconds + 20 * Shop.day)
    }

    @Test(arguments: [
        Int64.min, -1, 0, .max, SampleApp.nowMilliseconds + 3650 * Shop.day,
        SampleApp.nowMilliseconds - 2 * Shop.day,
    ])
    func aTimeThatCannotBePlayedIsRefused(_ until: Int64) throws {
        let shop = try Shop()
        #expect(try shop.put("/control/base", plan(subscribers: 2)) == 204)
        let order = Array(#"{"until":\#(until)}"#.utf8)
        #expect(try shop.send("POST", "/control/base/play", order).status == 422)
    }

    @Test func aBaseLivesInThePastUpToThePresent() throws {
        let receiver = try NotificationReceiver()
        let (shop, responder) = try shop(receiver) { _, _ in .empty(503) }
        defer { responder.stop() }
        func now() throws -> Int64 {
            let body = try shop.send("GET", "/control/clock").body
            return try JSONDecoder().decode(ClockView.self, from: Data(body)).now
        }
        #expect(try now() == SampleApp.nowMilliseconds)
        for wrong in [Int64.min, 0, .max] {
            #expect(try shop.put("/control/clock", ClockView(now: wrong)) == 422)
        }
        let past = SampleApp.nowMilliseconds - 56 * Shop.day
        #expect(try shop.put("/control/clock", ClockView(now: past)) == 204)
        let plan = plan(subscribers: 40) {
            $0.start = past
            $0.monthly.view = 0.8
            $0.intentShare = 1
        }
        let report = try play(shop, plan, days: 56)
        #expect(try now() == SampleApp.nowMilliseconds)
        #expect(report.cancelled > 10)
        let dates = try shop.sent().map(\.signedDate)
        #expect(dates.allSatisfy { $0 >= past && $0 <= SampleApp.nowMilliseconds })
        let attempts = try shop.sent().flatMap(\.attempts).map(\.attemptDate)
        #expect(attempts.allSatisfy { $0 >= past && $0 <= SampleApp.nowMilliseconds })
    }

    @Test func aPlanThatMakesNoSenseIsRefused() throws {
        let shop = try Shop()
        let changes: [@Sendable (inout SubscriberBasePlan) -> Void] = [
            { $0.subscribers = 0 }, { $0.intentShare = 1.1 }, { $0.products = [] },
            { $0.products = [.init("none")] }, { $0.ageDays = .init(from: 2, to: 1) },
            { $0.keepByMessage = ["x": 0.5] }, { $0.stepMinutes = 0 },
            { $0.places[0].share = 0 }, { $0.monthly.refund = -0.1 }, { $0.start = .max },
        ]
        for change in changes {
            #expect(try shop.put("/control/base", plan(subscribers: 5, change)) == 422)
        }
        #expect(try shop.put("/control/base", plan(subscribers: 5) { $0.appAppleId = 9 }) == 404)
        let none = try shop.send("POST", "/control/base/play", Array(#"{"until":5}"#.utf8))
        #expect(none.status == 404)
    }
}
