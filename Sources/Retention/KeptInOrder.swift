/// Values under keys that never change, in the order of the keys, the greatest so many kept. What
/// is dropped is smaller than all that are kept and never comes back, so that the outcome does not
/// depend on the order of insertion, nor on whether parts were filled apart and joined.
struct KeptInOrder<Key: Comparable & Sendable, Value: Sendable>: Sendable {
    let limit: Int
    private(set) var entries: [(key: Key, value: Value)] = []

    init(limit: Int) {
        self.limit = limit
    }

    /// - Parameter joining: of the value that is there already and the new one; in any order and
    ///   however often, it must come to the same.
    mutating func insert(_ value: Value, at key: Key, joining: (Value, Value) -> Value) {
        let place = place(of: key)
        if place < entries.count, entries[place].key == key {
            entries[place].value = joining(entries[place].value, value)
            return
        }
        guard entries.count < limit || place > 0 else { return }
        entries.insert((key, value), at: place)
        if entries.count > limit { entries.removeFirst() }
    }

    mutating func merge(_ other: KeptInOrder, joining: (Value, Value) -> Value) {
        for (key, value) in other.entries { insert(value, at: key, joining: joining) }
    }

    /// Of the first key that is not smaller.
    private func place(of key: Key) -> Int {
        // Facts come mostly in order.
        if let last = entries.last, last.key < key { return entries.count }
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension KeptInOrder: Equatable where Key: Equatable, Value: Equatable {
    static func == (a: KeptInOrder, b: KeptInOrder) -> Bool {
        a.limit == b.limit
            && a.entries.elementsEqual(b.entries) { $0.key == $1.key && $0.value == $1.value }
    }
}

/// Apple's transaction identifiers are decimal numbers: the shorter is the smaller.
struct TransactionOrder: Comparable, Sendable {
    let transactionId: String

    static func < (a: TransactionOrder, b: TransactionOrder) -> Bool {
        let (own, others) = (a.transactionId.utf8, b.transactionId.utf8)
        if own.count != others.count { return own.count < others.count }
        return own.lexicographicallyPrecedes(others)
    }

    static func == (a: TransactionOrder, b: TransactionOrder) -> Bool {
        isSame(a.transactionId, b.transactionId)
    }
}
