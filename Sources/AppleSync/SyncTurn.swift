internal import AppStore
internal import FoundationEssentials
internal import Retention
internal import RetentionStore
internal import Service
internal import Signing

/// One lease on one app, from the claim to the release. Every method that commits shows the lease;
/// where it was lost, `StoreError.leaseLost` ends the turn and nothing of it is kept.
final class SyncTurn {
    private let worker: SyncWorker
    let lease: SyncLease
    private let isEnding: () -> Bool
    private let sliceEnd: ContinuousClock.Instant
    private var desire: SyncDesire
    private var observed = ObservedState()
    private var endpoints: [SealedEndpoint] = []
    private var openRun: SyncRunID?
    private var test: StoredPerformanceTest?
    private var isStale = true
    /// Endpoints without a permit, and until when.
    private var denied: [AppleEndpoint: ContinuousClock.Instant] = [:]

    var options: SyncOptions { worker.options }
    var key: AppEnvironment { lease.key }

    init(worker: SyncWorker, lease: SyncLease, isEnding: @escaping () -> Bool) {
        self.worker = worker
        self.lease = lease
        self.isEnding = isEnding
        sliceEnd = .now + worker.options.slice
        desire = SyncDesire(lease.key.environment)
    }

    /// - Returns: how it ended, for the metric.
    func run() throws -> String {
        while true {
            if isStale { try load() }
            let plan = currentPlan()
            guard plan.marks.isEmpty, plan.placements.isEmpty else {
                try commit(plan)
                continue
            }
            guard let credential = desire.credential else {
                return try finish(plan, .blocked(.noKey))
            }
            if ContinuousClock.now >= sliceEnd || isEnding() { return try pause() }
            if let wait = worker.breakers[key.environment]?.wait() {
                return try finish(plan, .away(wait))
            }
            let step = plan.next { (denied[$0] ?? .now) <= .now }
            if let step {
                try perform(.planned(step.operation), with: credential)
            } else if try !advanceTest(with: credential) {
                return try finish(plan, .idle)
            }
        }
    }

    // MARK: - Knowing

    private func load() throws {
        try commit { transaction, changeNumber in
            desire = try transaction.syncDesire(at: key, changeNumber: changeNumber)
            observed = try transaction.observedState(at: key)
            endpoints = try transaction.sealedEndpoints(at: key)
            let begun = try transaction.continueSyncRun(at: key)
            if let begun, begun.isNew { try lookAfresh(transaction) }
            openRun = begun?.id
            test =
                key.environment == .sandbox
                ? try transaction.findOpenPerformanceTest(of: key.app) : nil
        }
        isStale = false
        try options.reached(.loaded)
    }

    /// A run that somebody asked for believes nothing that was known.
    private func lookAfresh(_ transaction: TenantTransaction) throws {
        try record(observed.doubtEverything(at: worker.now), transaction)
    }

    private func currentPlan() -> SyncPlan {
        plan(
            desired: desire.state, observed: observed, limits: options.limits,
            policy: options.policy, now: worker.now)
    }

    // MARK: - Committing

    private func commit<R>(_ body: (TenantTransaction, Int64) throws -> R) throws -> R {
        try worker.store.transaction(
            holding: lease, for: options.lease, at: worker.now, body)
    }

    private func record(_ observations: [Observation], _ transaction: TenantTransaction) throws {
        try transaction.record(
            observations, at: key, contents: desire.contents, former: observed)
        observed.apply(observations)
    }

    /// What needs no call: bookkeeping, and what answers name from now on.
    private func commit(_ plan: SyncPlan) throws {
        try commit { transaction, _ in
            try record(plan.marks, transaction)
            try transaction.change(plan.placements, at: key)
        }
        // A new snapshot may have to be acknowledged now.
        isStale = isStale || !plan.placements.isEmpty
        try options.reached(.marked)
    }

    // MARK: - Calling

    enum Wanted {
        case planned(SyncOperation)
        /// Of a performance test; its outcome is handled by whoever asked.
        case other(RetentionMessagingCall)
    }

    /// One call, from its permit to what it proved. Where there is no permit, or what is wanted has
    /// changed meanwhile, nothing is sent.
    ///
    /// - Returns: the answer; `nil` where nothing was sent.
    @discardableResult
    func perform(_ wanted: Wanted, with credential: SealedSigningKey) throws -> AppleAnswer? {
        guard let token = try bearerToken(credential) else { return nil }
        guard let call = try translated(wanted) else {
            isStale = true
            return nil
        }
        let id = AppleCallID.make(at: worker.now)
        let startedAt = worker.now
        guard try begin(wanted, call, id) else { return nil }
        let committedAt = ContinuousClock.now
        try options.reached(.begun)
        guard ContinuousClock.now - committedAt < options.sendingLimit else { throw Frozen() }
        let answer = worker.client.send(call, in: key.environment, with: token)
        note(answer, of: call, credential)
        try options.reached(.sent)
        try conclude(wanted, answer, id, credential, startedAt: startedAt)
        try options.reached(.concluded)
        return answer
    }

