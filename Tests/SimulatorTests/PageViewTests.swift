import Dispatch
import FoundationEssentials
import HTTPClient
import HTTPServer
import Signing
import Simulator
import Testing

/// Page views played over real sockets, with responders that do what they should not.
struct PageViewTests {
    let app: SampleApp

    init() throws {
        app = try SampleApp()
    }

    private func play(
        _ views: [PageView], _ state: AppState? = nil, answerDeadline: Duration? = .seconds(30),
        script: @escaping @Sendable (RealtimeRequest) -> Response
    ) throws -> (PageViewReport, [[UInt8]]) {
        let responder = try RealtimeResponder(script)
        defer { responder.stop() }
        let driver = try ControlDriver(answerDeadline: answerDeadline)
        defer { driver.stop() }
        try driver.set(state ?? app.state, servedAt: responder.origin)
        return (try driver.play(views), responder.received)
    }

    @Test func aRightAnswerIsShownOnATapAndNotCountedAsShownWithout() throws {
        let good = app.answer(app.withImage)
        let (report, received) = try play([app.view(), app.view("2", taps: false)]) { _ in
            .json(200, good)
        }
        #expect(report.results.map(\.display.layer) == [.realtime, .realtime])
        #expect(report.results.allSatisfy { $0.called && $0.httpStatus == 200 })
        #expect(report.statistics.cancellations == 2)
        #expect(report.statistics.answered == 2)
        #expect(report.statistics.tapped == 1)
        #expect(report.statistics.shownRealtime == 1)
        #expect(report.statistics.wrong == 0)
        #expect(received.count == 2)
    }

