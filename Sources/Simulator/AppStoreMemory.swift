import FoundationEssentials
import Synchronization

/// Everything the simulator holds while it runs, behind one lock: apps, what is scripted for them,
/// counts, calls and used nonces. Nothing is kept on disk; whoever starts it hands the state in.
package final class AppStoreMemory: Sendable {
    struct Place: Hashable, Sendable {
        var appAppleId: Int64
        var environment: Environment
    }

    private struct Contents: Sendable {
        var catalogs: [Place: AppCatalog] = [:]
        var behaviours: [Place: Behaviour] = [:]
        var origins = OriginMap()
        var statistics = Statistics()
        var appStatistics: [Place: Statistics] = [:]
        var nonces: [Place: NonceMemory] = [:]
        var calls = CallLog()
    }

    /// How many apps, counted once for each environment.
    private static let appsLimit = 1000

    private let contents = Mutex(Contents())

    package init() {}

    func catalog(_ place: Place) -> AppCatalog? {
        contents.withLock { $0.catalogs[place] }
    }

    func set(_ catalog: AppCatalog, at place: Place) throws(ControlError) {
        let isKept = contents.withLock { contents in
            let isFull = contents.catalogs.count >= AppStoreMemory.appsLimit
            if isFull, contents.catalogs[place] == nil { return false }
            contents.catalogs[place] = catalog
            return true
        }
        guard isKept else {
            throw ControlError(.tooMany, "The simulator holds \(AppStoreMemory.appsLimit) apps.")
        }
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
            if contents.catalogs[place] != nil {
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