    private func bearerToken(_ credential: SealedSigningKey) throws -> BearerToken? {
        do {
            return try worker.keys.token(
                tenant: lease.tenant, key: key, credential: credential,
                bundleId: desire.bundleId, now: worker.now)
        } catch {
            worker.metrics.keyRefused.add()
            worker.log.error(
                "signing_key_refused",
                worker.fields(lease) + [("error", .string(error.code.rawValue))])
            // Nothing can be asked with it: as if Apple had refused it.
            try commit { transaction, _ in
                try record(
                    [
                        .pause(
                            .keyRefused, until: worker.now + options.limits.pauseMilliseconds)
                    ], transaction)
            }
            return nil
        }
    }

    /// - Returns: `false` where it must not be sent now.
    private func begin(
        _ wanted: Wanted, _ call: RetentionMessagingCall, _ id: AppleCallID
    ) throws -> Bool {
        let endpoint = call.endpoint
        let budget = CallBudget(
            callsPerHour: endpoint.callsPerHour(in: key.environment),
            hourMilliseconds: options.hourMilliseconds)
        return try commit { transaction, changeNumber in
            guard changeNumber == desire.changeNumber else {
                isStale = true
                return false
            }
            if let wait = try transaction.takePermit(endpoint, at: key, of: budget) {
                denied[endpoint] = .now + wait
                worker.metrics.permitsDenied.add(1, endpoint.rawValue)
                return false
            }
            if openRun == nil, endpoint.isWrite {
                let id = SyncRunID.make(at: worker.now)
                try transaction.beginSyncRun(id, at: key)
                openRun = id
            }
            if case .planned(let operation) = wanted {
                try record(observed.begin(operation, at: worker.now), transaction)
            }
            try transaction.beginAppleCall(
                NewAppleCall(
                    id: id, run: openRun, endpoint: endpoint, appleId: wanted.appleId,
                    slot: wanted.slot,
                    bodyDigest: call.body.isEmpty ? nil : SHA256.digest(call.body)),
                under: lease)
            return true
        }
    }

    private func conclude(
        _ wanted: Wanted, _ answer: AppleAnswer, _ id: AppleCallID,
        _ credential: SealedSigningKey, startedAt: Instant
    ) throws {
        try commit { transaction, changeNumber in
            if changeNumber != desire.changeNumber { isStale = true }
            let operation: SyncOperation? =
                if case .planned(let operation) = wanted { operation } else { nil }
            if let operation {
                let concluded = ConcludedCall(
                    operation: operation, outcome: answer.outcome,
                    content: try read(answer.content), startedAt: startedAt)
                try record(
                    observed.conclude(concluded, limits: options.limits, now: worker.now),
                    transaction)
            } else if case .wait(let until) = answer.outcome, case .other(let call) = wanted {
                try record([.notBefore(call.endpoint, until)], transaction)
            }
            try transaction.finishAppleCall(
                id,
                AppleCallEnd(
                    outcome: answer.outcome, status: answer.status, appleCode: answer.appleCode,
                    appleMessage: answer.appleMessage, credential: credential.credential),
                at: key)
        }
    }

    private func note(
        _ answer: AppleAnswer, of call: RetentionMessagingCall, _ credential: SealedSigningKey
    ) {
        worker.metrics.calls.add(
            1, call.endpoint.rawValue, key.environment.rawValue, answer.outcome.name)
        worker.metrics.callSeconds.observe(answer.duration)
        let isAnswered: Bool
        switch answer.outcome {
        case .unknown, .notSent: isAnswered = false
        case .ok, .same, .absent, .wait, .noAccess, .keyRefused, .full, .notYet, .terminal:
            isAnswered = true
        }
        worker.breakers[key.environment]?.record(isAnswered: isAnswered)
        if case .keyRefused = answer.outcome {
            worker.keys.forget(tenant: lease.tenant, key: key, credential: credential)
        }
        if !isAnswered {
            worker.log.warning(
                "apple_call_unknown",
                worker.fields(lease) + [
                    ("endpoint", .string(call.endpoint.rawValue)),
                    ("answer", .string("\(answer)")),
                ])
        }
    }
}

/// This worker stood still for so long that another may have taken its place: what it was about to
/// send stays unsent.
struct Frozen: Error {}

// MARK: - Between our words and Apple's

