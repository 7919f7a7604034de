import Foundation
import Service
import Synchronization

/// A subscriber base that lives: it buys, renews, opens pages and follows or leaves what it is
/// shown there, on a clock that runs as fast as it can be played.
///
/// ```
/// due actions ─► clock to the step's end ─► pages opened at the real-time URL ─► mind made up
///      ▲                                                                             │
///      └── cancel, take the offer, switch, renew, come back ◄────────────────────────┘
///                      └─► Subscriptions ─► notifications, waited for
/// ```
final class SubscriberBase: Sendable {
    let plan: SubscriberBasePlan
    let place: AppStoreMemory.Place
    let subscriptions: Subscriptions
    let pages: SubscriptionPages
    let memory: AppStoreMemory
    let clock: Clock
    private let moveClock: @Sendable (Int64) -> Void
    private let isPlaying = Atomic(false)
    private let state: Mutex<State>
    private let latest: Mutex<BaseReport>

    /// One customer's own.
    struct Customer: Sendable {
        var numbers: DrawnNumbers
        var product: Int
        var place: Int
        var isTrial: Bool
        var transactionId = ""
        /// When the next end of a period is looked at.
        var plannedEnd: Int64 = 0
    }

    struct State: Sendable {
        var customers: [Customer] = []
        var queue = ActionQueue()
        var report: BaseReport
    }

    /// For the notifications of one step: a receiver that hangs does not stop the clock for ever.
    private static let stepWait: Duration = .seconds(5)
    static let minute: Int64 = 60_000
    static let day: Int64 = 86_400_000
    private static let monthDays = 30.44
    private static let playLimit = 5 * 366 * day

    init(
        _ plan: SubscriberBasePlan, subscriptions: Subscriptions, pages: SubscriptionPages,
        memory: AppStoreMemory, clock: Clock, moveClock: @escaping @Sendable (Int64) -> Void
    ) {
        self.plan = plan
        place = AppStoreMemory.Place(appAppleId: plan.appAppleId, environment: plan.environment)
        self.subscriptions = subscriptions
        self.pages = pages
        self.memory = memory
        self.clock = clock
        self.moveClock = moveClock
        var state = State(report: BaseReport(playedUntil: plan.start))
        for number in 0..<plan.subscribers {
            let customer = SubscriberBase.customer(number, plan)
            state.customers.append(customer.0)
            state.queue.add(.buy, at: customer.boughtAt, number)
        }
        latest = Mutex(state.report)
        self.state = Mutex(state)
    }

    private static func customer(
        _ number: Int, _ plan: SubscriberBasePlan
    ) -> (Customer, boughtAt: Int64) {
        var numbers = DrawnNumbers(seed: plan.seed)
        numbers = DrawnNumbers(seed: numbers.next() ^ UInt64(number) &* 0xD134_2543_DE82_EF95)
        let product = numbers.choice(plan.products.map(\.share))
        let place = numbers.choice(plan.places.map(\.share))
        let days =
            plan.ageDays.from + (plan.ageDays.to - plan.ageDays.from) * numbers.chance()
        let isTrial = numbers.chance() < plan.trialShare
        return (
            Customer(numbers: numbers, product: product, place: place, isTrial: isTrial),
            plan.start - Int64(days * Double(day))
        )
    }

    var report: BaseReport { latest.withLock { $0 } }

    /// Plays what happens up to that time; the clock is moved where it is behind.
    func play(until end: Int64) throws(ControlError) -> BaseReport {
        guard !isPlaying.exchange(true, ordering: .sequentiallyConsistent) else {
            throw ControlError(.tooMany, "The base is being played already.")
        }
        defer { isPlaying.store(false, ordering: .sequentiallyConsistent) }
        guard MovableClock.times.contains(end),
            end - report.playedUntil <= SubscriberBase.playLimit
        else { throw ControlError(.invalidState, "Play at most five years at a time.") }
        // Pages are opened now. What customers do after them would lie outside of what is played.
        guard clock.now() - end <= SubscriberBase.day else {
            throw ControlError(
                .invalidState,
                "The clock is more than a day ahead of that; begin the base at the clock's time.")
        }
        try state.withLock { state throws(ControlError) in
            let step = Int64(plan.stepMinutes) * SubscriberBase.minute
            if clock.now() < min(plan.start, end) { moveClock(min(plan.start, end)) }
            while let first = state.queue.first, first.at <= end {
                let stepEnd = min(end, max(first.at, plan.start) / step * step + step)
                if clock.now() < stepEnd { moveClock(stepEnd) }
                try play(&state, until: stepEnd)
                _ = subscriptions.sender.waitUntilIdle(within: SubscriberBase.stepWait)
                state.report.playedUntil = stepEnd
                latest.withLock { $0 = state.report }
            }
            if clock.now() < end { moveClock(end) }
            state.report.playedUntil = end
            latest.withLock { $0 = state.report }
        }
        return report
    }

    private func play(_ state: inout State, until end: Int64) throws(ControlError) {
        let seen = openPages(&state, until: end)
        while let first = state.queue.first, first.at <= end {
            guard let action = state.queue.popFirst() else { return }
            var step = Step(action: action, customer: state.customers[action.subscriber])
            if case .view = action.kind {
                follow(seen[action.subscriber], &step, &state)
            } else {
                try perform(&step, &state)
            }
            state.customers[action.subscriber] = step.customer
        }
    }

    struct Step {
        var action: BaseAction
        var customer: Customer
    }

    func plan(
        _ kind: BaseAction.Kind, _ step: Step, at: Int64, _ state: inout State
    ) {
        state.queue.add(kind, at: at, step.action.subscriber)
    }

    /// When something with so much a month comes next; nil for never.
    func wait(_ monthly: Double, _ customer: inout Customer) -> Int64? {
        let draw = customer.numbers.chance()
        guard monthly > 0 else { return nil }
        let rate = -log(1 - min(monthly, 0.999_999)) / SubscriberBase.monthDays
        let days = min(-log(1 - draw) / rate, 36_500)
        return Int64(days * Double(SubscriberBase.day))
    }
}

extension DrawnNumbers {
    /// One place, as often as its share says.
    fileprivate mutating func choice(_ shares: [Double]) -> Int {
        var rest = chance() * shares.reduce(0, +)
        for (index, share) in shares.enumerated() {
            rest -= share
            if rest < 0 { return index }
        }
        return shares.count - 1
    }
}
