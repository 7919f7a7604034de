import Foundation
import HTTPServer
import Service
import Simulator
import Synchronization
import TestSupport
import Testing

/// The performance test and the URL it unlocks.
struct PerformanceTestTests {
    private static let url = "https://holdfast.example/realtime/token"
    private static let configured = #"{"realtimeURL":"\#(url)"}"#
    private static let config = PerformanceTestConfig(
        maxConcurrentRequests: 4, totalRequests: 20, totalDuration: 60_000,
        responseTimeThreshold: 30_000, successRateThreshold: 95)

    /// Its app has a subscription for each reason to refuse it.
    private func developer() throws -> Developer {
        let developer = try Developer { state in
            state.transactions = [
                .init(
                    originalTransactionId: "1", productId: SampleApp.monthly,
                    transactionIds: ["11"], appTransactionId: "111"),
                .init(originalTransactionId: "2", isFamilyShared: true),
                .init(originalTransactionId: "3", isActive: false),
            ]
        }
        #expect(try developer.put(Developer.url, PerformanceTestTests.configured).isDone)
        return developer
    }

    private func begin(
        _ developer: Developer, _ transactionId: String = "1"
    ) throws -> Developer.Reply {
        let json = #"{"originalTransactionId":"\#(transactionId)"}"#
        return try developer.send(
            "POST", Developer.test, Array(json.utf8), type: "application/json")
    }

    private func result(_ developer: Developer, _ requestId: String) throws -> Developer.Reply {
        try developer.get("\(Developer.test)/result/\(requestId)")
    }

    private func set(
        _ developer: Developer, _ outcomes: [PerformanceTestScript.Outcome] = [],
        _ config: PerformanceTestConfig = config
    ) throws {
        try developer.simulator.setPerformanceTests(
            PerformanceTestScript(config: config, outcomes: outcomes),
            appAppleId: SampleApp.appAppleId)
    }

