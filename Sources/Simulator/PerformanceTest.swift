import FoundationEssentials

/// What a performance test sends, and when it passes (`retentionmessaging/performancetestconfig`).
/// Apple's own numbers are not known; these are those of its library's samples.
package struct PerformanceTestConfig: Codable, Sendable, Equatable {
    package var maxConcurrentRequests: Int
    package var totalRequests: Int
    /// In milliseconds: what is not sent by then has failed.
    package var totalDuration: Int64
    /// In milliseconds: an answer that took longer has failed.
    package var responseTimeThreshold: Int64
    /// In percent.
    package var successRateThreshold: Int

    package init(
        maxConcurrentRequests: Int = 10, totalRequests: Int = 100, totalDuration: Int64 = 60_000,
        responseTimeThreshold: Int64 = 700, successRateThreshold: Int = 95
    ) {
        self.maxConcurrentRequests = maxConcurrentRequests
        self.totalRequests = totalRequests
        self.totalDuration = totalDuration
        self.responseTimeThreshold = responseTimeThreshold
        self.successRateThreshold = successRateThreshold
    }

    static let concurrentRequestsLimit = 64

    func check() throws(ControlError) {
        guard (1...PerformanceTestConfig.concurrentRequestsLimit).contains(maxConcurrentRequests),
            (1...10_000).contains(totalRequests), (1...600_000).contains(totalDuration),
            (1...60_000).contains(responseTimeThreshold), (0...100).contains(successRateThreshold)
        else {
            throw ControlError(
                .invalidState,
                "maxConcurrentRequests is 1 to 64, totalRequests 1 to 10,000, totalDuration 1 to "
                    + "600,000, responseTimeThreshold 1 to 60,000, successRateThreshold 0 to 100.")
        }
    }

    var json: JSONValue {
        .object([
            .init(name: "maxConcurrentRequests", value: .whole(Int64(maxConcurrentRequests))),
            .init(name: "totalRequests", value: .whole(Int64(totalRequests))),
            .init(name: "totalDuration", value: .whole(totalDuration)),
            .init(name: "responseTimeThreshold", value: .whole(responseTimeThreshold)),
            .init(name: "successRateThreshold", value: .whole(Int64(successRateThreshold))),
        ])
    }
}

/// What the tests of an app are, and how they end where they are not run for real.
package struct PerformanceTestScript: Codable, Sendable, Equatable {
    package enum Result: String, Codable, Sendable {
        case pass = "PASS"
        case fail = "FAIL"
    }

    /// In milliseconds.
    package struct ResponseTimes: Codable, Sendable, Equatable {
        package var average: Int64
        package var p50: Int64
        package var p90: Int64
        package var p95: Int64
        package var p99: Int64

        package init(
            average: Int64 = 0, p50: Int64 = 0, p90: Int64 = 0, p95: Int64 = 0, p99: Int64 = 0
        ) {
            self.average = average
            self.p50 = p50
            self.p90 = p90
            self.p95 = p95
            self.p99 = p99
        }
    }

    /// An end without a request being sent.
    package struct Outcome: Codable, Sendable, Equatable {
        package var result: Result
        /// How often the result is asked for and still PENDING.
        package var pendingPolls: Int?
        /// In percent.
        package var successRate: Int?
        package var responseTimes: ResponseTimes?
        /// How many requests failed, by `FallbackReason`, Apple's `sendAttemptResult`.
        package var failures: [String: Int]?

        package init(
            _ result: Result, pendingPolls: Int? = nil, successRate: Int? = nil,
            responseTimes: ResponseTimes? = nil, failures: [String: Int]? = nil
        ) {
            self.result = result
            self.pendingPolls = pendingPolls
            self.successRate = successRate
            self.responseTimes = responseTimes
            self.failures = failures
        }
    }

    package var config: PerformanceTestConfig
    /// One for each test begun from now on; when they are used up, tests are run for real.
    package var outcomes: [Outcome]

    package init(config: PerformanceTestConfig = .init(), outcomes: [Outcome] = []) {
        self.config = config
        self.outcomes = outcomes
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            config: try fields.decodeIfPresent(PerformanceTestConfig.self, forKey: .config)
                ?? .init(),
            outcomes: try fields.decodeIfPresent([Outcome].self, forKey: .outcomes) ?? [])
    }

    func check() throws(ControlError) {
        try config.check()
        for outcome in outcomes {
            let reasons = outcome.failures ?? [:]
            let isKnown = reasons.keys.allSatisfy {
                $0 == "SUCCESS" || FallbackReason(rawValue: $0) != nil
            }
            guard isKnown, reasons.values.allSatisfy({ $0 >= 0 }),
                (0...100).contains(outcome.successRate ?? 0), outcome.pendingPolls ?? 0 >= 0
            else {
                throw ControlError(
                    .invalidState,
                    "failures has Apple's sendAttemptResult as keys, successRate is 0 to 100.")
            }
        }
    }
}

