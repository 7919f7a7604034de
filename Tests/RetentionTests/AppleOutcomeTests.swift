import Retention
import Testing

/// SYN-02, SYN-04, SYN-06: the status decides, then Apple's code.
@Suite struct AppleOutcomeTests {
    static let now = Instant(milliseconds: 1_780_000_000_000)

    static func outcome(
        _ endpoint: AppleEndpoint, _ status: Int, _ code: Int? = nil, retryAfter: String? = nil
    ) -> AppleOutcome {
        .classify(
            endpoint: endpoint, status: status, errorCode: code, retryAfter: retryAfter, now: now)
    }

    @Test(arguments: AppleEndpoint.allCases)
    func `what holds for every endpoint`(_ endpoint: AppleEndpoint) {
        for code in [nil, 4_290_000, 4_040_014, 1, -1] {
            for status in [200, 201, 202, 204, 299] {
                #expect(Self.outcome(endpoint, status, code) == .ok)
            }
            for status in [300, 301, 302, 304, 307, 308, 399] {
                #expect(Self.outcome(endpoint, status, code) == .terminal(code: nil))
            }
            #expect(Self.outcome(endpoint, 401, code) == .keyRefused)
            for status in [400, 402, 405, 410, 413, 414, 415, 422, 451, 499] {
                #expect(Self.outcome(endpoint, status, code) == .terminal(code: code))
            }
            for status in [500, 502, 503, 504, 520, 599] {
                #expect(Self.outcome(endpoint, status, code) == .unknown(.serverError))
            }
            for status in [0, 100, 199, 408, 421, 425, 600, 999, -1] {
                #expect(Self.outcome(endpoint, status, code) == .unknown(.unexpectedStatus))
            }
            let later = Instant(milliseconds: Self.now.milliseconds + 60_000)
            #expect(Self.outcome(endpoint, 429, code) == .wait(until: later))
        }
        #expect(Self.outcome(endpoint, 404) == .noAccess)
        #expect(Self.outcome(endpoint, 404, 4_040_001) == .noAccess)
        #expect(Self.outcome(endpoint, 404, 4_040_003) == .noAccess)
        #expect(Self.outcome(endpoint, 404, 4_040_002) == .unknown(.serverError))
        #expect(Self.outcome(endpoint, 404, 4_040_004) == .unknown(.serverError))
        #expect(Self.outcome(endpoint, 403) == .terminal(code: nil))
        #expect(Self.outcome(endpoint, 403, 4_039_999) == .terminal(code: 4_039_999))
        for code in [4_030_017, 4_030_018, 4_030_019, 4_030_026] {
            #expect(Self.outcome(endpoint, 403, code) == .notYet(code: code))
        }
    }

    @Test(arguments: AppleEndpoint.allCases)
    func `a conflict is our own content on uploads alone`(_ endpoint: AppleEndpoint) {
        let isUpload = endpoint == .uploadImage || endpoint == .uploadMessage
        for code in [nil, 4_090_000, 4_090_001] {
            #expect(
                Self.outcome(endpoint, 409, code) == (isUpload ? .same : .terminal(code: code)))
        }
        for code in [4_030_014, 4_030_016] {
            #expect(
                Self.outcome(endpoint, 403, code) == (isUpload ? .full : .terminal(code: code)))
        }
    }

    @Test(arguments: AppleEndpoint.allCases)
    func `what is not found is gone, absent, or needed`(_ endpoint: AppleEndpoint) {
        for code in [4_040_014, 4_040_015, 4_040_018, 4_040_020, 4_040_021, 4_049_999] {
            let expected: AppleOutcome =
                switch endpoint {
                case .deleteImage, .deleteMessage, .deleteDefaultMessage, .deleteRealtimeURL: .same
                case .getDefaultMessage, .getRealtimeURL, .getPerformanceTestResults: .absent
                default: .terminal(code: code)
                }
            #expect(Self.outcome(endpoint, 404, code) == expected)
        }
    }

    @Test func `an endpoint's limits are Apple's`() {
        #expect(AppleEndpoint.allCases.count == 14)
        for endpoint in AppleEndpoint.allCases {
            let isDefault = endpoint == .configureDefaultMessage
            #expect(endpoint.callsPerHour(in: .production) == (isDefault ? 36_000 : 3_600))
            #expect(endpoint.callsPerHour(in: .sandbox) == (isDefault ? 3_600 : 360))
            let name = endpoint.rawValue
            #expect(endpoint.isWrite == !name.hasPrefix("get"))
            #expect(endpoint.isSandboxOnly == name.contains("PerformanceTest"))
        }
    }

    @Test(arguments: [
        // Apple's own form, milliseconds since 1970.
        ("1780000030000", 30_000), ("1780000000001", 1_000), ("1780000007500", 7_500),
        // Seconds since 1970, as others send it.
        ("1780000030", 30_000), ("1780000001", 1_000),
        // A number of seconds.
        ("30", 30_000), ("1", 1_000), ("0", 1_000), ("7200", 7_200_000), ("007", 7_000),
        // A time that is over.
        ("1779999999999", 1_000), ("1779999000", 1_000), ("100000000000", 1_000),
        ("1000000000", 1_000), ("1780000000000", 1_000),
        // Two hours are the most.
        ("7201", 7_200_000), ("999999999", 7_200_000), ("1790000000000", 7_200_000),
        ("99999999999", 7_200_000), ("9223372036854775807", 7_200_000),
        // Nothing said.
        ("", 60_000), ("-5", 60_000), ("+5", 60_000), ("1.5", 60_000), ("1e3", 60_000),
        (" 5", 60_000), ("5 ", 60_000), ("٣", 60_000), ("0x10", 60_000),
        ("99999999999999999999", 60_000), ("Wed, 21 Oct 2026 07:28:00 GMT", 60_000),
    ])
    func `Retry-After is milliseconds, seconds or a wait`(_ header: String, _ wait: Int64) {
        let expected = Instant(milliseconds: Self.now.milliseconds + wait)
        #expect(RetryAfter.instant(header, now: Self.now) == expected)
        #expect(Self.outcome(.getImageList, 429, retryAfter: header) == .wait(until: expected))
    }

    @Test func `a wait never overflows`() {
        for now in [Int64.min, -1, 0, .max - 1, .max] {
            for header in ["0", "9223372036854775807", "1780000000000", "7200", "x"] {
                let time = RetryAfter.instant(header, now: Instant(milliseconds: now))
                #expect(time.milliseconds > now || now == .max)
            }
        }
    }
}
