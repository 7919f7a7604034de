import FoundationEssentials
import Retention

/// One seed: an agency, a database, workers and Apple, in one thread and in made-up time. The same
/// seed has the same history.
///
/// First come hours with faults and edits, then calm. In calm all that is wanted must come about in
/// a bounded time, and after that nothing may be written any more.
final class SyncSimulation {
    struct Worker {
        enum Step {
            case idle
            case plan
            case begin(SyncOperation)
            case send(SyncOperation, startedAt: Int64)
            case conclude(SyncOperation, startedAt: Int64, Delivery)
        }
        var step = Step.idle
        var wakesAt: Int64 = 0
        var token = 0
        var leasedUntil: Int64 = 0
        var calls = 0
        var isDown = false
    }

    enum Delivery {
        case answered(AppleReply)
        case unknown(AppleOutcome.Doubt)
        case notSent
    }

    static let callsOfSlice = 20
    static let callDeadline: Int64 = 20_000
    /// Steps after which a run is taken to go round in circles.
    static let mostSteps = 60_000

    let seed: UInt64
    let profile: Profile
    let workings: Workings
    var random: SplitMix64
    var apple: SimulatedApple
    var store: SimulatedStore
    var checker: Checker
    var workers: [Worker]
    var happenings = Happenings()
    let outages: Outages
    var now: Int64
    let calmFrom: Int64
    /// Weeks of history are only written down for a seed that failed.
    let keepsHistory: Bool
    private(set) var history: [String] = []
    private var acts: [(at: Int64, act: Act)] = []
    private(set) var steps = 0

    enum Act { case agency, others, responder }

    init(seed: UInt64, workings: Workings, keepsHistory: Bool = false) {
        self.seed = seed
        self.workings = workings
        self.keepsHistory = keepsHistory
        var random = SplitMix64(seed: seed)
        let profile = Profile(random: &random)
        self.profile = profile
        let start: Int64 = 1_764_000_000_000 + random.milliseconds(0...3_600_000)
        now = start
        calmFrom = start + profile.hoursOfFaults * 3_600_000
        apple = SimulatedApple(
            profile: profile, random: SplitMix64(seed: random.next()), calmFrom: calmFrom)
        store = SimulatedStore(
            workings: workings, profile: profile,
            wants: Wants(profile: profile, random: SplitMix64(seed: random.next())),
            random: SplitMix64(seed: random.next()))
        store.dueAt = start
        checker = Checker(profile: profile, start: start, calmFrom: calmFrom)
        workers = Array(repeating: Worker(), count: profile.workers)
        outages = Outages(profile: profile, start: start, random: &random)
        self.random = random
        scheduleActs(start)
    }

    private func scheduleActs(_ start: Int64) {
        let span = profile.hoursOfFaults * 3_600_000
        let kinds: [(Act, Int)] = [
            (.agency, profile.edits), (.others, profile.foreignActs),
            (.responder, profile.crashes / 8),
        ]
        for (act, count) in kinds {
            for _ in 0..<count {
                // Half of them close to one another, where the work is.
                let isEarly = random.happens(500)
                acts.append((start + random.milliseconds(0...(isEarly ? span / 8 : span)), act))
            }
        }
        for _ in 0..<profile.foreignObjects { acts.append((start, .others)) }
        acts.sort { $0.at > $1.at }
    }

    func record(_ line: @autoclosure () -> String) {
        if keepsHistory { history.append("\(now - checker.start) \(line())") }
    }

    /// What was wrong first, or nothing.
    func run() -> Complaint? {
        var isCalm = false
        while checker.complaint == nil, !checker.isDone {
            steps += 1
            guard steps < Self.mostSteps else {
                checker.complain(.busy, "after \(steps) steps")
                break
            }
            let next = nextMoment()
            now = max(now, next)
            if !isCalm, now >= calmFrom {
                isCalm = true
                settle()
            }
            apple.advance(to: now)
            store.advanceResponders(to: now)
            while let act = acts.last, act.at <= now {
                acts.removeLast()
                perform(act.act)
            }
            for index in workers.indices where isDue(index) { step(index) }
            if isCalm { checker.judge(self) }
        }
        if checker.complaint != nil { recordEnd() }
        return checker.complaint
    }

    private func recordEnd() {
        let last = plan(
            desired: store.desired(), observed: store.observed, limits: profile.limits,
            policy: workings.policy, now: Instant(milliseconds: now))
        for step in last.steps { record("left: \(step)") }
        for problem in last.problems { record("problem: \(problem)") }
    }

    private func nextMoment() -> Int64 {
        var next = min(store.nextAcknowledgement, acts.last?.at ?? .max)
        if now < calmFrom { next = min(next, calmFrom) }
        for index in workers.indices { next = min(next, wakeMoment(index)) }
        return min(next, checker.nextLook(now))
    }

    private func wakeMoment(_ index: Int) -> Int64 {
        guard case .idle = workers[index].step else { return workers[index].wakesAt }
        // Each has its turn, so that the next slice is often another's.
        let turn = Int64((index + store.token) % workers.count)
        return max(store.dueAt, store.leasedUntil, workers[index].wakesAt) + turn
    }

    private func isDue(_ index: Int) -> Bool { wakeMoment(index) <= now }

    var allHappenings: Happenings {
        var all = happenings
        all.add(apple.happenings)
        all.add(store.happenings)
        all.add(store.wants.happenings)
        return all
    }
}

// MARK: - What others do

extension SyncSimulation {
    private func perform(_ act: Act) {
        record("\(act)")
        switch act {
        case .agency: changeWants()
        case .others: interfere()
        case .responder: store.loseResponder(now: now)
        }
    }

    private func changeWants() {
        switch random.below(12) {
        case 0...3: store.wants.edit()
        case 4: store.wants.addMessage()
        case 5: store.wants.removeMessage()
        case 6: store.wants.setDefault()
        case 7: store.wants.removeDefault()
        case 8: store.wants.changeEndpoint()
        case 9: store.wants.retireEndpoint()
        case 10: store.wants.consent()
        default: resubmit()
        }
        store.dueAt = min(store.dueAt, now)
    }

    /// The agency asks for a rejected text or picture to be made anew.
    private func resubmit() {
        let desired = store.desired()
        let wanted = desired.images.union(desired.texts.map(\.appleId)).sorted()
        let rejected = wanted.compactMap { store.observed.objects[$0] }
            .filter { $0.state == .rejected && $0.isPresent && !$0.isSpent }
        guard var object = random.pick(rejected) else { return }
        object.isSuperseded = true
        store.apply([.object(object)], now: now)
        happenings.note(.resubmitted)
    }

    private func interfere() {
        switch random.below(8) {
        case 0...1: apple.addForeignObject(now: now)
        case 2: apple.removeForeignObject(now: now)
        case 3...4: if let slot = apple.changeDefault() { checker.othersChanged(slot) }
        case 5: apple.changeURL(now: now)
        default: apple.vanish(now: now)
        }
    }

    /// The end of the hours of faults.
    private func settle() {
        store.wants.mendBadContent()
        if random.happens(700) { store.wants.consent() }
        if random.happens(800) {
            store.wants.pass()
            apple.hasPass = true
        }
        store.dueAt = min(store.dueAt, now)
        record("calm")
    }
}
