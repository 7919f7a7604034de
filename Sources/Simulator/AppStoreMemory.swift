import FoundationEssentials
package import Service
import Synchronization

/// Everything the simulator holds while it runs, behind one lock: apps, what is scripted for them,
/// counts, calls and used nonces. Nothing is kept on disk; whoever starts it hands the state in.
package final class AppStoreMemory: Sendable {
    package struct Place: Hashable, Sendable {
        var appAppleId: Int64
        var environment: Environment
    }

    /// An app's state, and what goes on beside it.
    struct Record: Sendable {
        var catalog: AppCatalog
        var desk: MessagingDesk

        mutating func settleReviews(nowMilliseconds: Int64) {
            for (identifier, decision) in desk.takeDue(nowMilliseconds: nowMilliseconds) {
                catalog.decide(identifier, decision)
            }
        }
    }

    private struct Bundle: Hashable, Sendable {
        var bundleId: [UInt8]
        var environment: Environment
    }

    private struct Contents: Sendable {
        var apps: [Place: Record] = [:]
        var bundles: [Bundle: Place] = [:]
        var behaviours: [Place: Behaviour] = [:]
        var origins = OriginMap()
        var statistics = Statistics()
        var appStatistics: [Place: Statistics] = [:]
        var nonces: [Place: NonceMemory] = [:]
        var calls = CallLog()
        var apiCalls = APICallLog()
        var faults = FaultDeck()
        var limits = RateLimits()
        var limiter = RateLimiter()
    }

    /// How many apps, counted once for each environment.
    private static let appsLimit = 1000

    private let clock: Clock
    private let contents = Mutex(Contents())

    package init(clock: Clock = .system) {
        self.clock = clock
    }

    /// As when it was made.
    func forgetAll() {
        contents.withLock { $0 = Contents() }
    }

    func catalog(_ place: Place) -> AppCatalog? {
        change(place) { $0.catalog }
    }

    /// Nil where there is no such app. What review has decided by now is in the record.
    func change<Result: Sendable, Failure: Error>(
        _ place: Place, _ body: (inout Record) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let now = clock.now()
        return try contents.withLock { contents throws(Failure) -> Result? in
            guard let index = contents.apps.index(forKey: place) else { return nil }
            contents.apps.values[index].settleReviews(nowMilliseconds: now)
            return try body(&contents.apps.values[index])
        }
    }

    func set(_ catalog: AppCatalog, at place: Place) throws(ControlError) {
        let bundle = Bundle(
            bundleId: Array(catalog.state.bundleId.utf8), environment: place.environment)
        let refusal = contents.withLock { contents -> ControlError? in
            let old = contents.apps[place]
            if old == nil, contents.apps.count >= AppStoreMemory.appsLimit {
                return ControlError(
                    .tooMany, "The simulator holds \(AppStoreMemory.appsLimit) apps.")
            }
            for environment in Environment.allCases {
                let twin = Bundle(bundleId: bundle.bundleId, environment: environment)
                guard let owner = contents.bundles[twin] else { continue }
                guard owner.appAppleId == place.appAppleId else {
                    return ControlError(.invalidState, "Another app has this bundle id.")
                }
            }
            contents.bundles = contents.bundles.filter { $0.value != place }
            contents.bundles[bundle] = place
            var desk = old?.desk ?? MessagingDesk(place.environment)
            desk.forgetUploads()
            contents.apps[place] = Record(catalog: catalog, desk: desk)
            return nil
        }
        if let refusal { throw refusal }
    }

    func place(bundleId: String, _ environment: Environment) -> Place? {
        let bundle = Bundle(bundleId: Array(bundleId.utf8), environment: environment)
        return contents.withLock { $0.bundles[bundle] }
    }

    func behaviour(_ place: Place) -> Behaviour {
        contents.withLock { $0.behaviours[place] ?? Behaviour() }
    }

    func set(_ behaviour: Behaviour, at place: Place) {
        contents.withLock { $0.behaviours[place] = behaviour }
    }

    var origins: OriginMap {
        contents.withLock { $0.origins }
    }

    func set(_ origins: OriginMap) {
        contents.withLock { $0.origins = origins }
    }

    func isNew(_ nonce: UUID, at place: Place) -> Bool {
        contents.withLock { $0.nonces[place, default: NonceMemory()].insert(nonce) }
    }

    func record(_ result: PageViewResult, call: Call?) {
        let place = Place(appAppleId: result.appAppleId, environment: result.environment)
        contents.withLock { contents in
            contents.statistics.record(result)
            if contents.apps[place] != nil {
                contents.appStatistics[place, default: Statistics()].record(result)
            }
            if let call { contents.calls.append(call) }
        }
    }

    func lastCalls(_ count: Int) -> [Call] {
        contents.withLock { $0.calls.last(count) }
    }

    /// All counts, or those of one app.
    func statistics(_ place: Place?) -> Statistics {
        contents.withLock { contents in
            guard let place else { return contents.statistics }
            return contents.appStatistics[place] ?? Statistics()
        }
    }

    func resetStatistics() {
        contents.withLock { contents in
            contents.statistics = Statistics()
            contents.appStatistics = [:]
        }
    }
}

extension AppStoreMemory {
    func record(_ sample: PerformanceSample, requestId: String, at place: Place) {
        _ = change(place) { record in
            if record.desk.performance.record(sample, requestId: requestId) {
                record.catalog.state.hasPassingTest = true
            }
        }
    }

    var limits: RateLimits { contents.withLock { $0.limits } }

    /// Counting begins anew.
    func set(_ limits: RateLimits) {
        contents.withLock { contents in
            contents.limits = limits
            contents.limiter = RateLimiter()
        }
    }

    func take(_ place: RateLimiter.Place, nowMilliseconds: Int64) -> RateLimiter.Verdict {
        contents.withLock { contents in
            contents.limiter.take(place, contents.limits, nowMilliseconds: nowMilliseconds)
        }
    }

    func isPromised(_ place: RateLimiter.Place, nowMilliseconds: Int64) -> Bool {
        contents.withLock { $0.limiter.isPromised(place, nowMilliseconds: nowMilliseconds) }
    }

    func promise(_ place: RateLimiter.Place, until milliseconds: Int64) {
        contents.withLock { $0.limiter.promise(place, until: milliseconds) }
    }

    var faults: FaultScript { contents.withLock { $0.faults.script } }

    func set(_ faults: FaultScript) {
        contents.withLock { $0.faults = FaultDeck(faults) }
    }

    func drawFaults(
        _ endpoint: AppleEndpoint, _ environment: Environment, _ appAppleId: Int64?
    ) -> [Fault] {
        contents.withLock { $0.faults.draw(endpoint, environment, appAppleId) }
    }

    func record(_ call: APICall) {
        contents.withLock { $0.apiCalls.append(call) }
    }

    func apiCalls(last count: Int) -> ([APICall], APICallCounts) {
        contents.withLock { ($0.apiCalls.last(count), $0.apiCalls.counts) }
    }

    func forgetAPICalls() {
        contents.withLock { $0.apiCalls = APICallLog() }
    }
}
