internal import Dispatch
internal import Synchronization

/// A bounded set of connections, lent one borrower at a time, from any thread.
///
/// It heals by itself: a connection that died while idle is seen by one `poll(2)` at the next
/// borrow and replaced; one that fails in use is closed on return. Nothing needs restarting when
/// the server does.
///
/// A connection is lent again only if it is idle (no open transaction), nothing on it timed out
/// or failed half-way, and none of `PoolSettings.localSettings` is set. After a transaction that
/// last question rides on the `COMMIT`, in every build; after `withConnection`, which is for
/// single statements, it would cost a round trip, so only debug builds ask.
package final class Pool: Sendable {
    /// Borrowers waiting at once; more are refused at once, since they could only time out.
    package static let waitersLimit = 1_000

    private let settings: PoolSettings
    private let state = Mutex(PoolState())
    private let leaks = LeakCounter()
    private let check: SessionCheck

    /// Does not connect; see `warmUp()`. Throws `badURL` for a URL that cannot be read.
    package init(_ settings: PoolSettings) throws(PostgresError) {
        try ConnectionParameters.check(url: settings.url)
        check = try SessionCheck(settings: settings.localSettings, leaks: leaks)
        self.settings = settings
    }

    /// Lends a connection to `body`, for single statements. Throws what `body` throws, and
    /// `poolExhausted`, `connectFailed`, `deadlineExceeded` or `closed` before it is called.
    package func withConnection<R>(_ body: (Connection) throws -> R) throws -> R {
        let connection = try acquire()
        defer { giveBack(connection) }
        #if DEBUG
            defer { askBetweenTransactions(connection) }
        #endif
        return try body(connection)
    }

    /// Lends a connection to `body` inside a transaction, which is committed when `body` returns
    /// and rolled back when it throws. If the connection is lost in `COMMIT` itself, the message
    /// says that the outcome is unknown.
    package func transaction<R>(_ body: (Connection) throws -> R) throws -> R {
        try transaction(opening: []) { connection, _ in try body(connection) }
    }

    /// The same, with statements that go out together with the `BEGIN`: no round trip of their
    /// own. The body gets the rows of each.
    package func transaction<R>(
        opening: [Query], _ body: (Connection, [Rows]) throws -> R
    ) throws -> R {
        let connection = try acquire()
        defer { giveBack(connection) }
        return try Transaction(connection: connection, check: check).run(opening: opening, body)
    }

    /// Opens all connections now, so that no request has to wait for one.
    package func warmUp() throws {
        var opened: [Connection] = []
        defer { for connection in opened { giveBack(connection) } }
        for _ in 0..<settings.maximumConnections { opened.append(try acquire()) }
    }

    /// Closes idle connections now and lent ones when they come back. Waiting borrowers and later
    /// ones get `closed`.
    package func close() {
        let (idle, waiters) = state.withLock { state in state.close() }
        for slot in idle { slot.connection.close() }
        for waiter in waiters { waiter.semaphore.signal() }
    }

    /// Counts since the pool was made.
    package var counts: PoolCounts {
        state.withLock { state in
            PoolCounts(
                open: state.open, idle: state.idle.count, opened: state.opened,
                closed: state.closed, leakedSettings: leaks.value)
        }
    }

    // MARK: - lending

    private func acquire() throws(PostgresError) -> Connection {
        switch try grant() {
        case .connect: return try connect()
        case .idle(let slot):
            if slot.connection.isAlive { return slot.connection }
            slot.connection.close()
            return try acquireReplacing()
        }
    }

    /// The permit of a dead connection passes to the next idle one, or to a new connection.
    private func acquireReplacing() throws(PostgresError) -> Connection {
        while let slot = state.withLock({ state in state.exchangeDead() }) {
            if slot.connection.isAlive { return slot.connection }
            slot.connection.close()
        }
        return try connect()
    }

    private func connect() throws(PostgresError) -> Connection {
        do {
            let connection = try Connection(settings)
            state.withLock { state in state.opened += 1 }
            return connection
        } catch {
            // Whoever waits next may try; the server may be back by then.
            passOn(nil)
            throw error
        }
    }

    private func grant() throws(PostgresError) -> PoolGrant {
        let waiter = PoolWaiter()
        let now = state.withLock { state in
            state.request(waiter, maximum: settings.maximumConnections)
        }
        switch now {
        case .granted(let grant): return grant
        case .closed: throw closedError
        case .refused: throw exhaustedError
        case .wait: break
        }
        let timeout = Deadline(after: settings.acquireTimeout).dispatchTime
        _ = waiter.semaphore.wait(timeout: timeout)
        return try collect(waiter)
    }

    /// The grant may have come in the very moment the wait ended: then it counts.
    private func collect(_ waiter: PoolWaiter) throws(PostgresError) -> PoolGrant {
        let (grant, isClosed) = state.withLock { state in
            (state.collect(waiter), state.isClosed)
        }
        if let grant { return grant }
        throw isClosed ? closedError : exhaustedError
    }

    private func giveBack(_ connection: Connection) {
        guard connection.isUsable, connection.isIdle else {
            connection.close()
            passOn(nil)
            return
        }
        passOn(PoolSlot(connection))
    }

    /// To the longest waiting borrower, or among the idle ones. Nil passes on the right to
    /// connect.
    private func passOn(_ slot: PoolSlot?) {
        let (woken, surplus) = state.withLock { state in state.release(slot) }
        surplus?.connection.close()
        woken?.semaphore.signal()
    }

    private func askBetweenTransactions(_ connection: Connection) {
        guard connection.isUsable, connection.isIdle else { return }
        do { try check.ask(connection) } catch { connection.close() }
    }

    private var closedError: PostgresError {
        PostgresError(.closed, "the pool was closed")
    }

    private var exhaustedError: PostgresError {
        PostgresError(
            .poolExhausted,
            "all \(settings.maximumConnections) connections were in use for "
                + "\(settings.acquireTimeout); find what holds them, or allow more")
    }
}

/// What a pool did so far, for metrics.
package struct PoolCounts: Sendable {
    package let open: Int
    package let idle: Int
    package let opened: Int
    package let closed: Int
    /// Connections closed because a setting that may only be local was left on the session.
    /// Anything but 0 is a bug in the caller.
    package let leakedSettings: Int
}
