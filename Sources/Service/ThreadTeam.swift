internal import Dispatch
internal import Synchronization

/// Works through lists on a bounded number of threads: what is done blocks in a C library, so a
/// thread each is right, and their number is the bound on calls under way. Lists handed in at the
/// same time are worked through one after the other.
package final class ThreadTeam: Sendable {
    private let threads: Int
    private let turn = DispatchSemaphore(value: 1)

    package init(threads: Int) {
        self.threads = max(threads, 1)
    }

    /// The results in the order of the items.
    package func map<Item: Sendable, Result: Sendable>(
        _ items: [Item], _ body: @escaping @Sendable (Item) -> Result
    ) -> [Result] {
        turn.wait()
        defer { turn.signal() }
        let work = Work<Item, Result>(items)
        let members = DispatchGroup()
        for number in 0..<min(threads, items.count) {
            members.enter()
            let isStarted = NativeThread.start("team \(number)") {
                while let (index, item) = work.next() { work.finish(index, body(item)) }
                members.leave()
            }
            if !isStarted { members.leave() }
        }
        // Where the system gives no thread, the caller's own does what is left.
        while let (index, item) = work.next() { work.finish(index, body(item)) }
        members.wait()
        return work.results
    }

    private final class Work<Item: Sendable, Result: Sendable>: Sendable {
        private struct State: Sendable {
            var next = 0
            var results: [Int: Result] = [:]
        }

        private let items: [Item]
        private let state = Mutex(State())

        init(_ items: [Item]) {
            self.items = items
        }

        func next() -> (Int, Item)? {
            state.withLock { state in
                guard state.next < items.count else { return nil }
                defer { state.next += 1 }
                return (state.next, items[state.next])
            }
        }

        func finish(_ index: Int, _ result: Result) {
            state.withLock { $0.results[index] = result }
        }

        var results: [Result] {
            state.withLock { state in items.indices.compactMap { state.results[$0] } }
        }
    }
}