    @Test func whatIsPostedIsSignedAsAppleSigns() throws {
        let responder = try RealtimeResponder { _ in .empty(503) }
        defer { responder.stop() }
        let driver = try ControlDriver()
        defer { driver.stop() }
        try driver.set(app.state, servedAt: responder.origin)
        _ = try driver.play([app.view(locale: "en_US")])
        #expect(responder.hosts == ["holdfast.example"])
        let root = try driver.send("GET", "/root-certificate").body
        let body = try #require(responder.received.first)
        guard case .object(let envelope) = try JSONValue(body) else { return #expect(Bool(false)) }
        #expect(envelope.map(\.name) == ["signedPayload"])
        let jws = try CompactJWS(Array(try #require(envelope.first?.value.text).utf8))
        guard case .object(let header) = try JSONValue(try jws.header),
            case .array(let x5c) = try #require(header.first { $0.name == "x5c" }).value
        else { return #expect(Bool(false)) }
        #expect(Set(header.map(\.name)) == ["alg", "x5c"])
        let chain = x5c.compactMap { Base64.decode(Array(($0.text ?? "").utf8)) }
        let anchors = TrustAnchors(roots: [try Certificate(der: root)])
        let leaf = try anchors.verify(x5c: chain, at: SampleApp.nowMilliseconds / 1000)
        #expect(jws.isSigned(by: try #require(leaf.publicKey)))
        let payload = try JSONValue(jws.payload)
        guard case .object(let fields) = payload else { return #expect(Bool(false)) }
        #expect(
            Set(fields.map(\.name)) == [
                "originalTransactionId", "appAppleId", "productId", "userLocale",
                "requestIdentifier", "environment", "signedDate",
            ])
        #expect(payload["signedDate"]?.integer == SampleApp.nowMilliseconds)
        #expect(payload["appAppleId"]?.integer == SampleApp.appAppleId)
        #expect(payload["userLocale"]?.text == "en_US")
        let identifier = try #require(payload["requestIdentifier"]?.text)
        #expect(identifier == identifier.lowercased() && identifier.utf8.count == 36)
    }

    @Test func plantedBreachesAreEachCountedAsWrong() throws {
        let app = app
        let foreignOffer = app.offerAnswer(
            try app.offerSignature { $0["transactionId"] = #""another""# })
        let plans = [
            "1": Array(#"{"message":{"messageIdentifier":"\#(UUID())"}}"#.utf8),
            "2": app.answer(app.pending), "3": Array("{}".utf8), "4": Array("<html>".utf8),
            "5": Array(foreignOffer.utf8), "6": app.answer(app.plain),
        ]
        let views = (1...6).map { app.view("\($0)", taps: $0 != 2) }
        let (report, _) = try play(views) { .json(200, plans[$0.originalTransactionId] ?? []) }
        #expect(
            report.results.map { $0.broken.first?.rule } == [
                .messageUnknown, .messageNotApproved, .notExactlyOneKind, .notJSON,
                .claimTransaction, nil,
            ])
        #expect(report.statistics.wrong == 5)
        #expect(report.statistics.shownRealtime == 1)
        #expect(report.statistics.shownFallback == 4)
        #expect(report.statistics.answered == 6)
        #expect(report.statistics.brokenRules["claimTransaction"] == 1)
        #expect(report.results[0].display.layer == .apiDefault)
    }

    @Test func aDeliberateOtherStatusIsAFallbackAndNotWrong() throws {
        let url = try #require(app.state.realtimeURL)
        let (report, _) = try play([app.view("1"), app.view("2"), app.view("3")]) { request in
            switch request.originalTransactionId {
            case "1": .empty(503)
            case "2": Response(status: 302, headers: [("Location", "https://elsewhere.example/")])
            default: Response(status: 308, headers: [("Location", url)])
            }
        }
        #expect(
            report.results.map(\.fallbackReason) == [
                .unsuccessfulHTTPResponseCode, .unsuccessfulHTTPResponseCode, .circularRedirect,
            ])
        #expect(report.results.map(\.httpStatus) == [503, 302, 308])
        #expect(report.statistics.wrong == 0)
        #expect(report.statistics.answered == 3)
        #expect(report.statistics.shownFallback == 3)
        #expect(report.statistics.fallbackReasons["UNSUCCESSFUL_HTTP_RESPONSE_CODE"] == 2)
    }

    @Test func aLateAnswerIsAnsweredAFallbackAndNotWrong() throws {
        let wrong = app.answer(app.pending)
        let (report, _) = try play([app.view()], answerDeadline: nil) { _ in
            let late = DispatchSemaphore(value: 0)
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(800)) {
                late.signal()
            }
            late.wait()
            return .json(200, wrong)
        }
        let result = try #require(report.results.first)
        #expect(result.fallbackReason == .timedOut)
        #expect(result.httpStatus == 200)
        #expect(try #require(result.milliseconds) > 700)
        #expect(report.statistics.answered == 1)
        #expect(report.statistics.wrong == 0)
        #expect(report.statistics.shownFallback == 1)
    }

    @Test func aConnectionCutInTheBodyIsNotAnAnswer() throws {
        let cut =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"
        let responder = try RawResponder(Array(cut.utf8))
        defer { responder.stop() }
        let driver = try ControlDriver()
        defer { driver.stop() }
        try driver.set(app.state, servedAt: responder.origin)
        let report = try driver.play([app.view()])
        #expect(report.results.first?.fallbackReason == .prematureClose)
        #expect(report.statistics.cancellations == 1)
        #expect(report.statistics.answered == 0)
        #expect(report.statistics.unanswered == 1)
        #expect(report.statistics.wrong == 0)
    }

    @Test func aPortWhereNobodyListensIsASocketIssue() throws {
        let driver = try ControlDriver()
        defer { driver.stop() }
        // Port 1 is nobody's; one just let go could be taken by another test.
        try driver.set(app.state, servedAt: "http://127.0.0.1:1")
        let report = try driver.play([app.view()])
        #expect(report.results.first?.fallbackReason == .socketIssue)
        #expect(report.statistics.unanswered == 1)
    }

    @Test func anAnswerOfMegabytesIsRefusedUnread() throws {
        let (report, _) = try play([app.view()]) { _ in
            .json(200, [UInt8](repeating: 0x20, count: 2_000_000))
        }
        #expect(report.results.first?.fallbackReason == .invalidResponse)
        #expect(report.statistics.answered == 0)
    }

    @Test func aNonceUsedForTwoAnswersIsWrongTheSecondTime() throws {
        let repeated = Array(app.offerAnswer(try app.offerSignature()).utf8)
        let (report, _) = try play([app.view(), app.view()]) { _ in .json(200, repeated) }
        #expect(report.statistics.wrong == 1)
        #expect(report.statistics.brokenRules == ["nonceUsed": 1])
    }

    @Test func withoutTheConditionsNobodyIsCalledAndThereIsAReason() throws {
        let good = app.answer(app.plain)
        var state = app.state
        state.defaults.append(
            .init(
                productId: SampleApp.annual, locale: "zh-Hant",
                messageIdentifier: app.plain.uuidString))
        let views = [
            app.view(productId: "unheard.of"), app.view(isActive: false),
            app.view(locale: "ja"), app.view(locale: "en-GB"), app.view(locale: "nonsense"),
            app.view(locale: "zh-Hans-HK", productId: SampleApp.annual),
            app.view(locale: "zh-HK", productId: SampleApp.annual),
        ]
        let (report, received) = try play(views, state) { _ in .json(200, good) }
        #expect(
            report.results.map(\.notCalledReason) == [
                .productUnknown, .subscriptionNotActive, .noDefaultMessage, .noDefaultMessage,
                .noDefaultMessage, .noDefaultMessage, nil,
            ])
        #expect(report.results.last?.appStoreLocale == "zh-Hant")
        #expect(received.count == 1)
        #expect(report.statistics.cancellations == 1)
        #expect(report.statistics.notCalled == 6)
        #expect(report.statistics.shownNothing == 6)
    }

    @Test func withoutAURLTheOtherLayersAreShown() throws {
        var state = app.state
        state.realtimeURL = nil
        let (report, received) = try play([app.view()], state) { _ in .empty(503) }
        #expect(report.results.first?.notCalledReason == .noRealtimeURL)
        #expect(report.results.first?.display.layer == .apiDefault)
        #expect(received.isEmpty)
    }

    @Test func theSumsAddUpOverAMixedBatch() throws {
        let app = app
        let good = app.answer(app.plain)
        let views = (0..<120).map { number in
            app.view(
                "\(number)", locale: number % 5 == 0 ? "ja" : "en-US", taps: number % 2 == 0)
        }
        let (report, received) = try play(views) { request in
            (Int(request.originalTransactionId) ?? 0) % 3 == 0 ? .empty(503) : .json(200, good)
        }
        let sums = report.statistics
        #expect(report.results.map(\.originalTransactionId) == (0..<120).map(String.init))
        #expect(sums.pageViews == 120)
        #expect(sums.notCalled == 24)
        #expect(sums.cancellations == 96)
        #expect(sums.cancellations == sums.answered + sums.unanswered)
        #expect(sums.tapped == 60)
        #expect(sums.tapped == sums.shownRealtime + sums.shownFallback + sums.shownNothing)
        #expect(sums.shownNothing == 12)
        #expect(sums.shownFallback == 16)
        #expect(received.count == 96)
        #expect(Set(report.results.compactMap(\.requestIdentifier)).count == 96)
    }
}
