internal import AppStore
internal import FoundationEssentials
package import Retention
internal import RetentionStore
internal import Service

/// Waits and sizes of a performance test.
package struct PerformanceTestLimits: Sendable {
    /// Apple is asked first at the test's planned end, within these bounds, then after so many
    /// times the least as it was asked before.
    package var pollLeast: Duration = .seconds(5)
    package var pollMost: Duration = .seconds(60)
    /// A test without an end by then is given up. Apple names no limit; an hour is generous.
    package var longest: Duration = .seconds(3600)
    /// While another test of the app is running at Apple.
    package var retry: Duration = .seconds(30)
    /// Our own load, before Apple has named its numbers.
    package var firstConfig = PerformanceTestConfig(
        maxConcurrentRequests: 10, totalRequests: 100, totalDurationMilliseconds: 60_000,
        responseTimeThresholdMilliseconds: 700, successRateThresholdPercent: 95)
    package var ownRequestsMost = 1_000
    package var ownConcurrencyMost = 32
    /// Of all of our own load. Less than a lease lasts.
    package var ownLoadLongest: Duration = .seconds(15)

    package init() {}
}

/// One performance test from its order to Apple's verdict. All it knows is in its row, so that any
/// worker can go on with it:
///
///     queued ─ sandbox URL is set? ─▶ ownLoad ─ measured ─▶ Apple begins ─▶ running ─▶ passed
///        └───────────── an hour without ──▶ notRun ◀── refused, lost, stuck ──┘   └──▶ failed
struct PerformanceTestRun {
    let turn: SyncTurn
    let limits: PerformanceTestLimits

    /// - Returns: `false` where nothing can be done now.
    func advance(
        _ test: StoredPerformanceTest, with credential: SealedSigningKey
    ) throws -> Bool {
        if try giveUpIfOverdue(test) { return true }
        // Nothing can be asked with a key that is refused, or does not open.
        guard turn.observed.pause == nil else { return false }
        switch test.state {
        case .queued: return try prepare(test)
        case .ownLoad: return try start(test, with: credential)
        case .running: return try poll(test, with: credential)
        case .passed, .failed, .notRun: return false
        }
    }

    /// - Returns: whether it came to no end in time.
    func giveUpIfOverdue(_ test: StoredPerformanceTest) throws -> Bool {
        guard hasTakenTooLong(test) else { return false }
        try giveUp(
            test, "tookTooLong",
            "The test came to no end within an hour; look at its state and start another one.")
        return true
    }

    /// How long until there is something to do; `nil` where another event has to come first.
    func nextLook(at test: StoredPerformanceTest) -> Duration? {
        guard turn.observed.pause == nil else { return nil }
        switch test.state {
        case .queued: return limits.retry
        case .ownLoad:
            let wait = waitBeforeStart(test)
            return max(wait, turn.deniedFor(.initiatePerformanceTest))
        case .running:
            return max(waitBeforePoll(test), turn.deniedFor(.getPerformanceTestResults))
        case .passed, .failed, .notRun: return nil
        }
    }

    private func hasTakenTooLong(_ test: StoredPerformanceTest) -> Bool {
        age(since: test.startedAt ?? test.createdAt) > limits.longest
    }

    private func age(since instant: Instant) -> Duration {
        .milliseconds(turn.now.milliseconds - instant.milliseconds)
    }

    private func giveUp(_ test: StoredPerformanceTest, _ code: String, _ detail: String) throws {
        let failure = ["code": code, "detail": detail]
        try turn.record(.notRun(failure: try JSON.encoded(failure)), of: test.id)
    }

    // MARK: - Our own load

    /// Apple tests the URL that is set in the sandbox: ours has to be there first.
    private func prepare(_ test: StoredPerformanceTest) throws -> Bool {
        guard case .own(let endpoint) = turn.observedURL, endpoint == turn.desire.state.endpoint,
            let url = turn.realtimeURL(of: endpoint, origin: turn.options.loadOrigin)
        else { return false }
        try turn.record(.ownLoadBegun, of: test.id)
        let load = OwnLoad(
            url: url, config: try lastConfig() ?? limits.firstConfig, limits: limits,
            authoritiesFile: turn.options.loadAuthoritiesFile)
        try turn.record(.ownLoadDone(try JSON.encoded(load.run())), of: test.id)
        return true
    }