/// What one request of a test came to.
struct PerformanceSample: Sendable {
    /// Nil for a success.
    var failure: FallbackReason?
    /// Nil where it was not sent.
    var milliseconds: Int64?
}

/// The tests of one app, as Apple keeps them.
struct PerformanceDesk: Sendable {
    /// Past it the oldest is forgotten.
    private static let runsLimit = 100

    struct Run: Sendable {
        var requestId: String
        var target: String
        var config: PerformanceTestConfig
        /// Nil where it is run for real.
        var outcome: PerformanceTestScript.Outcome?
        var pollsLeft = 0
        var samples: [PerformanceSample] = []

        var numPending: Int {
            guard outcome != nil else { return config.totalRequests - samples.count }
            return pollsLeft > 0 ? config.totalRequests : 0
        }
    }

    var script = PerformanceTestScript()
    private(set) var runs: [Run] = []

    var isRunning: Bool { runs.contains { $0.numPending > 0 } }

    mutating func forgetRuns() { runs = [] }

    mutating func begin(requestId: String, target: String) -> Run {
        var run = Run(requestId: requestId, target: target, config: script.config)
        if !script.outcomes.isEmpty {
            let outcome = script.outcomes.removeFirst()
            run.pollsLeft = outcome.pendingPolls ?? 0
            run.outcome = outcome
        }
        if runs.count == PerformanceDesk.runsLimit { runs.removeFirst() }
        runs.append(run)
        return run
    }

    /// True where this was the last request and the test has passed.
    mutating func record(_ sample: PerformanceSample, requestId: String) -> Bool {
        guard let place = runs.firstIndex(where: { $0.requestId == requestId }) else {
            return false
        }
        runs[place].samples.append(sample)
        return runs[place].numPending == 0 && PerformanceReport(runs[place]).result == .pass
    }

    /// What is answered now. Asking is what moves a scripted run on.
    mutating func poll(_ requestId: UUID) -> PerformanceReport? {
        guard let place = runs.firstIndex(where: { uuid($0.requestId) == requestId }) else {
            return nil
        }
        let report = PerformanceReport(runs[place])
        if runs[place].pollsLeft > 0 { runs[place].pollsLeft -= 1 }
        return report
    }
}

/// `retentionmessaging/performancetestresultresponse`.
struct PerformanceReport: Sendable {
    private var run: PerformanceDesk.Run
    /// Nil while requests are pending.
    private(set) var result: PerformanceTestScript.Result?
    private var successRate = 0
    private var responseTimes = PerformanceTestScript.ResponseTimes()
    private var failures: [String: Int] = [:]

    init(_ run: PerformanceDesk.Run) {
        self.run = run
        if let outcome = run.outcome {
            guard run.numPending == 0 else { return }
            result = outcome.result
            successRate = outcome.successRate ?? (outcome.result == .pass ? 100 : 0)
            responseTimes = outcome.responseTimes ?? .init()
            failures = outcome.failures ?? [:]
            return
        }
        for sample in run.samples {
            if let failure = sample.failure { failures[failure.rawValue, default: 0] += 1 }
        }
        let successes = run.samples.count { $0.failure == nil }
        successRate = run.samples.isEmpty ? 0 : successes * 100 / run.samples.count
        responseTimes = PerformanceReport.times(run.samples.compactMap(\.milliseconds))
        guard run.numPending == 0 else { return }
        result = successRate >= run.config.successRateThreshold ? .pass : .fail
    }

    private static func times(_ all: [Int64]) -> PerformanceTestScript.ResponseTimes {
        guard !all.isEmpty else { return .init() }
        let sorted = all.sorted()
        func percentile(_ percent: Int) -> Int64 {
            sorted[min(sorted.count - 1, (sorted.count * percent + 99) / 100 - 1)]
        }
        return .init(
            average: all.reduce(0, +) / Int64(all.count), p50: percentile(50), p90: percentile(90),
            p95: percentile(95), p99: percentile(99))
    }

    var json: JSONValue {
        let times = [
            ("average", responseTimes.average), ("p50", responseTimes.p50),
            ("p90", responseTimes.p90), ("p95", responseTimes.p95), ("p99", responseTimes.p99),
        ]
        let reasons = failures.sorted { $0.key < $1.key }.map { ($0.key, Int64($0.value)) }
        return .object([
            .init(name: "config", value: run.config.json),
            .init(name: "target", value: .string(run.target)),
            .init(name: "result", value: .string(result?.rawValue ?? "PENDING")),
            .init(name: "successRate", value: .whole(Int64(successRate))),
            .init(name: "numPending", value: .whole(Int64(run.numPending))),
            .init(name: "responseTimes", value: PerformanceReport.object(times)),
            .init(name: "failures", value: PerformanceReport.object(reasons)),
        ])
    }

    private static func object(_ numbers: [(String, Int64)]) -> JSONValue {
        .object(numbers.map { JSONValue.Member(name: $0.0, value: .whole($0.1)) })
    }
}
