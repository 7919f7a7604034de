import Foundation
import HTTPClient
import Service
import Simulator
import TestSupport
import Testing

/// Each fault that can be ordered, as a client meets it, and what Apple holds afterwards.
struct FaultTests {
    private static let list = "\(Developer.message)/list"

    private func failure(_ body: () throws -> Developer.Reply) -> TransportError.Code? {
        do {
            _ = try body()
            return nil
        } catch let error as TransportError {
            return error.code
        } catch {
            return nil
        }
    }

    private func last(_ developer: Developer) throws -> APICall {
        try #require(developer.simulator.apiCalls().last)
    }

    @Test(arguments: [Fault.Kind.cut, .reset], [false, true])
    func aConnectionEndsBeforeOrAfterTheUploadIsKept(_ kind: Fault.Kind, applies: Bool) throws {
        let developer = try Developer()
        let fault = Fault(kind, endpoint: .configureRealtimeURL, times: 2, applies: applies)
        try developer.simulator.setFaults([fault])
        let json = #"{"realtimeURL":"https://a.example"}"#
        // The client may repeat a PUT on a fresh connection where a kept one was dead.
        _ = try developer.get(FaultTests.list)
        let code = failure { try developer.put(Developer.url, json) }
        #expect(code == .interrupted)
        #expect((developer.state()?.realtimeURL != nil) == applies)
        let call = try #require(developer.simulator.apiCalls().first { $0.fault == kind })
        #expect(call.status == nil)
        #expect(call.isApplied == applies)
    }

    /// SYN-04: stored, and yet the client cannot know; its retry is told 409.
    @Test func aRetryOfAnUploadThatWasKeptIsToldSo() throws {
        let developer = try Developer()
        try developer.simulator.setFaults([
            Fault(.cut, endpoint: .uploadMessage, times: 1, applies: true)
        ])
        let identifier = UUID()
        let json = #"{"header":"h","body":"b"}"#
        let code = failure { try developer.upload(message: json, identifier) }
        #expect(code == .interrupted)
        let retry = try developer.upload(message: json, identifier)
        #expect(retry.isRefusal(.messageAlreadyExists))
        #expect(developer.state()?.messages.count == 1)
    }

    @Test(arguments: [true, false])
    func aHangEndsWithTheClientsPatience(applies: Bool) throws {
        let developer = try Developer()
        try developer.simulator.setFaults([
            Fault(
                .hang, endpoint: .uploadMessage, times: 1, applies: applies, milliseconds: 600_000)
        ])
        let code = failure { try developer.upload(patience: .seconds(1)) }
        #expect(code == .timedOut)
        // The client's patience may end before the server has begun.
        #expect(becomesTrue { !developer.simulator.apiCalls().isEmpty })
        #expect(developer.state()?.messages.count == (applies ? 1 : 0))
        let call = try last(developer)
        #expect(call.isApplied == applies)
        #expect(call.status == (applies ? 200 : nil))
        #expect(try developer.upload().isDone)
    }

    @Test func aShortHangAnswersInTheEnd() throws {
        let developer = try Developer()
        try developer.simulator.setFaults([Fault(.hang, milliseconds: 20)])
        let start = ContinuousClock.now
        #expect(try developer.upload().isDone)
        #expect(ContinuousClock.now - start >= .milliseconds(20))
    }

    @Test func aDripIsWholeInTheEnd() throws {
        let developer = try Developer()
        _ = try developer.upload()
        try developer.simulator.setFaults([Fault(.drip, times: 1, milliseconds: 1)])
        let start = ContinuousClock.now
        let list = try developer.get(FaultTests.list)
        // Some forty bytes, a millisecond apart.
        #expect(ContinuousClock.now - start >= .milliseconds(5))
        #expect(list.json?["messageIdentifiers"] != nil)
        #expect(list.header("Content-Type") == "application/json")
    }

    @Test func aBodyCutShortIsNoAnswer() throws {
        let developer = try Developer()
        _ = try developer.upload()
        try developer.simulator.setFaults([Fault(.cutInBody, endpoint: .getMessageList)])
        let code = failure { try developer.get(FaultTests.list) }
        #expect(code == .interrupted)
    }

