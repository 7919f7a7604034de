import FoundationEssentials
import Retention

extension SyncSimulation {
    /// One commit or one call of a worker, with whatever happens to its process before.
    func step(_ index: Int) {
        if workers[index].isDown {
            workers[index].isDown = false
            workers[index].step = .idle
            return
        }
        if now < calmFrom, interrupt(index) { return }
        switch workers[index].step {
        case .idle: claim(index)
        case .plan: makePlan(index)
        case .begin(let operation): begin(index, operation)
        case .send(let operation, let startedAt): send(index, operation, startedAt)
        case .conclude(let operation, let startedAt, let delivery):
            conclude(index, operation, startedAt, delivery)
        }
    }

    /// A crash, or a process that stands still for longer than its lease.
    private func interrupt(_ index: Int) -> Bool {
        if random.happens(profile.crashes) {
            switch workers[index].step {
            case .idle: return false
            case .plan: happenings.note(.crashBeforePlan)
            case .begin: happenings.note(.crashBeforeBegin)
            case .send: happenings.note(.crashBeforeCall)
            case .conclude: happenings.note(.crashBeforeConclude)
            }
            record("worker \(index) crashes before \(workers[index].step)")
            workers[index].isDown = true
            workers[index].wakesAt = now + random.milliseconds(1_000...60_000)
            return true
        }
        if case .idle = workers[index].step { return false }
        guard random.happens(profile.freezes) else { return false }
        happenings.note(.froze)
        record("worker \(index) stands still before \(workers[index].step)")
        workers[index].wakesAt = now + random.milliseconds(1_000...300_000)
        return true
    }

    private func go(_ index: Int, _ step: Worker.Step, after milliseconds: Int64) {
        workers[index].step = step
        workers[index].wakesAt = now + milliseconds
    }

    private func claim(_ index: Int) {
        guard store.dueAt <= now, store.leasedUntil <= now else { return }
        store.token += 1
        store.leasedUntil = now + SimulatedStore.leaseMilliseconds
        workers[index].token = store.token
        workers[index].leasedUntil = store.leasedUntil
        workers[index].calls = 0
        go(index, .plan, after: 1 + Int64(random.below(20)))
    }

    /// A commit under the worker's token; `false` where another holds the lease by now.
    private func fence(_ index: Int) -> Bool {
        let token = workers[index].token
        guard workings.leaseHolds(token, store.token) else {
            happenings.note(.staleCommitRefused)
            record("worker \(index) is refused its commit")
            go(index, .idle, after: 0)
            return false
        }
        checker.committed(token: token, newest: store.token)
        store.leasedUntil = now + SimulatedStore.leaseMilliseconds
        workers[index].leasedUntil = store.leasedUntil
        return true
    }

    private func makePlan(_ index: Int) {
        guard fence(index) else { return }
        let desired = store.desired()
        let plan = plan(
            desired: desired, observed: store.observed, limits: profile.limits,
            policy: workings.policy, now: Instant(milliseconds: now))
        for step in plan.steps {
            if step.wait == .acknowledgement { happenings.note(.acknowledgementAwaited) }
            if step.wait == .room { happenings.note(.roomAwaited) }
        }
        for change in plan.placements {
            record("\(change)")
            if case .stop = change { happenings.note(.servingStopped) }
        }
        store.apply(plan.marks, now: now)
        store.place(plan.placements, now: now)
        checker.planned(desired, plan, store)
        var later = Int64.max
        let next = plan.next { endpoint in
            guard let at = store.permit(endpoint, worker: index, now: now) else { return true }
            later = min(later, at)
            return false
        }
        guard let next else {
            return release(index, dueAt: min(plan.nextLookAt.milliseconds, later))
        }
        go(index, .begin(next.operation), after: 1 + Int64(random.below(10)))
    }

    private func release(_ index: Int, dueAt: Int64) {
        store.leasedUntil = now
        store.dueAt = max(now + 1, dueAt)
        go(index, .idle, after: 0)
    }

    private func begin(_ index: Int, _ operation: SyncOperation) {
        guard fence(index) else { return }
        let begun = workings.begin(store.observed, operation, Instant(milliseconds: now))
        store.apply(begun, now: now)
        go(index, .send(operation, startedAt: now), after: Int64(random.below(3)))
    }

    /// A call must end while its lease holds, else another worker might be at the same.
    private func send(_ index: Int, _ operation: SyncOperation, _ startedAt: Int64) {
        let isLate = now > workers[index].leasedUntil - Self.callDeadline
        // What no process can rule out: to stand still between the look at the clock and the call.
        let isStale = isLate && random.happens(300)
        if isLate, !isStale {
            happenings.note(.abandonedCall)
            return go(index, .idle, after: 0)
        }
        if isStale { happenings.note(.staleCall) }
        let label = label(of: operation)
        checker.sent(operation, label: label, isStale: isStale, self)
        record("worker \(index) sends \(operation)\(isStale ? " late" : "")")
        let (delivery, duration) = call(operation, label: label)
        go(
            index, .conclude(operation, startedAt: startedAt, delivery), after: duration)
    }

    private func label(of operation: SyncOperation) -> Int? {
        switch operation {
        case .uploadImage(let id), .uploadMessage(let id, _): store.labels[id] ?? -1
        default: nil
        }
    }

    private func conclude(
        _ index: Int, _ operation: SyncOperation, _ startedAt: Int64, _ delivery: Delivery
    ) {
        guard fence(index) else { return }
        let outcome: AppleOutcome
        var content: AppleContentRead?
        switch delivery {
        case .answered(let reply):
            outcome = workings.classify(operation.endpoint, reply, Instant(milliseconds: now))
            content = reply.content
        case .unknown(let doubt): outcome = .unknown(doubt)
        case .notSent: outcome = .notSent(.connectFailed)
        }
        record("worker \(index) concludes \(outcome)")
        let concluded = workings.conclude(
            store.observed,
            ConcludedCall(
                operation: operation, outcome: outcome, content: content,
                startedAt: Instant(milliseconds: startedAt)),
            profile.limits, Instant(milliseconds: now))
        store.apply(concluded, now: now)
        checker.recorded(operation, delivery, now: now)
        workers[index].calls += 1
        if workers[index].calls >= Self.callsOfSlice {
            release(index, dueAt: now)
        } else {
            go(index, .plan, after: Int64(random.below(3)))
        }
    }
}
