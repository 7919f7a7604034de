/// One session with the server, lent by a `Pool`. Not for two threads at once, and not to be
/// kept after the pool's closure ends.
package final class Connection {
    let wire: ConnectionWire
    let timeout: Duration
    var statements = StatementRegistry()

    init(_ settings: PoolSettings) throws(PostgresError) {
        wire = try ConnectionWire.connect(
            url: settings.url, applicationName: settings.applicationName,
            timeout: settings.connectTimeout)
        timeout = settings.queryTimeout
    }

    /// Runs one statement and returns its rows.
    ///
    /// The statement is prepared once per connection and text, so a repeated one reuses its plan.
    /// - Parameter limit: instead of the pool's query timeout. On expiry the connection is closed
    ///   and `deadlineExceeded` thrown: whether the statement took effect is then unknown.
    /// - Parameter meanwhile: work for the time in which the server has the statement; its time
    ///   counts as the statement's. Called once it is sent, and so not at all where that fails,
    ///   and twice where it had to be prepared anew.
    package func query(
        _ query: Query, within limit: Duration? = nil, meanwhile: () -> Void = {}
    ) throws(PostgresError) -> Rows {
        try Connection.check(query)
        let mayRetry = wire.handle.isIdle
        let key = StatementRegistry.Key(query)
        do {
            return try run(query, key, limit ?? timeout, meanwhile)
        } catch {
            guard isStale(error) else { throw error }
            try forget(key, because: error, deallocate: mayRetry)
            // Inside a transaction the error has already aborted it: the caller must start anew.
            guard mayRetry else { throw error }
            return try run(query, key, limit ?? timeout, meanwhile)
        }
    }

    /// Runs a text of several statements by the simple protocol: migrations and set-up only, as
    /// nothing can be bound and answers are dropped.
    package func execute(script: String, within limit: Duration? = nil) throws(PostgresError) {
        try execute(script: [UInt8](script.utf8), within: limit)
    }

    package func execute(
        script: [UInt8], within limit: Duration? = nil
    ) throws(PostgresError) {
        guard !script.contains(0) else {
            throw PostgresError(.encoding, "a script cannot hold a NUL character")
        }
        let results = try wire.exchange(within: limit ?? timeout) { $0.sendScript(script) }
        // The server forgot our statements: so must we.
        let tags = results.map(\.commandTag)
        if tags.contains("DISCARD ALL") || tags.contains("DEALLOCATE ALL") {
            statements.removeAll()
        }
        for result in results { try ServerError.check(result) }
    }

    /// As the server counts: 150020 is 15.20.
    package var serverVersion: Int { wire.handle.serverVersion }

    /// The server process of this session, as in `pg_stat_activity`.
    package var backendPID: Int32 { wire.handle.backendPID }

    /// Statements prepared on this connection at the moment.
    package var preparedCount: Int { statements.count }

    package var isInTransaction: Bool { !wire.handle.isIdle }

    // MARK: - for the pool

    /// False once anything failed that leaves the state of the session unknown.
    var isUsable: Bool { wire.broken == nil && wire.handle.isOpen }

    var isIdle: Bool { wire.handle.isIdle }

    /// True inside a transaction that has not failed.
    var isInHealthyTransaction: Bool { wire.handle.isInTransaction }

    /// Costs one `poll(2)`: an idle session has nothing to say but goodbye.
    var isAlive: Bool {
        guard isUsable else { return false }
        guard hasInput(wire.handle.socket) else { return true }
        return wire.handle.consumeInput() && wire.handle.isOpen && !hasInput(wire.handle.socket)
    }

    func close() {
        wire.close(because: PostgresError(.closed, "the connection was closed"))
    }

    /// Runs a script and returns the first cell of its last statement, and its command tags.
    func script(_ text: String) throws(PostgresError) -> (cell: String?, tags: [String]) {
        let bytes = [UInt8](text.utf8)
        let results = try wire.exchange(within: timeout) { $0.sendScript(bytes) }
        for result in results { try ServerError.check(result) }
        guard let last = results.last, last.rowCount > 0, last.columnCount > 0 else {
            return (nil, results.map(\.commandTag))
        }
        return (try last.decode(String?.self, row: 0, column: 0), results.map(\.commandTag))
    }

    // MARK: - statements

    private enum StalePlan {
        /// "cached plan must not change result type": a column changed under the statement.
        static let resultChanged = "0A000"
        /// The server does not know the statement: `DISCARD ALL`, or a proxy in between.
        static let unknown = "26000"
    }

    func isStale(_ error: PostgresError) -> Bool {
        error.sqlState == StalePlan.resultChanged || error.sqlState == StalePlan.unknown
    }

    /// Throws what can be said without asking the server.
    static func check(_ query: Query) throws(PostgresError) {
        if let problem = query.problem { throw problem }
        guard query.parameters.count <= Query.parametersLimit else {
            throw PostgresError(
                .encoding, "a statement can bind \(Query.parametersLimit) values, bind an array")
        }
        guard !query.sql.contains(0) else {
            throw PostgresError(.encoding, "a statement cannot hold a NUL character")
        }
    }

    private func run(
        _ query: Query, _ key: StatementRegistry.Key, _ limit: Duration, _ meanwhile: () -> Void
    ) throws(PostgresError) -> Rows {
        let name: String
        if let known = statements.find(key) { name = known } else { name = try prepare(key, limit) }
        let results = try wire.exchange(within: limit, meanwhile: meanwhile) {
            $0.sendPrepared(name: name, values: query.parameters)
        }
        guard let result = results.last else {
            throw PostgresError(.server, "the server gave no result")
        }
        try ServerError.check(result, values: query.parameters)
        return Rows(result)
    }

    private func prepare(
        _ key: StatementRegistry.Key, _ limit: Duration
    ) throws(PostgresError) -> String {
        try makeRoom(for: 1)
        let name = statements.makeName()
        let results = try wire.exchange(within: limit) {
            $0.sendPrepare(name: name, sql: key.sql, types: key.types)
        }
        for result in results { try ServerError.check(result) }
        statements.insert(key, name: name)
        return name
    }

    /// Gives up the statements used longest ago, until so many fit in.
    func makeRoom(for count: Int) throws(PostgresError) {
        while let old = statements.nameToEvict(before: count) {
            _ = try script("deallocate \(old.name)")
            statements.remove(old.key)
        }
    }

    private func forget(
        _ key: StatementRegistry.Key, because error: PostgresError, deallocate: Bool
    ) throws(PostgresError) {
        guard let name = statements.remove(key) else { return }
        if deallocate && error.sqlState == StalePlan.resultChanged {
            _ = try script("deallocate \(name)")
        }
    }
}