    /// SYN-02: each in place of the right answer, and nothing was done.
    @Test func anAnswerInPlaceOfApplesIsNotActedOn() throws {
        let developer = try Developer()
        try developer.simulator.setFaults([
            Fault(.internalError, times: 2), Fault(.unavailable, times: 1), Fault(.html, times: 1),
            Fault(.html, times: 1, status: 429), Fault(.html, times: 1, status: 200),
            Fault(.redirect, times: 1), Fault(.redirect, times: 1, location: "http://b.example/x"),
        ])
        for _ in 0..<2 { #expect(try developer.upload().isRefusal(.generalInternal)) }
        let empty = try developer.upload()
        #expect(empty.status == 503 && empty.body.isEmpty)
        for status in [502, 429, 200] {
            let page = try developer.upload()
            #expect(page.status == status)
            #expect(page.header("Content-Type") == "text/html;charset=utf-8")
            #expect(page.body.starts(with: "<!DOCTYPE html>".utf8))
        }
        let away = try developer.upload()
        #expect(away.status == 301)
        let location = try #require(away.header("Location"))
        #expect(location.hasPrefix("https://elsewhere.example/inApps/"))
        #expect(try developer.upload().header("Location") == "http://b.example/x")
        #expect(developer.state()?.messages == [])
        #expect(developer.simulator.apiCalls().allSatisfy { !$0.isApplied && $0.fault != nil })
        #expect(try developer.upload().isDone)
    }

    @Test func aFaultMayBeAppliedAllTheSame() throws {
        let developer = try Developer()
        let kinds: [Fault.Kind] = [.internalError, .unavailable, .html]
        try developer.simulator.setFaults(kinds.map { Fault($0, times: 1, applies: true) })
        for status in [500, 503, 502] { #expect(try developer.upload().status == status) }
        #expect(developer.state()?.messages.count == 3)
    }

    @Test func aRightStatusMayHaveAWrongBody() throws {
        let developer = try Developer()
        _ = try developer.upload()
        try developer.simulator.setFaults([
            Fault(.emptyBody, times: 1), Fault(.truncatedJSON, times: 1),
        ])
        let empty = try developer.get(FaultTests.list)
        #expect(empty.status == 200 && empty.body.isEmpty)
        let half = try developer.get(FaultTests.list)
        #expect(half.status == 200 && !half.body.isEmpty && half.json == nil)
    }

    @Test func aListLagsByListsOrByTime() throws {
        let developer = try Developer()
        func count() throws -> Int {
            let list = try developer.get(FaultTests.list).json?["messageIdentifiers"]
            guard case .array(let entries) = list else { return -1 }
            return entries.count
        }
        try developer.simulator.setFaults([Fault(.listLag, lists: 2)])
        _ = try developer.upload()
        #expect([try count(), try count(), try count()] == [0, 0, 1])
        _ = try developer.upload()
        #expect([try count(), try count(), try count()] == [1, 1, 2])
        developer.clock.advance(milliseconds: 100)
        try developer.simulator.setFaults([Fault(.listLag, milliseconds: 100)])
        _ = try developer.upload()
        #expect(try count() == 2)
        developer.clock.advance(milliseconds: 100)
        #expect(try count() == 3)
        let image = UUID()
        _ = try developer.upload(PlainPicture().png, image)
        let list = try developer.get("\(Developer.image)/list")
        #expect(list.json?["imageIdentifiers"] == .array([]))
    }

    @Test func retryAfterHasManyForms() throws {
        let developer = try Developer()
        let now = SampleApp.nowMilliseconds
        let forms: [(Fault.RetryAfter, String?)] = [
            (.epochMilliseconds, String(now + 5000)), (.epochSeconds, String(now / 1000 + 5)),
            (.seconds, "5"), (.missing, nil), (.past, String(now - 3_600_000)),
            (.farFuture, String(now + 3_162_240_000_000)), (.garbage, "soon, 4 o'clock"),
        ]
        try developer.simulator.setFaults(
            forms.map { Fault(.tooManyRequests, times: 1, milliseconds: 5000, retryAfter: $0.0) })
        for (_, value) in forms {
            let reply = try developer.upload()
            #expect(reply.isRefusal(.rateLimitExceeded))
            #expect(reply.header("Retry-After") == value)
        }
        #expect(developer.state()?.messages == [])
    }

    @Test func whoComesBackBeforeApplesRetryAfterIsCounted() throws {
        let developer = try Developer()
        try developer.simulator.setFaults([Fault(.tooManyRequests, times: 1, milliseconds: 5000)])
        _ = try developer.upload()
        _ = try developer.upload()
        developer.clock.advance(milliseconds: 5000)
        _ = try developer.upload()
        let calls = developer.simulator.apiCalls()
        #expect(calls.map(\.beforeRetryAfter) == [false, true, false])
        #expect(developer.simulator.apiCallCounts.beforeRetryAfter == 1)
        #expect(developer.simulator.apiCallCounts.overLimit == 0)
    }

    @Test(arguments: [
        (-3_600_000, 401, "Mon, 21 Sep 2026 13:13:20 GMT"),
        (3_600_000, 401, "Mon, 21 Sep 2026 15:13:20 GMT"),
        (30_000, 200, "Mon, 21 Sep 2026 14:13:50 GMT"),
        (-30_000, 200, "Mon, 21 Sep 2026 14:12:50 GMT"),
    ])
    func applesClockIsAnother(_ offset: Int64, _ status: Int, _ date: String) throws {
        let developer = try Developer()
        try developer.simulator.setFaults([Fault(.clockOffset, times: 1, milliseconds: offset)])
        let reply = try developer.get(FaultTests.list)
        #expect(reply.status == status)
        #expect(reply.header("Date") == date)
        let right = try developer.get(FaultTests.list)
        #expect(right.header("Date") == "Mon, 21 Sep 2026 14:13:20 GMT")
    }

    @Test func aFaultIsForOneEndpointEnvironmentOrApp() throws {
        let developer = try Developer()
        try developer.simulator.setFaults([
            Fault(.unavailable, endpoint: .getImageList), Fault(.html, environment: .production),
            Fault(.internalError, appAppleId: 1),
        ])
        #expect(try developer.get(FaultTests.list).status == 200)
        #expect(try developer.get("\(Developer.image)/list").status == 503)
        #expect(try developer.get(FaultTests.list, in: .production).status == 502)
        try developer.simulator.setFaults([
            Fault(.internalError, appAppleId: SampleApp.appAppleId, skip: 1, times: 1)
        ])
        let statuses = try (0..<3).map { _ in try developer.get(FaultTests.list).status }
        #expect(statuses == [200, 500, 200])
    }

    @Test func aProbabilityIsDrawnFromTheSeed() throws {
        let developer = try Developer()
        func statuses(_ seed: UInt64) throws -> [Int] {
            try developer.simulator.setFaults([Fault(.unavailable, probability: 0.3)], seed: seed)
            return try (0..<100).map { _ in try developer.get(FaultTests.list).status }
        }
        let first = try statuses(1)
        #expect((15...45).contains(first.count { $0 == 503 }))
        #expect(try statuses(1) == first)
        try developer.simulator.setLimits(RateLimits(factor: 100))
        #expect(try statuses(2) != first)
    }

    @Test(arguments: [
        Fault(.cut, probability: 1.1), Fault(.html, status: 99), Fault(.cut, times: -1),
        Fault(.hang, milliseconds: -1), Fault(.hang, milliseconds: 600_001),
        Fault(.redirect, location: "http://a b"), Fault(.listLag, lists: -1),
    ])
    func aFaultThatMakesNoSenseIsRefused(_ fault: Fault) throws {
        let developer = try Developer()
        #expect(throws: ControlError.self) { try developer.simulator.setFaults([fault]) }
    }

    @Test func whoHangsDoesNotHoldUpTheEnd() throws {
        let developer = try Developer()
        try developer.simulator.setFaults([Fault(.hang, milliseconds: 600_000)])
        let hanging = ParallelWork { failure { try developer.upload() } }
        #expect(becomesTrue { !developer.simulator.apiCalls().isEmpty })
        developer.simulator.stop()
        #expect(try hanging.value(within: .seconds(20)) == .interrupted)
    }
}
