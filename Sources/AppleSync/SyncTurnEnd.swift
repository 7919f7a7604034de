internal import Retention
internal import RetentionStore

// MARK: - The end

extension SyncTurn {
    enum End {
        case idle
        case blocked(Obstacle)
        case away(Duration)

        enum Obstacle: String { case noKey }

        var isBlocked: Bool {
            if case .blocked = self { true } else { false }
        }
    }

    /// Others have their turn; this app goes on as soon as it is claimed again.
    func pause() throws -> String {
        try release(after: .zero)
        return "slice"
    }

    func finish(_ plan: SyncPlan, _ end: End) throws -> String {
        try options.reached(.finishing)
        let wait = nextLook(plan, end)
        try commit { transaction, _ in
            if let openRun, end.isBlocked || !isWaitingForPermits(plan) {
                let report = SyncRunReport(plan: plan, end: end)
                try transaction.finishSyncRun(openRun, at: key, result: try JSON.encoded(report))
            }
            try transaction.releaseSync(lease, changeNumber: desire.changeNumber, after: wait)
        }
        try options.reached(.released)
        return plan.isConverged ? "converged" : "waiting"
    }

    private func release(after wait: Duration) throws {
        try commit { transaction, _ in
            try transaction.releaseSync(lease, changeNumber: desire.changeNumber, after: wait)
        }
        try options.reached(.released)
    }

    /// A run goes on while all that keeps it is the number of calls.
    private func isWaitingForPermits(_ plan: SyncPlan) -> Bool {
        plan.steps.contains { step in
            guard step.operation.isWrite else { return false }
            if step.isReady { return true }
            guard case .limit = step.wait else { return false }
            return true
        }
    }

    private func nextLook(_ plan: SyncPlan, _ end: End) -> Duration {
        if case .away(let wait) = end { return max(wait, options.leastWait) }
        var wait: Duration = .milliseconds(plan.nextLookAt.milliseconds - worker.now.milliseconds)
        if hasUncheckedKey || !keysToCheck.isEmpty {
            let retry = options.limits.retryMilliseconds.last ?? 0
            wait = min(wait, max(.milliseconds(retry), deniedFor(.getMessageList)))
        }
        if case .blocked = end { return bounded(wait) }
        let ready = plan.steps.filter(\.isReady).compactMap { denied[$0.operation.endpoint] }
        if let permit = ready.min() { wait = min(wait, permit - .now) }
        if plan.steps.contains(where: { $0.wait == .acknowledgement }) {
            wait = min(wait, options.acknowledgementWait)
        }
        if let test, let due = testDue(test) { wait = min(wait, due) }
        return bounded(wait)
    }

    private func bounded(_ wait: Duration) -> Duration {
        min(max(wait, options.leastWait), options.mostWait)
    }
}

extension SyncTurn {
    /// Does the next thing of the performance test that is under way.
    ///
    /// - Returns: `false` where there is nothing to do for it now.
    func advanceTest(with credential: SealedSigningKey) throws -> Bool {
        guard let test else { return false }
        let runner = PerformanceTestRun(turn: self, limits: options.performanceTest)
        guard try runner.advance(test, with: credential) else { return false }
        isStale = true
        return true
    }

    /// A test of an app without a key would stay open, and no other could begin.
    func giveUpOverdueTest() throws -> Bool {
        guard let test else { return false }
        let runner = PerformanceTestRun(turn: self, limits: options.performanceTest)
        guard try runner.giveUpIfOverdue(test) else { return false }
        isStale = true
        return true
    }

    /// An app whose work failed for a reason of its own rests, and others have their turn.
    func giveBack(after wait: Duration) throws {
        try commit { transaction, changeNumber in
            try transaction.releaseSync(lease, changeNumber: changeNumber, after: wait)
        }
    }

    private func testDue(_ test: StoredPerformanceTest) -> Duration? {
        PerformanceTestRun(turn: self, limits: options.performanceTest).nextLook(at: test)
    }

    // What the performance test needs of the turn.

    var now: Instant { worker.now }
    var observedURL: ObservedURL? { observed.isURLUncertain ? nil : observed.url }

    func isDenied(_ endpoint: AppleEndpoint) -> Bool {
        (denied[endpoint] ?? .now) > .now || (observed.notBefore[endpoint] ?? now) > now
    }

    func deniedFor(_ endpoint: AppleEndpoint) -> Duration {
        let permit = (denied[endpoint] ?? .now) - .now
        let asked = (observed.notBefore[endpoint] ?? now).milliseconds - now.milliseconds
        return max(permit, .milliseconds(asked))
    }

    func record(_ step: PerformanceTestStep, of test: PerformanceTestID) throws {
        try commit { transaction, _ in
            try transaction.record(step, of: test, app: key.app)
            if case .ended(true, _) = step {
                // Production's URL waited for it.
                try transaction.hurrySync(.production)
            }
        }
    }

    func lastConfig() throws -> [UInt8]? {
        try commit { transaction, _ in try transaction.lastPerformanceTestConfig(of: key.app) }
    }
}
