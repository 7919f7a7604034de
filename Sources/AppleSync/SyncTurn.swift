internal import AppStore
internal import FoundationEssentials
internal import Retention
internal import RetentionStore
internal import Service
internal import Signing

/// One lease on one app, from the claim to the release. Every method that commits shows the lease;
/// where it was lost, `StoreError.leaseLost` ends the turn and nothing of it is kept.
final class SyncTurn {
    let worker: SyncWorker
    let lease: SyncLease
    let isEnding: () -> Bool
    /// Begins once all is read, so that each turn gets somewhere.
    var sliceEnd: ContinuousClock.Instant?
    var desire: SyncDesire
    var observed = ObservedState()
    var endpoints: [SealedEndpoint] = []
    var openRun: SyncRunID?
    var test: StoredPerformanceTest?
    /// Of which somebody wants to know what they may do here.
    var keysToCheck: [SealedSigningKey] = []
    var hasUncheckedKey = false
    var isStale = true
    /// Endpoints without a permit, and until when.
    var denied: [AppleEndpoint: ContinuousClock.Instant] = [:]
    /// How long nobody is to ask this host of Apple's.
    var awayFor: Duration?

    var options: SyncOptions { worker.options }
    var key: AppEnvironment { lease.key }

    init(worker: SyncWorker, lease: SyncLease, isEnding: @escaping () -> Bool) {
        self.worker = worker
        self.lease = lease
        self.isEnding = isEnding
        desire = SyncDesire(lease.key.environment)
    }

    /// Until something is looked for again that was not there.
    private static let lackWait: Duration = .seconds(30)

    /// - Returns: how it ended, for the metric.
    func run() throws -> String {
        while true {
            if isStale { try load() }
            let plan = currentPlan()
            guard plan.marks.isEmpty, plan.placements.isEmpty else {
                try commit(plan)
                continue
            }
            if isSliceOver || isEnding() { return try pause() }
            if try checkKey() { continue }
            guard let credential = desire.credential else {
                if try giveUpOverdueTest() { continue }
                return try finish(plan, .blocked(.noKey))
            }
            if let step = plan.next(mayCall: { (denied[$0] ?? .now) <= .now }) {
                try perform(.planned(step.operation), with: credential)
                if let awayFor { return try finish(plan, .away(awayFor)) }
            } else if try !advanceTest(with: credential) {
                return try finish(plan, awayFor.map(End.away) ?? .idle)
            }
        }
    }

    private var isSliceOver: Bool {
        guard let sliceEnd else {
            sliceEnd = .now + options.slice
            return false
        }
        return ContinuousClock.now >= sliceEnd
    }

    // MARK: - Knowing

    private func load() throws {
        try commit { transaction, changeNumber in
            // Whoever checked it may have died before this.
            for standby in try transaction.standbyCredentials(of: key.app) {
                _ = try transaction.activateCredential(standby.credential, of: key.app)
            }
            desire = try transaction.syncDesire(at: key, changeNumber: changeNumber)
            observed = try transaction.observedState(at: key)
            endpoints = try transaction.sealedEndpoints(at: key)
            keysToCheck = try transaction.credentialsToCheck(at: key)
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

    /// One harmless call tells what a key may do here, also while the app rests. One that stands by
    /// takes the live one's place once both environments have answered it.
    ///
    /// - Returns: `false` where none is to be checked now.
    private func checkKey() throws -> Bool {
        guard let checked = keysToCheck.first, !isDenied(.getMessageList), awayFor == nil else {
            return false
        }
        let isLive = checked.credential == desire.credential?.credential
        let answer = try perform(
            isLive ? .planned(.listMessages) : .other(.listMessages), with: checked)
        guard answer != nil || !(isStale || isDenied(.getMessageList) || awayFor != nil) else {
            return true
        }
        keysToCheck.removeFirst()
        switch answer?.outcome {
        case nil, .unknown, .notSent: hasUncheckedKey = true
        default: break
        }
        guard !isLive, answer != nil else { return true }
        let isActive = try commit { transaction, _ in
            try transaction.activateCredential(checked.credential, of: key.app)
        }
        guard isActive else { return true }
        if let former = desire.credential {
            worker.keys.forget(tenant: lease.tenant, key: key, credential: former)
        }
        isStale = true
        return true
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

    func commit<R>(_ body: (TenantTransaction, Int64) throws -> R) throws -> R {
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
            // What is read anew may still lack it.
            denied[wanted.endpoint] = .now + Self.lackWait
            isStale = true
            return nil
        }
        if let wait = worker.breakers[key.environment]?.wait() {
            awayFor = wait
            return nil
        }
        let id = AppleCallID.make(at: worker.now)
        let startedAt = worker.now
        // From before the commit: the lease it renews may have been over as long ago.
        let begunAt = ContinuousClock.now
        guard try begin(wanted, call, id) else { return nil }
        try options.reached(.begun)
        guard ContinuousClock.now - begunAt < options.sendingLimit else { throw Frozen() }
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
            guard credential.credential == desire.credential?.credential else { return nil }
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
                    operation: operation, outcome: answer.outcome.forPlanning,
                    content: read(answer.content), startedAt: startedAt)
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
        let isAnswered = answer.outcome.isAppleThere
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

extension AppleOutcome {
    /// Whether Apple is there. What is our own fault, and what cannot be read, says nothing of that
    /// for other apps.
    fileprivate var isAppleThere: Bool {
        switch self {
        case .unknown(.serverError), .unknown(.timedOut), .unknown(.interrupted),
            .notSent(.connectFailed), .notSent(.tls):
            false
        case .ok, .same, .absent, .wait, .noAccess, .keyRefused, .full, .notYet, .terminal,
            .unknown, .notSent:
            true
        }
    }

    /// What no path can carry is refused before it is sent, and would be again.
    fileprivate var forPlanning: AppleOutcome {
        switch self {
        case .notSent(.badRequest), .notSent(.badURL), .notSent(.sandboxOnly): .terminal(code: nil)
        default: self
        }
    }
}
