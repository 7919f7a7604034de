/// How Apple tests the sandbox's real-time URL, and what must be reached: the numbers are Apple's
/// and may change.
///
/// Source: developer.apple.com/documentation/retentionmessaging/performancetestconfig
package struct PerformanceTestConfig: Codable, Hashable, Sendable {
    package let maxConcurrentRequests: Int
    package let totalRequests: Int
    package let totalDurationMilliseconds: Int
    package let responseTimeThresholdMilliseconds: Int
    package let successRateThresholdPercent: Int

    package init(
        maxConcurrentRequests: Int, totalRequests: Int, totalDurationMilliseconds: Int,
        responseTimeThresholdMilliseconds: Int, successRateThresholdPercent: Int
    ) {
        self.maxConcurrentRequests = maxConcurrentRequests
        self.totalRequests = totalRequests
        self.totalDurationMilliseconds = totalDurationMilliseconds
        self.responseTimeThresholdMilliseconds = responseTimeThresholdMilliseconds
        self.successRateThresholdPercent = successRateThresholdPercent
    }
}

/// A test that Apple has begun.
package struct StartedPerformanceTest: Hashable, Sendable {
    /// As Apple gave it.
    package let requestId: String
    package let config: PerformanceTestConfig?

    package init(requestId: String, config: PerformanceTestConfig?) {
        self.requestId = requestId
        self.config = config
    }
}

/// Where a test stands. Only `status` is certain to be there: a test that passed has passed,
/// whatever else of the answer could not be read.
///
/// Source: developer.apple.com/documentation/retentionmessaging/performancetestresultresponse
package struct PerformanceTestResult: Hashable, Sendable {
    /// Apple's `result`. Open, like every enum of Apple's.
    package struct Status: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        package static let pending = Status(rawValue: "PENDING")
        package static let pass = Status(rawValue: "PASS")
        package static let fail = Status(rawValue: "FAIL")
    }

    package struct ResponseTimes: Codable, Hashable, Sendable {
        package let averageMilliseconds: Int
        package let p50Milliseconds: Int
        package let p90Milliseconds: Int
        package let p95Milliseconds: Int
        package let p99Milliseconds: Int

        package init(
            averageMilliseconds: Int, p50Milliseconds: Int, p90Milliseconds: Int,
            p95Milliseconds: Int, p99Milliseconds: Int
        ) {
            self.averageMilliseconds = averageMilliseconds
            self.p50Milliseconds = p50Milliseconds
            self.p90Milliseconds = p90Milliseconds
            self.p95Milliseconds = p95Milliseconds
            self.p99Milliseconds = p99Milliseconds
        }
    }

    package let status: Status
    package let config: PerformanceTestConfig?
    /// The URL that is tested. Its path is a secret: never log it.
    package let target: String?
    package let successRatePercent: Int?
    package let pendingCount: Int?
    package let responseTimes: ResponseTimes?
    package let failures: [SendAttemptResult: Int]

    package init(
        status: Status, config: PerformanceTestConfig?, target: String?, successRatePercent: Int?,
        pendingCount: Int?, responseTimes: ResponseTimes?, failures: [SendAttemptResult: Int]
    ) {
        self.status = status
        self.config = config
        self.target = target
        self.successRatePercent = successRatePercent
        self.pendingCount = pendingCount
        self.responseTimes = responseTimes
        self.failures = failures
    }
}
