import Foundation
import HTTPClient
import HTTPServer
import ScriptedServer
import Service
import Simulator
import Synchronization
import TestSupport
import Testing

/// How notifications reach the developer, and what becomes of those that do not.
struct NotificationSenderTests {
    private static let hour: Int64 = 3_600_000

    @Test func whatFailsComesAgainOnApplesScheduleUnderTheSameIdentifier() throws {
        let shop = try Shop()
        let receiver = try NotificationReceiver { _ in 503 }
        try shop.connect(receiver, .init(retryScale: 10))
        try shop.buy()
        var dates = [SampleApp.nowMilliseconds]
        for (number, hours) in [1, 12, 24, 48, 72].enumerated() {
            #expect(becomesTrue { receiver.bodies.count == number + 1 })
            #expect(try becomesTrue { try shop.sent()[0].attempts.count == number + 1 })
            shop.developer.clock.advance(
                milliseconds: Int64(hours) * NotificationSenderTests.hour / 10 - 1)
            #expect(receiver.bodies.count == number + 1)
            shop.developer.clock.advance(milliseconds: 1)
            dates.append(shop.developer.clock.clock.now())
        }
        #expect(try becomesTrue { try shop.sent()[0].attempts.count == 6 })
        shop.wait(days: 30)
        let attempts = try shop.sent()[0].attempts
        #expect(attempts.map(\.attemptDate) == dates)
        #expect(
            Set(attempts.map(\.sendAttemptResult)) == ["UNSUCCESSFUL_HTTP_RESPONSE_CODE"])
        #expect(receiver.bodies.count == 6)
        #expect(Set(receiver.payloads).count == 1)
    }

    @Test func whatComesThroughIsSentNoMore() throws {
        let shop = try Shop()
        let receiver = try NotificationReceiver { $0 < 3 ? 500 : 200 }
        try shop.connect(receiver)
        try shop.buy()
        for count in 1...3 {
            #expect(try becomesTrue { try shop.sent()[0].attempts.count == count })
            shop.wait(days: 1)
        }
        shop.wait(days: 30)
        try shop.buy()
        #expect(try becomesTrue { try shop.sent()[1].attempts.count == 1 })
        let results = try shop.sent()[0].attempts.map(\.sendAttemptResult)
        let failure = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
        #expect(results == [failure, failure, "SUCCESS"])
        #expect(receiver.bodies.count == 4)
    }

    @Test func whatAppleNeverSendsCanBeSigned() throws {
        let shop = try Shop()
        let now = SampleApp.nowMilliseconds
        let reply = try shop.send(
            "POST", "/control/sign", Array(#"{"a":[1,null],"signedDate":\#(now)}"#.utf8))
        let text = try JSONDecoder().decode(SignedText.self, from: Data(reply.body))
        let opened = try shop.open(text.signedPayload)
        #expect(opened["a"] == .array([.number([0x31]), .null]))
        #expect(try shop.send("POST", "/control/sign", Array("{".utf8)).status == 400)
    }

    @Test func theSandboxTriesOnce() throws {
        let shop = try Shop(.sandbox)
        let receiver = try NotificationReceiver { _ in 500 }
        try shop.connect(receiver, .init(retryScale: 1e9))
        try shop.buy()
        #expect(try becomesTrue { try shop.sent()[0].attempts.count == 1 })
        shop.wait(days: 30)
        try shop.buy()
        #expect(try becomesTrue { try shop.sent().last?.attempts.count == 1 })
        #expect(receiver.bodies.count == 2)
    }

    @Test(arguments: [(200, true), (206, true), (207, false), (302, false), (401, false)])
    func twoHundredToTwoHundredAndSixIsDone(_ status: Int, _ isDone: Bool) throws {
        let shop = try Shop()
        let receiver = try NotificationReceiver { _ in status }
        try shop.connect(receiver)
        try shop.buy()
        #expect(try becomesTrue { try shop.sent()[0].attempts.count == 1 })
        #expect(
            try shop.sent()[0].attempts[0].sendAttemptResult
                == (isDone ? "SUCCESS" : "UNSUCCESSFUL_HTTP_RESPONSE_CODE"))
    }

    @Test func oneAppThatHangsHoldsUpNoOther() throws {
        let shop = try Shop()
        let hung = try ScriptedServer { _ in .silence }
        defer { hung.stop() }
        let receiver = try NotificationReceiver()
        try shop.connect(receiver, .init(attemptMilliseconds: 60_000))
        var other = try #require(shop.developer.state(.production))
        other.appAppleId = 77
        other.bundleId = "example.other"
        try shop.developer.simulator.set(other)
        let path = "/control/apps/77/Production"
        let settings = NotificationSettings(
            url: "https://hung.example/n", attemptMilliseconds: 2_000)
        #expect(try shop.put("\(path)/notifications", settings) == 204)
        #expect(
            try shop.put(
                "/control/origins",
                OriginMap(origins: [
                    .init(
                        publicOrigin: "https://holdfast.example", localOrigin: receiver.origin),
                    .init(
                        publicOrigin: "https://hung.example",
                        localOrigin: "http://127.0.0.1:\(hung.port)"),
                ])) == 204)
        let order = SubscriberOrder(buy: .init(.buy, productId: Shop.plus))
        for _ in 0..<40 { _ = try shop.post(EventReport.self, "\(path)/subscribers", order) }
        for _ in 0..<20 { try shop.buy() }
        #expect(becomesTrue { receiver.bodies.count == 20 })
        #expect(
            try becomesTrue {
                let response = try shop.send("GET", "\(path)/notifications/sent")
                let report = try JSONDecoder().decode(
                    NotificationReport.self, from: Data(response.body))
                return report.notifications[0].attempts.first?.sendAttemptResult == "TIMED_OUT"
            })
    }

    @Test func whatTheQueueHasNoRoomForIsInTheHistoryAlone() throws {
        let shop = try Shop(notificationsLimit: 5)
        let receiver = try NotificationReceiver { $0 <= 5 ? 500 : 200 }
        try shop.connect(receiver)
        for _ in 0..<5 { try shop.buy() }
        #expect(try becomesTrue { try shop.sent().allSatisfy { $0.attempts.count == 1 } })
        // The five wait for their next attempt, and take up all the room.
        for _ in 0..<3 { try shop.buy() }
        let response = try shop.send("GET", "\(shop.app)/notifications/sent")
        let report = try JSONDecoder().decode(
            NotificationReport.self, from: Data(response.body))
        #expect(report.count == 8)
        #expect(report.dropped == 3)
        shop.wait(days: 1)
        #expect(
            try becomesTrue { try shop.sent().prefix(5).allSatisfy { $0.attempts.count == 2 } })
        try shop.buy()
        #expect(try becomesTrue { try shop.sent()[8].attempts.count == 1 })
        #expect(try shop.sent()[5..<8].allSatisfy { $0.attempts.isEmpty && $0.isSent })
        #expect(receiver.bodies.count == 11)
    }

    @Test func copiesAndBrokenOnesComeInADrawnOrder() throws {
        let shop = try Shop()
        let receiver = try NotificationReceiver()
        let disorder = NotificationSettings.Disorder(
            seed: 11, copies: 6, window: 40, corruptShare: 0.3)
        try shop.connect(receiver, .init(disorder: disorder))
        for _ in 0..<40 { try shop.buy() }
        #expect(try shop.send("POST", "/control/notifications/release").status == 204)
        #expect(try becomesTrue { try shop.sent().allSatisfy { $0.attempts.count == 1 } })
        #expect(becomesTrue { receiver.bodies.count > 100 })
        // Nothing is left: what follows comes alone.
        let made = try shop.sent(signedPayloads: true)
        let genuine = Set(made.compactMap(\.signedPayload))
        let whole = receiver.payloads.filter { genuine.contains($0) }
        #expect(Set(whole) == genuine)
        #expect(whole.count > genuine.count * 2)
        let broken = receiver.bodies.count - whole.count
        #expect((4...30).contains(broken))
        for body in receiver.bodies {
            let payload = (try? JSONValue(body))?["signedPayload"]?.text
            guard let payload, !genuine.contains(payload) else { continue }
            #expect(throws: (any Error).self) { try shop.open(payload) }
        }
        let order = receiver.payloads.compactMap { text in
            made.firstIndex { $0.signedPayload == text }
        }
        #expect(order != order.sorted())
    }

    @Test(arguments: [
        "http://holdfast.example/n", "https://", "https://holdfast.example:444/n",
        "https://a@holdfast.example/n", "https://holdfast.example:x/n",
    ])
    func anURLIsSecureAndHasAPortOfApples(_ url: String) throws {
        let shop = try Shop()
        #expect(try shop.put("\(shop.app)/notifications", NotificationSettings(url: url)) == 422)
    }

    @Test func withoutAnURLNothingIsSentAndTheHistoryIsEmpty() throws {
        let shop = try Shop()
        let subscriber = try shop.buy()
        #expect(try shop.sent()[0].isSent == false)
        #expect(try shop.sent()[0].originalTransactionId == subscriber)
        #expect(try shop.put("\(shop.app)/notifications", NotificationSettings()) == 204)
        let unknown = "/control/apps/99/Production/notifications"
        #expect(try shop.put(unknown, NotificationSettings()) == 404)
    }
}
