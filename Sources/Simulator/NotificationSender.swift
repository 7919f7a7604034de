import Dispatch
import HTTPClient
import Service
import Synchronization

/// Posts notifications to the apps' URLs, with Apple's schedule for what fails. Nobody waits for
/// it: whoever adds goes on at once, and an app that hangs takes up its own places alone.
package final class NotificationSender: Sendable {
    /// Attempts under way over all apps, and of one app.
    static let inFlightLimit = 32
    static let inFlightOfAppLimit = 8
    /// Notifications over all apps whose last attempt is not over. Past it a new one is in the
    /// history alone.
    package static let queueLimit = 500_000
    /// How often due retries are looked for, in real time.
    private static let lookMilliseconds = 20

    private struct State {
        var lanes: [AppStoreMemory.Place: NotificationLane] = [:]
        /// Whose turn it is, one app after the other.
        var turn = 0
        var places: [AppStoreMemory.Place] = []
        var workers = 0
        var inFlight = 0
        /// Notifications whose last attempt is not over.
        var added = 0
        var hasLook = false
        var isCeasing = false

        var waiting: Int { lanes.values.reduce(0) { $0 + $1.waiting } }
        var size: Int { lanes.values.reduce(0) { $0 + $1.size } }
    }

    private struct Job: Sendable {
        var place: AppStoreMemory.Place
        var item: NotificationLane.Item
        var settings: NotificationSettings
    }

    private let post: NotificationPost
    private let ledgers: LedgerShelf
    private let signer: DocumentSigner
    private let clock: Clock
    private let limit: Int
    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)

    init(
        post: NotificationPost, ledgers: LedgerShelf, signer: DocumentSigner, clock: Clock,
        limit: Int
    ) {
        self.limit = limit
        self.post = post
        self.ledgers = ledgers
        self.signer = signer
        self.clock = clock
    }

    func set(_ settings: NotificationSettings, at place: AppStoreMemory.Place) {
        change(place) { $0.set(settings) }
        start()
    }

    /// False where the queue is full.
    func add(_ number: Int, at place: AppStoreMemory.Place) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.isCeasing, state.added < limit else {
                return false
            }
            state.added += 1
            NotificationSender.lane(place, &state) { $0.add(number) }
            return true
        }
        if isTaken { start() }
        return isTaken
    }

    /// What waits for others to change places with leaves now.
    func releaseHeld() {
        state.withLock { state in
            for place in state.places { state.lanes[place]?.releaseHeld() }
        }
        start()
    }

    func forgetAll() {
        state.withLock { state in
            state.lanes = [:]
            state.places = []
            state.added = 0
        }
    }

    /// No further attempt begins: the process is about to end.
    func cease() {
        state.withLock { $0.isCeasing = true }
        wake.signal()
    }

    /// Until no attempt is under way or due, or the time is over; false then.
    func waitUntilIdle(within limit: Duration) -> Bool {
        let end = ContinuousClock.now + limit
        while true {
            let now = clock.now()
            let isIdle = state.withLock { state in
                for place in state.places { state.lanes[place]?.takeDue(now) }
                return (state.waiting == 0 || state.isCeasing) && state.inFlight == 0
            }
            if isIdle { return true }
            start()
            guard ContinuousClock.now < end else { return false }
            // Another's semaphore that nobody signals: a pause that costs no processor.
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(1))
        }
    }

    /// Attempts that wait, retries included.
    var queued: Int { state.withLock { $0.size } }

    // MARK: Threads

    private func change(
        _ place: AppStoreMemory.Place, _ body: (inout NotificationLane) -> Void
    ) {
        state.withLock { NotificationSender.lane(place, &$0, body) }
    }

    private static func lane(
        _ place: AppStoreMemory.Place, _ state: inout State,
        _ body: (inout NotificationLane) -> Void
    ) {
        if state.lanes[place] == nil { state.places.append(place) }
        body(&state.lanes[place, default: NotificationLane()])
    }

    /// As many threads as there is work for, within the limit.
    private func start() {
        let (workers, look) = state.withLock { state -> (Int, Bool) in
            guard !state.isCeasing else { return (0, false) }
            let wanted = min(state.waiting, NotificationSender.inFlightLimit) - state.workers
            state.workers += max(0, wanted)
            let needsLook =
                !state.hasLook && state.lanes.values.contains { $0.hasRetries || $0.isHolding }
            if needsLook { state.hasLook = true }
            return (max(0, wanted), needsLook)
        }
        for _ in 0..<workers where !NativeThread.start("notify", { self.work() }) {
            state.withLock { $0.workers -= 1 }
        }
        if look, !NativeThread.start("notify retries", { self.look() }) {
            state.withLock { $0.hasLook = false }
        }
    }

    private func work() {
        while let job = take() { perform(job) }
    }

    /// Takes the place of a worker away where there is nothing left, in the same lock.
    private func take() -> Job? {
        state.withLock { state in
            guard !state.isCeasing else {
                state.workers -= 1
                return nil
            }
            for step in 0..<state.places.count {
                let place = state.places[(state.turn + step) % state.places.count]
                let inFlight = state.lanes[place]?.inFlight ?? 0
                guard inFlight < NotificationSender.inFlightOfAppLimit,
                    let item = state.lanes[place]?.take(),
                    let settings = state.lanes[place]?.settings
                else { continue }
                state.lanes[place]?.inFlight = inFlight + 1
                state.inFlight += 1
                state.turn = (state.turn + step + 1) % state.places.count
                return Job(place: place, item: item, settings: settings)
            }
            state.workers -= 1
            return nil
        }
    }

    private func perform(_ job: Job) {
        let signed = ledgers.read(job.place) { $0.book.record(job.item.number)?.signed }
        var result: String?
        let date = clock.now()
        if let signed, let url = job.settings.url {
            result = post.deliver(
                signer.compact(signed), to: url,
                within: .milliseconds(job.settings.attemptMilliseconds),
                corruption: job.item.corruption)
        }
        if let result, job.item.attempt != nil {
            let attempt = SendAttempt(attemptDate: date, sendAttemptResult: result)
            ledgers.change(job.place) { $0.book.record(attempt, of: job.item.number) }
        }
        finish(job, result, date)
    }

    private func finish(_ job: Job, _ result: String?, _ date: Int64) {
        state.withLock { state in
            state.inFlight -= 1
            // In place: a copy of the lane would copy all that waits in it.
            guard state.lanes[job.place] != nil else { return }
            state.lanes[job.place]?.inFlight -= 1
            var isOver = result == nil || result == SendAttempt.success
            if !isOver {
                let isPlanned = state.lanes[job.place]?.retry(
                    job.item, after: date, in: job.place.environment)
                isOver = isPlanned != true
            }
            if isOver, job.item.attempt != nil { state.added = max(0, state.added - 1) }
        }
        start()
    }

    /// Lives while something waits for the clock, or for others to change places with.
    private func look() {
        var quiet = 0
        var last = -1
        while true {
            let pause = DispatchTimeInterval.milliseconds(NotificationSender.lookMilliseconds)
            _ = wake.wait(timeout: .now() + pause)
            let now = clock.now()
            let isOver = state.withLock { state -> Bool in
                for place in state.places { state.lanes[place]?.takeDue(now) }
                quiet = state.added == last ? quiet + 1 : 0
                last = state.added
                if quiet > 10 {
                    for place in state.places { state.lanes[place]?.releaseHeld() }
                }
                let isNeeded = state.lanes.values.contains { $0.hasRetries || $0.isHolding }
                if state.isCeasing || !isNeeded { state.hasLook = false }
                return !state.hasLook
            }
            start()
            if isOver { return }
        }
    }
}
