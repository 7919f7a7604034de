import FoundationEssentials
import Retention

/// What the database keeps of one app: what the agency wants, what is known of Apple, who holds the
/// lease, and what responders serve.
struct SimulatedStore {
    struct Responder {
        var isServing = true
        /// Counts as live until its heartbeat is too old.
        var liveUntil = Int64.max
        var acknowledged = 0
        var serves: Set<UUID> = []
        var acknowledgesAt: Int64?
    }

    static let leaseMilliseconds: Int64 = 30_000

    let workings: Workings
    let profile: Profile
    var random: SplitMix64
    var happenings = Happenings()

    var wants: Wants
    var observed = ObservedState()
    private(set) var served: [TextPlace: UUID] = [:]
    private(set) var labels: [UUID: Int] = [:]

    var token = 0
    var leasedUntil: Int64 = 0
    var dueAt: Int64 = 0
    private var spokenFor: [Int: [AppleEndpoint: Int64]] = [:]

    private(set) var responders: [Responder]
    private(set) var snapshot = 0
    private var snapshotNames: Set<UUID> = []

    private var identities: [ContentKey: [UUID]] = [:]
    private var attempts = 0
    /// Identifiers that all that was ever wanted needs: each costs one upload at least.
    private(set) var leastUploads = 0

    init(workings: Workings, profile: Profile, wants: Wants, random: SplitMix64) {
        self.workings = workings
        self.profile = profile
        self.wants = wants
        self.random = random
        responders = Array(repeating: Responder(), count: profile.responders)
    }

    // MARK: What is wanted

    mutating func desired() -> DesiredState {
        var images: Set<UUID> = []
        var texts: [WantedText] = []
        for text in wants.texts {
            let shown = wants.images(of: text.label).map { image in
                identity(ContentKey(kind: .image, label: image, images: []))
            }
            let id = identity(ContentKey(kind: .message, label: text.label, images: shown))
            images.formUnion(shown)
            texts.append(
                WantedText(
                    message: text.place.message, locale: text.place.locale, kind: .text,
                    appleId: id, images: shown))
        }
        return DesiredState(
            environment: profile.environment, images: images, texts: texts,
            defaults: wants.defaults, endpoint: wants.endpoint,
            mayReplaceForeignURL: wants.mayReplaceForeignURL,
            hasPassedPerformanceTest: wants.hasPass, served: served,
            isSnapshotAcknowledged: workings.isAcknowledged(
                responders.filter { $0.liveUntil > 0 }.map(\.acknowledged), snapshot))
    }

    private mutating func identity(_ key: ContentKey) -> UUID {
        let known = identities[key] ?? []
        let spent = known.indices.filter { observed.objects[known[$0]]?.isSpent ?? false }
        let generation = workings.generation(spent.map { Int32($0) })
        attempts += 1
        if Int(generation) < known.count {
            // The same content has the same identifier; a planted bug may make another.
            let again = workings.identify(key, generation, attempts)
            labels[again] = key.label
            return again
        }
        let id = workings.identify(key, generation, attempts)
        identities[key] = known + [id]
        labels[id] = key.label
        leastUploads += 1
        if generation > 0 { happenings.note(.contentCameBack) }
        return id
    }

    // MARK: What is known

    mutating func apply(_ observations: [Observation], now: Int64) {
        observed.apply(observations)
        renewSnapshot(now: now)
    }

    mutating func place(_ changes: [PlacementChange], now: Int64) {
        for change in changes {
            switch change {
            case .serve(let place, let id):
                served[place] = id
            case .stop(let place): served[place] = nil
            }
        }
        renewSnapshot(now: now)
    }

    mutating func permit(_ endpoint: AppleEndpoint, worker: Int, now: Int64) -> Int64? {
        let row = workings.budgetRow(worker)
        let budget = workings.budget(profile.callsPerHour(endpoint))
        switch budget.take(spokenFor: spokenFor[row]?[endpoint], now: now * 1_000) {
        case .granted(let until):
            spokenFor[row, default: [:]][endpoint] = until
            return nil
        case .later(let microseconds):
            happenings.note(.permitAwaited)
            return microseconds / 1_000 + 1
        }
    }

    // MARK: What is served

    private mutating func renewSnapshot(now: Int64) {
        var names = Set(served.values)
        for known in observed.defaults.values where !known.isUncertain {
            if let id = known.appleId { names.insert(id) }
        }
        guard names != snapshotNames else { return }
        snapshotNames = names
        snapshot += 1
        for index in responders.indices where responders[index].isServing {
            let isLate = random.happens(100)
            responders[index].acknowledgesAt =
                responders[index].acknowledgesAt
                ?? now + random.milliseconds(isLate ? 60_000...5_400_000 : 200...5_000)
        }
    }

    var nextAcknowledgement: Int64 {
        responders.reduce(Int64.max) {
            min(
                $0, $1.acknowledgesAt ?? .max,
                $1.isServing || $1.liveUntil == 0 ? .max : $1.liveUntil)
        }
    }

    mutating func advanceResponders(to now: Int64) {
        for index in responders.indices {
            if let at = responders[index].acknowledgesAt, at <= now {
                responders[index].acknowledgesAt = nil
                responders[index].acknowledged = snapshot
                responders[index].serves = snapshotNames
                responders[index].isServing = true
                responders[index].liveUntil = .max
                dueAt = min(dueAt, now)
            } else if !responders[index].isServing, responders[index].liveUntil > 0,
                responders[index].liveUntil <= now
            {
                // Gone for good, until it comes back with the newest.
                responders[index].liveUntil = 0
                responders[index].acknowledgesAt = now + random.milliseconds(1_000...3_600_000)
                dueAt = min(dueAt, now)
            }
        }
    }

    /// A responder ends without a word: it counts as live for as long as its heartbeat is good.
    mutating func loseResponder(now: Int64) {
        guard let index = responders.indices.first(where: { responders[$0].isServing }) else {
            return
        }
        responders[index].isServing = false
        responders[index].serves = []
        responders[index].acknowledgesAt = nil
        responders[index].liveUntil = now + 60_000
        happenings.note(.responderLeft)
    }

    func isServedByAny(_ id: UUID) -> Bool {
        responders.contains { $0.isServing && $0.serves.contains(id) }
    }
}