extension SyncTurn {
    /// `nil` where what it needs is there no more.
    private func translated(_ wanted: Wanted) throws -> RetentionMessagingCall? {
        switch wanted {
        case .other(let call): return call
        case .planned(let operation):
            switch operation {
            case .listImages: return .listImages
            case .listMessages: return .listMessages
            case .uploadImage(let id): return try imageUpload(id)
            case .uploadMessage(let id, _): return messageUpload(id)
            case .setDefault(let slot, let id):
                return .setDefault(productId: slot.productId, locale: slot.locale, messageId: id)
            case .getDefault(let slot):
                return .getDefault(productId: slot.productId, locale: slot.locale)
            case .deleteDefault(let slot):
                return .deleteDefault(productId: slot.productId, locale: slot.locale)
            case .deleteMessage(let id): return .deleteMessage(id: id)
            case .deleteImage(let id): return .deleteImage(id: id)
            case .getRealtimeURL: return .getRealtimeURL
            case .setRealtimeURL(let endpoint):
                return try realtimeURL(of: endpoint).map { .setRealtimeURL($0) }
            case .deleteRealtimeURL: return .deleteRealtimeURL
            }
        }
    }

    private func imageUpload(_ id: UUID) throws -> RetentionMessagingCall? {
        guard case .image(let image, let size) = desire.contents[id]?.source else { return nil }
        let png = try commit { transaction, _ in
            try transaction.imageFile(image, of: key.app)
        }
        return .uploadImage(id: id, size: size, png: png)
    }

    private func messageUpload(_ id: UUID) -> RetentionMessagingCall? {
        guard case .text(let text, let images) = desire.contents[id]?.source,
            let body = UploadMessageBody(text, appleImages: images)
        else { return nil }
        return .uploadMessage(id: id, body)
    }

    func realtimeURL(of endpoint: EndpointID, origin: String? = nil) throws -> String? {
        guard let sealed = endpoints.first(where: { $0.id == endpoint }) else { return nil }
        return (origin ?? options.publicOrigin) + "/realtime/"
            + (try worker.keys.endpointToken(sealed))
    }

    private func read(_ content: RetentionMessagingContent?) throws -> AppleContentRead? {
        switch content {
        case .images(let list):
            .objects(
                list.entries.map { ListedObject(id: $0.id, state: $0.state) },
                isWhole: list.skipped == 0)
        case .messages(let list):
            .objects(
                list.entries.map { ListedObject(id: $0.id, state: $0.state) },
                isWhole: list.skipped == 0)
        case .defaultMessage(let id): .defaultMessage(id)
        case .realtimeURL(let url): .realtimeURL(try known(url))
        case .performanceTestStarted, .performanceTest, nil: nil
        }
    }

    /// Which of our endpoints a URL at Apple is, or that it is none.
    private func known(_ url: String) throws -> ObservedURL {
        for endpoint in endpoints where try realtimeURL(of: endpoint.id) == url {
            return .own(endpoint.id)
        }
        return .foreign
    }
}

extension SyncTurn.Wanted {
    var appleId: UUID? {
        guard case .planned(let operation) = self else { return nil }
        return switch operation {
        case .uploadImage(let id), .uploadMessage(let id, _), .setDefault(_, let id),
            .deleteMessage(let id), .deleteImage(let id):
            id
        case .listImages, .listMessages, .getDefault, .deleteDefault, .getRealtimeURL,
            .setRealtimeURL, .deleteRealtimeURL:
            nil
        }
    }

    var slot: DefaultSlot? {
        guard case .planned(let operation) = self else { return nil }
        return switch operation {
        case .setDefault(let slot, _), .getDefault(let slot), .deleteDefault(let slot): slot
        default: nil
        }
    }
}

// MARK: - The end

extension SyncTurn {
    enum End {
        case idle
        case blocked(Obstacle)
        case away(Duration)

        enum Obstacle: String { case noKey }
    }

    /// Others have their turn; this app goes on as soon as it is claimed again.
    private func pause() throws -> String {
        try release(after: .zero)
        return "slice"
    }

    private func finish(_ plan: SyncPlan, _ end: End) throws -> String {
        try options.reached(.finishing)
        let wait = nextLook(plan, end)
        try commit { transaction, _ in
            if let openRun, !isWaitingForPermits(plan) {
                let report = SyncRunReport(plan: plan, end: end)
                try transaction.finishSyncRun(openRun, at: key, result: report.json)
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
    private func advanceTest(with credential: SealedSigningKey) throws -> Bool {
        guard let test else { return false }
        let runner = PerformanceTestRun(turn: self, limits: options.performanceTest)
        guard try runner.advance(test, with: credential) else { return false }
        isStale = true
        return true
    }

    private func testDue(_ test: StoredPerformanceTest) -> Duration? {
        PerformanceTestRun(turn: self, limits: options.performanceTest).nextLook(at: test)
    }

    // What the performance test needs of the turn.

    var now: Instant { worker.now }
    var log: Log { worker.log }
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
