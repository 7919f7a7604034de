internal import Dispatch
internal import Synchronization

/// A connection on its way between two borrowers.
@safe struct PoolSlot: Sendable {
    // Only one side holds a slot at a time: the pool's lock hands it over.
    nonisolated(unsafe) private let lent: Connection

    init(_ connection: Connection) { unsafe lent = connection }

    var connection: Connection { unsafe lent }
}

/// What a borrower gets: a connection, or the right to open one.
enum PoolGrant: Sendable {
    case idle(PoolSlot)
    case connect
}

final class PoolWaiter: Sendable {
    let semaphore = DispatchSemaphore(value: 0)
    fileprivate let grant = Mutex<PoolGrant?>(nil)
}

/// The pool's books, always used under its lock.
struct PoolState: Sendable {
    enum Answer {
        case granted(PoolGrant)
        case wait
        case refused
        case closed
    }

    /// Last in, first out: the connection used last has the warmest caches.
    private(set) var idle: [PoolSlot] = []
    private var waiters: [PoolWaiter] = []
    /// Connections open or being opened.
    private(set) var open = 0
    private(set) var isClosed = false
    var opened = 0
    private(set) var closed = 0

    mutating func request(_ waiter: PoolWaiter, maximum: Int) -> Answer {
        if isClosed { return .closed }
        if let slot = idle.popLast() { return .granted(.idle(slot)) }
        if open < maximum {
            open += 1
            return .granted(.connect)
        }
        guard waiters.count < Pool.waitersLimit else { return .refused }
        waiters.append(waiter)
        return .wait
    }

    /// After the wait: the grant, or nil and the waiter is out of the queue.
    mutating func collect(_ waiter: PoolWaiter) -> PoolGrant? {
        waiters.removeAll { $0 === waiter }
        return waiter.grant.withLock { $0 }
    }

    /// A borrowed connection was found dead: another idle one, if there is one, takes its place.
    mutating func exchangeDead() -> PoolSlot? {
        closed += 1
        guard let slot = idle.popLast() else { return nil }
        open -= 1
        return slot
    }

    /// Takes back a connection (nil: it was closed, its place is free). Returns who is to be
    /// woken, and a connection to close.
    mutating func release(_ slot: PoolSlot?) -> (PoolWaiter?, PoolSlot?) {
        if slot == nil { closed += 1 }
        guard !isClosed else {
            open -= 1
            return (nil, slot)
        }
        if let waiter = waiters.first {
            waiters.removeFirst()
            waiter.grant.withLock { $0 = slot.map { .idle($0) } ?? .connect }
            return (waiter, nil)
        }
        if let slot { idle.append(slot) } else { open -= 1 }
        return (nil, nil)
    }

    mutating func close() -> ([PoolSlot], [PoolWaiter]) {
        isClosed = true
        defer {
            open -= idle.count
            idle = []
            waiters = []
        }
        return (idle, waiters)
    }
}

final class LeakCounter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    func increment() { count.add(1, ordering: .relaxed) }
}

extension Deadline {
    /// The same moment for a semaphore, which counts on the monotonic clock too.
    var dispatchTime: DispatchTime {
        .now() + .milliseconds(Int(pollMilliseconds))
    }
}
