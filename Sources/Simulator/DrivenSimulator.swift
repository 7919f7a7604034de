/// The control API for those who run the simulator in their own process, without HTTP between.
/// All but `decidePending` has its twin in `ControlAPI`.
extension Simulator {
    /// Where one of Apple's hosts is played: `http://127.0.0.1:…`, without a path.
    package func origin(of environment: Environment) -> String {
        "http://127.0.0.1:\(environment == .production ? productionPort : sandboxPort)"
    }

    /// Replaces what is known of the app; its scripts stay.
    package func set(_ state: AppState) throws(ControlError) {
        try memory.set(try AppCatalog(state), at: place(state.appAppleId, state.environment))
    }

    /// With what was uploaded and decided by now; nil where the app is not known.
    package func state(appAppleId: Int64, environment: Environment) -> AppState? {
        memory.catalog(place(appAppleId, environment))?.state
    }

    package func setReview(
        _ script: ReviewScript, appAppleId: Int64, environment: Environment
    ) throws(ControlError) {
        try memory.set(script, at: place(appAppleId, environment))
    }

    /// Decides on one image or message; what a script says of it later no longer counts.
    package func decide(
        _ identifier: String, _ state: AppState.ReviewState, appAppleId: Int64,
        environment: Environment
    ) throws(ControlError) {
        try memory.decide(identifier, state, at: place(appAppleId, environment))
    }

    /// Decides on everything that is pending.
    package func decidePending(
        _ state: AppState.ReviewState, appAppleId: Int64, environment: Environment
    ) throws(ControlError) {
        try memory.decidePending(state, at: place(appAppleId, environment))
    }

    /// Performance tests are the sandbox's alone.
    package func setPerformanceTests(
        _ script: PerformanceTestScript, appAppleId: Int64
    ) throws(ControlError) {
        try memory.set(script, at: place(appAppleId, .sandbox))
    }

    /// Replaces the faults; what of the old ones has happened is forgotten.
    package func setFaults(_ faults: [Fault], seed: UInt64 = 0) throws(ControlError) {
        try memory.setChecked(FaultScript(faults: faults, seed: seed))
    }

    /// Counting begins anew.
    package func setLimits(_ limits: RateLimits) throws(ControlError) {
        try memory.setChecked(limits)
    }

    /// Where real-time requests for public origins go.
    package func setOrigins(_ origins: OriginMap) throws(ControlError) {
        try origins.check()
        memory.set(origins)
    }

    /// The last calls of the Retention Messaging API, oldest first.
    package func apiCalls() -> [APICall] {
        memory.apiCalls(last: APICallLog.callsLimit).0
    }

    package var apiCallCounts: APICallCounts { memory.apiCalls(last: 0).1 }

    /// Where notifications of a known app go, and how they are treated on the way.
    package func setNotifications(
        _ settings: NotificationSettings, appAppleId: Int64, environment: Environment
    ) throws(ControlError) {
        try subscriptions.set(settings, at: place(appAppleId, environment))
    }

    package func begin(
        _ order: SubscriberOrder, appAppleId: Int64, environment: Environment
    ) throws(ControlError) -> EventReport {
        EventReport(try subscriptions.begin(order, at: place(appAppleId, environment)))
    }

    /// - Throws: `impossibleEvent` with a sentence where it cannot happen.
    @discardableResult
    package func apply(
        _ event: SubscriptionEvent, to transactionId: String, appAppleId: Int64,
        environment: Environment
    ) throws(ControlError) -> EventReport {
        let place = place(appAppleId, environment)
        return EventReport(try subscriptions.apply(event, to: transactionId, at: place))
    }

    package func announce(
        _ notice: AppNotice, appAppleId: Int64, environment: Environment
    ) throws(ControlError) -> NotificationView {
        try subscriptions.announce(notice, at: place(appAppleId, environment))
    }

    /// All that are kept, oldest first, without their payloads.
    package func sentNotifications(
        appAppleId: Int64, environment: Environment
    ) -> [NotificationView] {
        subscriptions.read(place(appAppleId, environment)) { ledger in
            ledger.book.records(from: 0).map { NotificationView($0, signer: nil) }
        }
    }

    /// What is held back for its turn leaves; true once no attempt is under way or due.
    package func deliverNotifications(within limit: Duration) -> Bool {
        subscriptions.sender.releaseHeld()
        return subscriptions.sender.waitUntilIdle(within: limit)
    }

    package func setBase(_ plan: SubscriberBasePlan) throws(ControlError) {
        try bases.set(plan)
    }

    package func playBase(until milliseconds: Int64) throws(ControlError) -> BaseReport {
        try bases.get().play(until: milliseconds)
    }

    /// Forgets apps, scripts, calls and counts; ports and certificates stay.
    package func reset() {
        memory.forgetAll()
        subscriptions.forgetAll()
        bases.forget()
    }

    private func place(_ appAppleId: Int64, _ environment: Environment) -> AppStoreMemory.Place {
        AppStoreMemory.Place(appAppleId: appAppleId, environment: environment)
    }
}