    @Test func anURLIsSecureAndShort() throws {
        let developer = try Developer()
        #expect(try developer.get(Developer.url).isRefusal(.realtimeURLNotFound))
        #expect(try developer.delete(Developer.url).isRefusal(.realtimeURLNotFound))
        for url in ["http://a.example", "https://", "HTTPS://a.example", "a"] {
            let reply = try developer.put(Developer.url, #"{"realtimeURL":"\#(url)"}"#)
            #expect(reply.isRefusal(.badRealtimeURL))
        }
        let longest = "https://" + String(repeating: "a", count: 248)
        #expect(try developer.put(Developer.url, #"{"realtimeURL":"\#(longest)"}"#).isDone)
        let longer = #"{"realtimeURL":"\#(longest)a"}"#
        #expect(try developer.put(Developer.url, longer).isRefusal(.badRealtimeURL))
        for json in ["{}", #"{"realtimeURL":1}"#, #"{"url":"https://a.example"}"#] {
            #expect(try developer.put(Developer.url, json).isRefusal(.generalBadRequest))
        }
        #expect(try developer.get(Developer.url).json?["realtimeURL"]?.text == longest)
        #expect(try developer.delete(Developer.url).isDone)
        #expect(developer.state()?.realtimeURL == nil)
    }

    @Test func eachUnfitTransactionHasItsOwnCode() throws {
        let developer = try developer()
        #expect(try begin(developer, "11").isRefusal(.notOriginalTransactionId))
        #expect(try begin(developer, "111").isRefusal(.appTransactionIdNotSupported))
        #expect(try begin(developer, "2").isRefusal(.familySharedTransaction))
        #expect(try begin(developer, "3").isRefusal(.invalidTransactionId))
        #expect(try begin(developer, "4").isRefusal(.invalidTransactionId))
        for json in ["", "{}", "[]", #"{"originalTransactionId":1}"#] {
            let body = Array(json.utf8)
            let reply = try developer.send("POST", Developer.test, body, type: "application/json")
            #expect(reply.isRefusal(.invalidPerformanceTestRequest))
        }
        #expect(try developer.delete(Developer.url).isDone)
        #expect(try begin(developer).isRefusal(.invalidPerformanceTestRequest))
    }

    @Test func aRealRunPassesAndUnlocksProduction() throws {
        let developer = try developer()
        let message = UUID()
        _ = try developer.upload(message: #"{"header":"h","body":"b"}"#, message)
        let answer = Array(#"{"message":{"messageIdentifier":"\#(message)"}}"#.utf8)
        let responder = try RealtimeResponder { _ in .json(200, answer) }
        defer { responder.stop() }
        try developer.simulator.setOrigins(
            OriginMap(origins: [
                .init(publicOrigin: "https://holdfast.example", localOrigin: responder.origin)
            ]))
        try set(developer)
        let early = try developer.put(
            Developer.url, PerformanceTestTests.configured, in: .production)
        #expect(early.isRefusal(.noPassingTest))
        let begun = try begin(developer)
        #expect(begun.status == 200)
        #expect(begun.json?["config"]?["totalRequests"]?.integer == 20)
        let requestId = try #require(begun.json?["requestId"]?.text)
        #expect(
            try becomesTrue {
                try result(developer, requestId).json?["result"]?.text == "PASS"
            })
        for _ in 0..<3 {
            let report = try #require(try result(developer, requestId).json)
            #expect(report["successRate"]?.integer == 100)
            #expect(report["numPending"]?.integer == 0)
            #expect(report["target"]?.text == PerformanceTestTests.url)
            #expect(report["failures"] == .object([]))
            #expect(report["responseTimes"]?["p99"]?.integer != nil)
            #expect(report["config"]?["successRateThreshold"]?.integer == 95)
        }
        #expect(responder.received.count == 20)
        let decoded = try #require(RealtimeResponder.decode(responder.received[0]))
        #expect(decoded.environment == .sandbox)
        #expect(decoded.originalTransactionId == "1")
        let url = PerformanceTestTests.configured
        #expect(try developer.put(Developer.url, url, in: .production).isDone)
        #expect(developer.state(.production)?.realtimeURL == PerformanceTestTests.url)
    }

    @Test func aRealRunOfWrongAnswersFailsByTheirReasons() throws {
        let developer = try developer()
        let turn = Mutex(0)
        let responder = try RealtimeResponder { _ in
            let number = turn.withLock { turn in
                turn += 1
                return turn
            }
            return number % 2 == 0 ? .empty(503) : .json(200, Array("{}".utf8))
        }
        defer { responder.stop() }
        try developer.simulator.setOrigins(
            OriginMap(origins: [
                .init(publicOrigin: "https://holdfast.example", localOrigin: responder.origin)
            ]))
        try set(developer)
        let requestId = try #require(try begin(developer).json?["requestId"]?.text)
        #expect(
            try becomesTrue {
                try result(developer, requestId).json?["result"]?.text == "FAIL"
            })
        let report = try #require(try result(developer, requestId).json)
        #expect(report["successRate"]?.integer == 0)
        #expect(report["failures"]?["UNSUCCESSFUL_HTTP_RESPONSE_CODE"]?.integer == 10)
        #expect(report["failures"]?["INVALID_RESPONSE"]?.integer == 10)
        let url = PerformanceTestTests.configured
        #expect(try developer.put(Developer.url, url, in: .production).isRefusal(.noPassingTest))
    }

    /// SYN-06: PENDING for long, then FAIL with some failures, then PASS.
    @Test func anEndIsScriptedAndTakesAsManyPolls() throws {
        let developer = try developer()
        try set(
            developer,
            [
                .init(.fail, pendingPolls: 2, successRate: 97, failures: ["TIMED_OUT": 3]),
                .init(.pass, responseTimes: .init(average: 40, p99: 90)),
            ])
        let first = try #require(try begin(developer).json?["requestId"]?.text)
        #expect(try begin(developer).isRefusal(.existingPerformanceTestRun))
        for _ in 0..<2 {
            let report = try #require(try result(developer, first).json)
            #expect(report["result"]?.text == "PENDING")
            #expect(report["numPending"]?.integer == 20)
        }
        let report = try #require(try result(developer, first.uppercased()).json)
        #expect(report["result"]?.text == "FAIL")
        #expect(report["failures"]?["TIMED_OUT"]?.integer == 3)
        #expect(report["successRate"]?.integer == 97)
        let second = try #require(try begin(developer).json?["requestId"]?.text)
        #expect(try result(developer, second).json?["result"]?.text == "PASS")
        #expect(try result(developer, first).json?["result"]?.text == "FAIL")
        #expect(developer.state()?.hasPassingTest == true)
    }

    @Test func aRunIsAskedForByItsIdentifier() throws {
        let developer = try developer()
        #expect(try result(developer, "x").isRefusal(.invalidRequestId))
        let unknown = try result(developer, UUID().uuidString)
        #expect(unknown.isRefusal(.performanceTestRunNotFound))
    }

    @Test func anAppThatHasPassedBeforeIsGivenAsThat() throws {
        let developer = try Developer { $0.hasPassingTest = $0.environment == .sandbox }
        let url = PerformanceTestTests.configured
        #expect(try developer.put(Developer.url, url, in: .production).isDone)
    }

    @Test(arguments: [
        PerformanceTestScript(config: .init(maxConcurrentRequests: 65)),
        PerformanceTestScript(config: .init(totalRequests: 0)),
        PerformanceTestScript(outcomes: [.init(.fail, failures: ["LATE": 1])]),
        PerformanceTestScript(outcomes: [.init(.pass, successRate: 101)]),
    ])
    func aScriptThatMakesNoSenseIsRefused(_ script: PerformanceTestScript) throws {
        let developer = try Developer()
        #expect(throws: ControlError.self) {
            try developer.simulator.setPerformanceTests(script, appAppleId: SampleApp.appAppleId)
        }
    }
}
