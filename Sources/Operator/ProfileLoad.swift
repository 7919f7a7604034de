internal import Retention
internal import RetentionStore
internal import Service
internal import Synchronization

/// Moves profiles from their source into the store: batches of bounded size, one transaction each,
/// a few at a time. What was written before an error stays; a second run goes on from there, since
/// what is kept already is passed over.
final class ProfileLoad: Sendable {
    /// One makes a batch while the database works on the other's.
    static let workers = 2
    /// In one statement. A transaction that lasts longer would hold up the feed of changes.
    static let batchRows = 5_000
    private static let progressRows = 100_000

    private struct State {
        var source: any ProfileBatches
        var read = 0
        var written = 0
        var failure: (any Error)?
    }

    private let order: ProfileLoadOrder
    private let database: OperatorStore
    private let progress: @Sendable (Int) -> Void
    private let state: Mutex<State>

    /// - Parameter progress: told now and then how many were read.
    init(
        _ order: ProfileLoadOrder, _ database: OperatorStore,
        progress: @escaping @Sendable (Int) -> Void
    ) throws {
        self.order = order
        self.database = database
        self.progress = progress
        let source: any ProfileBatches =
            switch order.source {
            case .file(let path): ProfileFile(path)
            case .generated(let count, let seed):
                GeneratedProfiles(
                    count: count, seed: seed, now: Instant(milliseconds: Clock.system.now()))
            }
        state = Mutex(State(source: source))
        let isThere = try database.transaction(of: order.tenant) { try $0.hasApp(order.key.app) }
        guard isThere else {
            throw NotThere(description: "the tenant has no app \(order.key.app)")
        }
    }

    var counts: (read: Int, written: Int) { state.withLock { ($0.read, $0.written) } }

    func run() throws {
        _ = ThreadTeam(threads: Self.workers).map(Array(0..<Self.workers)) { [self] _ in work() }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    private func work() {
        do {
            while let batch = try next() {
                let written = try database.transaction(of: order.tenant) {
                    try $0.upsertProfiles(batch, at: order.key)
                }
                state.withLock { $0.written += written }
            }
        } catch {
            state.withLock { $0.failure = $0.failure ?? error }
        }
    }

    /// Nil at the end, and once another worker has failed.
    private func next() throws -> [NewProfile]? {
        let (batch, before, after) = try state.withLock { state in
            guard state.failure == nil, let batch = try state.source.next(Self.batchRows) else {
                return ([NewProfile]?.none, 0, 0)
            }
            let before = state.read
            state.read += batch.count
            return (batch, before, state.read)
        }
        if before / Self.progressRows < after / Self.progressRows { progress(after) }
        return batch
    }
}

/// Where profiles come from, a batch at a time.
protocol ProfileBatches: Sendable {
    /// At most so many; nil at the end.
    mutating func next(_ limit: Int) throws -> [NewProfile]?
}

/// Made-up profiles for benchmarks and trials: all that a profile can say but what clients tell,
/// the same for the same seed and day.
struct GeneratedProfiles: ProfileBatches {
    /// Apple's identifiers have sixteen digits these days; the simulator's corpus counts from here
    /// too.
    private static let firstIdentifier = 2_000_000_000_000_000
    private static let dayMilliseconds: Int64 = 86_400_000
    private static let storefronts = ["USA", "JPN", "DEU", "GBR", "FRA", "MEX"]
    private static let currencies = ["USD", "JPY", "EUR", "GBP", "EUR", "MXN"]

    private let count: Int
    private let seed: UInt64
    private let asOf: Instant
    private var made = 0

    /// - Parameter now: the profiles are as of midnight before it, so that a second run on the same
    ///   day changes nothing.
    init(count: Int, seed: UInt64, now: Instant) {
        self.count = count
        self.seed = seed
        asOf = Instant(milliseconds: now.milliseconds - now.milliseconds % Self.dayMilliseconds)
    }

    mutating func next(_ limit: Int) -> [NewProfile]? {
        guard made < count else { return nil }
        let batch = (made..<min(count, made + limit)).map { number in
            NewProfile(
                originalTransactionId: String(Self.firstIdentifier + number),
                profile: StoredProfile(body: profile(number).encoded(), asOf: asOf))
        }
        made += batch.count
        return batch
    }

    private func profile(_ number: Int) -> SubscriberProfile {
        var random = RandomWords(seed: seed ^ UInt64(number) &* 0x9e37_79b9_7f4a_7c15)
        func below(_ limit: Int64) -> Int64 { Int64(random.next() % UInt64(limit)) }
        func ago(_ days: Int64) -> Instant {
            Instant(milliseconds: asOf.milliseconds - days * Self.dayMilliseconds)
        }
        var profile = SubscriberProfile()
        let (periods, place) = (below(60), Int(below(Int64(Self.storefronts.count))))
        profile.subscribedAt = ago(periods * 30 + below(30))
        profile.renewsAt = ago(-below(30))
        profile.lastActiveAt = ago(below(20))
        profile.paidPeriods = periods
        profile.lifetimeSpend = .init(
            amountMilliunits: periods * 4_990, currency: Self.currencies[place])
        profile.storefront = Self.storefronts[place]
        profile.billingPlan = below(3) == 0 ? "BILLED_UPFRONT" : "MONTHLY"
        (profile.inTrial, profile.inIntroOffer) = (periods == 0, periods == 1)
        (profile.inOffer, profile.billingIssue) = (below(10) == 0, below(50) == 0)
        (profile.pageViews, profile.refunds) = (below(5), below(40) == 0 ? 1 : 0)
        profile.openRefundRequests = 0
        return profile
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
private struct RandomWords {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }
}
