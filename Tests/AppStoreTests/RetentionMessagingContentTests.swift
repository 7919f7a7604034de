import AppStore
import Foundation
import Retention
import TestSupport
import Testing

@Suite struct RetentionMessagingContentTests {
    private static func decode(
        _ text: String, _ endpoint: AppleEndpoint
    ) -> RetentionMessagingContent? {
        RetentionMessagingContent.decode(Array(text.utf8), of: endpoint)
    }

    private static let config = PerformanceTestConfig(
        maxConcurrentRequests: 10, totalRequests: 100, totalDurationMilliseconds: 60_000,
        responseTimeThresholdMilliseconds: 450, successRateThresholdPercent: 95)

    @Test func `each endpoint's good body is read`() throws {
        func good(_ endpoint: AppleEndpoint) -> RetentionMessagingContent? {
            Self.decode(Calls.contents[endpoint] ?? "", endpoint)
        }
        #expect(
            good(.getImageList)
                == .images(
                    AppleList(
                        entries: [
                            ListedImage(id: Calls.id, state: .approved, size: .bulletPoint),
                            ListedImage(id: Calls.id, state: .pending, size: .fullSize),
                        ], skipped: 0)))
        #expect(
            good(.getMessageList)
                == .messages(
                    AppleList(
                        entries: [ListedMessage(id: Calls.id, state: .rejected)], skipped: 0)))
        #expect(good(.getDefaultMessage) == .defaultMessage(id: Calls.id))
        #expect(good(.getRealtimeURL) == .realtimeURL(Calls.realtimeURL))
        #expect(
            good(.initiatePerformanceTest)
                == .performanceTestStarted(
                    StartedPerformanceTest(requestId: Calls.id.uuidString, config: Self.config)))
        let times = PerformanceTestResult.ResponseTimes(
            averageMilliseconds: 120, p50Milliseconds: 100, p90Milliseconds: 200,
            p95Milliseconds: 300, p99Milliseconds: 450)
        #expect(
            good(.getPerformanceTestResults)
                == .performanceTest(
                    PerformanceTestResult(
                        status: .fail, config: Self.config, target: Calls.realtimeURL,
                        successRatePercent: 97, pendingCount: 3, responseTimes: times,
                        failures: [
                            .success: 97, SendAttemptResult(rawValue: "TIMED_OUT"): 2,
                            SendAttemptResult(rawValue: "A_NEW_ONE"): 1,
                        ])))
        for endpoint in AppleEndpoint.allCases {
            #expect((Calls.contents[endpoint] != nil) == endpoint.hasContent)
            if !endpoint.hasContent { #expect(Self.decode("{}", endpoint) == nil) }
        }
    }

    @Test func `an entry that cannot be read is skipped and counted, the others stay`() {
        let id = Calls.lowerId
        let list = Self.decode(
            """
            {"next":null,"imageIdentifiers":[{"imageIdentifier":"\(id)","imageState":"ON_HOLD",
            "imageSize":"HUGE","more":[1]},{"imageIdentifier":"\(id)"},{"imageState":"APPROVED"},
            {"imageIdentifier":"x","imageState":"APPROVED"},{"imageIdentifier":7,"imageState":"A"},
            {"imageIdentifier":"\(id)","imageState":null},null,[],"x",1.5,{},
            {"imageIdentifier":"\(id)","imageState":"APPROVED","imageSize":null}]}
            """, .getImageList)
        let entries = [
            ListedImage(id: Calls.id, state: ReviewState(rawValue: "ON_HOLD"), size: nil),
            ListedImage(id: Calls.id, state: .approved, size: nil),
        ]
        #expect(list == .images(AppleList(entries: entries, skipped: 10)))
    }

    @Test func `an absent list is empty, a wrong one is none`() {
        let empty = RetentionMessagingContent.messages(AppleList(entries: [], skipped: 0))
        for text in ["{}", #"{"messageIdentifiers":[]}"#, #"{"messageIdentifiers":null}"#] {
            #expect(Self.decode(text, .getMessageList) == empty, "\(text)")
        }
        for text in [
            "", "[]", "null", "<html>", #"{"messageIdentifiers":"x"}"#,
            #"{"messageIdentifiers":{}}"#, #"{"errorCode":4040014,"errorMessage":"x"}"#,
            #"{"messageIdentifiers":[]} x"#, #"{"messageIdentifiers":[],"messageIdentifiers":[]}"#,
        ] {
            #expect(Self.decode(text, .getMessageList) == nil, "\(text)")
        }
    }

    @Test func `one value that is missing or odd makes the answer unreadable`() {
        let long = String(repeating: "x", count: 1_025)
        for text in ["{}", #"{"messageIdentifier":"x"}"#, #"{"messageIdentifier":null}"#] {
            #expect(Self.decode(text, .getDefaultMessage) == nil)
        }
        for text in ["{}", #"{"realtimeURL":1}"#, #"{"realtimeURL":"\#(long)"}"#] {
            #expect(Self.decode(text, .getRealtimeURL) == nil)
        }
        for text in [#"{"config":{}}"#, #"{"requestId":""}"#, #"{"requestId":"\#(long)"}"#] {
            #expect(Self.decode(text, .initiatePerformanceTest) == nil)
        }
        for text in ["{}", #"{"result":""}"#, #"{"result":7}"#] {
            #expect(Self.decode(text, .getPerformanceTestResults) == nil)
        }
    }

    @Test func `a test that passed has passed, whatever else is missing`() {
        let bare = PerformanceTestResult(
            status: .pass, config: nil, target: nil, successRatePercent: nil, pendingCount: nil,
            responseTimes: nil, failures: [:])
        for text in [
            #"{"result":"PASS"}"#,
            #"{"result":"PASS","config":{"totalRequests":1},"target":1,"successRate":"97","#
                + #""numPending":-1,"responseTimes":{"p50":1.5},"failures":[1]}"#,
            #"{"result":"PASS","failures":{"OTHER":-1,"TLS_ISSUE":null},"successRate":97.5}"#,
        ] {
            #expect(
                Self.decode(text, .getPerformanceTestResults) == .performanceTest(bare), "\(text)")
        }
        #expect(
            Self.decode(#"{"requestId":"r"}"#, .initiatePerformanceTest)
                == .performanceTestStarted(StartedPerformanceTest(requestId: "r", config: nil)))
    }

    /// 20,000 damaged bodies, in four parts that run beside one another. No damage is long enough
    /// to double an entry.
    @Test(arguments: 0..<4)
    func `no damaged body crashes, and none gives what was never there`(_ part: Int) {
        var random = SeededNumbers(seed: 1_009 &+ UInt64(part))
        let goods = Calls.contents.sorted { $0.key.rawValue < $1.key.rawValue }
        var readable = 0
        for turn in 0..<5_000 {
            let (endpoint, good) = goods[turn % goods.count]
            let body = Mangling.mangled(Array(good.utf8), &random)
            guard let content = RetentionMessagingContent.decode(body, of: endpoint) else {
                continue
            }
            readable += 1
            switch content {
            case .images(let list): #expect(list.entries.count <= 2)
            case .messages(let list): #expect(list.entries.count <= 1)
            case .realtimeURL(let url):
                #expect(url.utf8.count <= 3 * RetentionMessagingContent.textBytesLimit)
            case .performanceTest(let result): #expect(!result.status.rawValue.isEmpty)
            case .performanceTestStarted(let test): #expect(!test.requestId.isEmpty)
            case .defaultMessage: break
            }
            _ = AppleExcerpt.make(body, hiding: [Calls.urlToken])
        }
        // Damage inside texts leaves them texts; damage of the form does not go through.
        #expect(readable > 0 && readable < 4_000)
    }
}
