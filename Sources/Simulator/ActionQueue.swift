/// What a customer of the base will do, and when.
struct BaseAction: Sendable {
    enum Kind: Sendable {
        case buy
        /// The current period ends: renew, fail to, or expire.
        case periodEnd
        /// The App Store's tries to collect end.
        case retryEnd
        case view
        case refund
        case cancel
        case take(offerType: Int, productId: String?, offerIdentifier: String)
        case switchPlan(productId: String, billingPlanType: String?)
        case comeBack
    }

    /// Milliseconds since 1970.
    var at: Int64
    /// Which customer.
    var subscriber: Int
    var kind: Kind
    /// Of two at one time of one customer, which was planned first.
    var order: Int

    static func comesFirst(_ a: BaseAction, _ b: BaseAction) -> Bool {
        (a.at, a.subscriber, a.order) < (b.at, b.subscriber, b.order)
    }
}

/// Actions by time: a binary heap.
struct ActionQueue: Sendable {
    private var heap: [BaseAction] = []
    private var planned = 0

    var first: BaseAction? { heap.first }

    mutating func add(_ kind: BaseAction.Kind, at: Int64, _ subscriber: Int) {
        planned += 1
        heap.append(BaseAction(at: at, subscriber: subscriber, kind: kind, order: planned))
        var place = heap.count - 1
        while place > 0 {
            let parent = (place - 1) / 2
            guard BaseAction.comesFirst(heap[place], heap[parent]) else { return }
            heap.swapAt(place, parent)
            place = parent
        }
    }

    mutating func popFirst() -> BaseAction? {
        guard let last = heap.popLast() else { return nil }
        guard let first = heap.first else { return last }
        heap[0] = last
        var place = 0
        while true {
            var least = place
            for child in [place * 2 + 1, place * 2 + 2] where child < heap.count {
                if BaseAction.comesFirst(heap[child], heap[least]) { least = child }
            }
            guard least != place else { return first }
            heap.swapAt(place, least)
            place = least
        }
    }

    /// Those up to that time that are of interest, in no order.
    func all(until end: Int64, where isWanted: (BaseAction) -> Bool) -> [BaseAction] {
        var found: [BaseAction] = []
        var places = [0]
        while let place = places.popLast() {
            guard place < heap.count, heap[place].at <= end else { continue }
            if isWanted(heap[place]) { found.append(heap[place]) }
            places += [place * 2 + 1, place * 2 + 2]
        }
        return found
    }
}