    private func lastConfig() throws -> PerformanceTestConfig? {
        try turn.lastConfig().flatMap {
            try? JSONDecoder().decode(PerformanceTestConfig.self, from: Data($0))
        }
    }

    // MARK: - Apple's

    private func start(
        _ test: StoredPerformanceTest, with credential: SealedSigningKey
    ) throws -> Bool {
        guard !turn.isDenied(.initiatePerformanceTest), waitBeforeStart(test) <= .zero else {
            return false
        }
        let answer = try turn.perform(
            .other(.startPerformanceTest(originalTransactionId: test.transactionId)),
            with: credential)
        guard let answer else { return turn.isStale }
        switch (answer.outcome, answer.content) {
        case (.ok, .performanceTestStarted(let started)):
            try turn.record(
                .begun(
                    requestId: started.requestId, config: try started.config.map(JSON.encoded)),
                of: test.id)
        case (.terminal(AppleErrorCode.existingPerformanceTestRun.rawValue), _), (.wait, _),
            (.unknown, _), (.notSent, _):
            // One that is running ends by itself. Where ours was begun and its answer was lost, so
            // is its result, and another one is begun then.
            try turn.record(.startPutOff, of: test.id)
        case (.terminal, _), (.notYet, _), (.noAccess, _), (.keyRefused, _), (.full, _),
            (.absent, _), (.same, _), (.ok, _):
            try giveUp(
                test, answer.appleCode.map { "apple\($0)" } ?? answer.outcome.name,
                answer.sentence)
        }
        return true
    }

    private func waitBeforeStart(_ test: StoredPerformanceTest) -> Duration {
        guard let tried = test.polledAt else { return .zero }
        return limits.retry - age(since: tried)
    }

    private func poll(
        _ test: StoredPerformanceTest, with credential: SealedSigningKey
    ) throws -> Bool {
        guard !turn.isDenied(.getPerformanceTestResults), waitBeforePoll(test) <= .zero,
            let requestId = test.appleRequestId
        else { return false }
        let answer = try turn.perform(
            .other(.getPerformanceTest(requestId: requestId)), with: credential)
        guard let answer else { return turn.isStale }
        switch (answer.outcome, answer.content) {
        case (.ok, .performanceTest(let result)):
            let shown = try JSON.encoded(ShownResult(result))
            switch result.status {
            case .pass: try turn.record(.ended(hasPassed: true, result: shown), of: test.id)
            case .fail: try turn.record(.ended(hasPassed: false, result: shown), of: test.id)
            default: try turn.record(.polled(result: shown), of: test.id)
            }
        case (.absent, _):
            try giveUp(
                test, "forgotten", "Apple does not know this test any more; start another one.")
        case (.terminal, _):
            try giveUp(
                test, answer.appleCode.map { "apple\($0)" } ?? answer.outcome.name,
                answer.sentence)
        default: try turn.record(.pollFailed, of: test.id)
        }
        return true
    }

    private func waitBeforePoll(_ test: StoredPerformanceTest) -> Duration {
        let polled = test.polledAt ?? test.createdAt
        guard test.polls > 0 else {
            let config = test.config.flatMap {
                try? JSONDecoder().decode(PerformanceTestConfig.self, from: Data($0))
            }
            let planned: Duration = .milliseconds(config?.totalDurationMilliseconds ?? 0)
            return min(max(planned, limits.pollLeast), limits.pollMost) - age(since: polled)
        }
        let pause = min(limits.pollLeast * Int(test.polls), limits.pollMost)
        return pause - age(since: polled)
    }
}

/// A result as it is kept: without the URL that was tested, whose token is a secret.
private struct ShownResult: Encodable {
    let result: String
    let successRatePercent: Int?
    let pendingCount: Int?
    let responseTimes: PerformanceTestResult.ResponseTimes?
    let failures: [String: Int]

    init(_ result: PerformanceTestResult) {
        self.result = result.status.rawValue
        successRatePercent = result.successRatePercent
        pendingCount = result.pendingCount
        responseTimes = result.responseTimes
        failures = Dictionary(
            result.failures.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: { a, _ in a })
    }
}

enum JSON {
    static func encoded(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return Array(try encoder.encode(value))
    }
}
