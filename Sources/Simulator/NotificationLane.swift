/// What waits to be posted for one app in one environment.
struct NotificationLane: Sendable {
    /// Apple's waits after the attempt before, in hours
    /// (`appstoreservernotifications/responding-to-app-store-server-notifications`).
    static let retryHours: [Int64] = [1, 12, 24, 48, 72]
    private static let hourMilliseconds: Int64 = 3_600_000

    struct Item: Sendable {
        /// Of the notification in its book.
        var number: Int
        /// 1 for the first; nil for a copy, whose fate nobody notes.
        var attempt: Int?
        var corruption: NotificationPost.Corruption?
    }

    private struct Retry: Sendable {
        var due: Int64
        var item: Item
    }

    var settings = NotificationSettings()
    var inFlight = 0
    private var ready: [Item] = []
    private var next = 0
    private var held: [Item] = []
    private var retries: [Retry] = []
    private var numbers = DrawnNumbers(seed: 0)

    mutating func set(_ settings: NotificationSettings) {
        self.settings = settings
        numbers = DrawnNumbers(seed: settings.disorder?.seed ?? 0)
        releaseHeld()
    }

    var isReady: Bool { next < ready.count }
    var isHolding: Bool { !held.isEmpty }
    var hasRetries: Bool { !retries.isEmpty }
    /// Retries that are not due are not counted.
    var waiting: Int { ready.count - next + held.count }
    var size: Int { waiting + retries.count }

    /// A new notification, with its copies, in or out of order.
    mutating func add(_ number: Int) {
        guard let disorder = settings.disorder else {
            ready.append(Item(number: number, attempt: 1))
            return
        }
        var items = [Item(number: number, attempt: 1)]
        let copies = numbers.below(disorder.copies)
        items += (0..<copies).map { _ in Item(number: number, attempt: nil) }
        if numbers.chance() < disorder.corruptShare {
            let kind = NotificationPost.Corruption.allCases[
                numbers.below(NotificationPost.Corruption.allCases.count)]
            items.append(Item(number: number, attempt: nil, corruption: kind))
        }
        guard disorder.window > 1 else {
            ready += items
            return
        }
        held += items
        while held.count >= disorder.window { releaseOne() }
    }

    private mutating func releaseOne() {
        let place = numbers.below(held.count)
        held.swapAt(place, held.count - 1)
        ready.append(held.removeLast())
    }

    /// Nothing follows for the moment: what waits for others leaves, in a drawn order.
    mutating func releaseHeld() {
        while !held.isEmpty { releaseOne() }
    }

    mutating func take() -> Item? {
        guard next < ready.count else { return nil }
        let item = ready[next]
        next += 1
        if next == ready.count {
            ready.removeAll(keepingCapacity: true)
            next = 0
        } else if next > 4096 {
            ready.removeFirst(next)
            next = 0
        }
        return item
    }

    /// Plans the next attempt; false where Apple would make none.
    mutating func retry(
        _ item: Item, after attemptDate: Int64, in environment: Environment
    ) -> Bool {
        guard let attempt = item.attempt, environment == .production,
            attempt <= NotificationLane.retryHours.count
        else { return false }
        let wait = NotificationLane.retryHours[attempt - 1] * NotificationLane.hourMilliseconds
        var again = item
        again.attempt = attempt + 1
        let due = attemptDate + Int64(Double(wait) / settings.retryScale)
        retries.append(Retry(due: due, item: again))
        return true
    }

    mutating func takeDue(_ nowMilliseconds: Int64) {
        guard retries.contains(where: { $0.due <= nowMilliseconds }) else { return }
        let due = retries.filter { $0.due <= nowMilliseconds }.sorted { $0.due < $1.due }
        retries.removeAll { $0.due <= nowMilliseconds }
        ready += due.map(\.item)
    }
}

/// The same numbers for the same seed (SplitMix64).
struct DrawnNumbers: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// From 0 to `limit` - 1; 0 where there is nothing to choose from.
    mutating func below(_ limit: Int) -> Int {
        limit > 1 ? Int.random(in: 0..<limit, using: &self) : 0
    }

    /// At least 0, less than 1.
    mutating func chance() -> Double {
        Double(next() >> 11) * 0x1p-53
    }
}
