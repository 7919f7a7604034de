internal import CPostgres

/// Several statements sent together: one round trip for all, where each by itself would wait for
/// the answer of the one before.
///
///     query  query  query            pipeline
///     ──▶    ──▶    ──▶              ──▶──▶──▶
///       ◀──    ◀──    ◀──                     ◀──◀──◀──
extension Connection {
    /// Statements in one pipeline. Well below what a connection keeps prepared, so that none of a
    /// pipeline's own statements is given up for another of them.
    package static let pipelineLimit = StatementRegistry.statementsLimit / 2

    /// Runs the statements in order and returns the rows of each.
    ///
    /// An error ends it: what follows is not run, and what came before is undone with it, unless
    /// the statements begin and end transactions themselves. After a statement that the server
    /// refused the connection can be used; it is in a failed transaction if one was open. Nothing
    /// is tried again: a statement whose plan is stale is prepared anew the next time.
    ///
    /// - Parameter limit: for all of them together, instead of the pool's query timeout. On expiry
    ///   the connection is closed and `deadlineExceeded` thrown: what took effect is then unknown.
    package func pipeline(
        _ queries: [Query], within limit: Duration? = nil
    ) throws(PostgresError) -> [Rows] {
        guard !queries.isEmpty else { return [] }
        guard queries.count <= Connection.pipelineLimit else {
            throw PostgresError(
                .encoding,
                "a pipeline takes \(Connection.pipelineLimit) statements, send it in parts")
        }
        for query in queries { try Connection.check(query) }
        let steps = try steps(for: queries)
        let results = try wire.pipeline(within: limit ?? timeout, steps.map(\.send))
        return try judge(steps, results)
    }

    /// What one message of a pipeline is for.
    private struct Step {
        let key: StatementRegistry.Key
        let name: String
        /// Nil for the step that prepares the statement.
        let values: [Query.Parameter]?

        var send: (ConnectionHandle) -> Bool {
            { [key, name, values] handle in
                guard let values else {
                    return handle.sendPrepare(name: name, sql: key.sql, types: key.types)
                }
                return handle.sendPrepared(name: name, values: values)
            }
        }
    }

    private func steps(for queries: [Query]) throws(PostgresError) -> [Step] {
        var names: [StatementRegistry.Key: String] = [:]
        var steps: [Step] = []
        for query in queries {
            let key = StatementRegistry.Key(query)
            if names[key] == nil, let known = statements.find(key) { names[key] = known }
            if names[key] == nil {
                names[key] = statements.makeName()
                steps.append(Step(key: key, name: names[key] ?? "", values: nil))
            }
            steps.append(Step(key: key, name: names[key] ?? "", values: query.parameters))
        }
        try makeRoom(for: steps.count { $0.values == nil })
        return steps
    }

    /// One result a step, up to the first that the server refused.
    private func judge(
        _ steps: [Step], _ results: [ResultHandle]
    ) throws(PostgresError) -> [Rows] {
        var rows: [Rows] = []
        for (step, result) in zip(steps, results) {
            do {
                try ServerError.check(result, values: step.values ?? [])
            } catch {
                if isStale(error) { statements.remove(step.key) }
                throw error
            }
            if step.values == nil {
                statements.insert(step.key, name: step.name)
            } else {
                rows.append(Rows(result))
            }
        }
        guard results.count == steps.count else {
            throw PostgresError(.server, "the server gave no result")
        }
        return rows
    }
}

extension ConnectionWire {
    /// Sends all messages and one end, reads one result for each. The deadline is for all of it.
    func pipeline(
        within timeout: Duration, _ sends: [(ConnectionHandle) -> Bool]
    ) throws(PostgresError) -> [ResultHandle] {
        if let broken { throw broken }
        let deadline = Deadline(after: timeout)
        guard handle.enterPipeline() else { throw lost() }
        for send in sends {
            guard send(handle) else { throw lost() }
        }
        guard handle.endPipeline() else { throw lost() }
        try flush(until: deadline, timeout)
        let results = try pipelineResults(until: deadline, timeout)
        guard handle.leavePipeline(), handle.isOpen else { throw lost(after: results) }
        return results
    }

    /// Up to the server's sign that it read the end. A statement's results end with nothing, twice
    /// that is no statement's.
    private func pipelineResults(
        until deadline: Deadline, _ timeout: Duration
    ) throws(PostgresError) -> [ResultHandle] {
        var results: [ResultHandle] = []
        var wasNothing = false
        while true {
            try awaitResult(results, until: deadline, timeout)
            guard let result = handle.nextResult() else {
                guard handle.isOpen, !wasNothing else { throw lost(after: results) }
                wasNothing = true
                continue
            }
            wasNothing = false
            if result.status == PGRES_PIPELINE_SYNC { return results }
            try refuseCopy(result)
            results.append(result)
            if ServerError.endsConnection(result) { throw lost(after: results) }
        }
    }
}

extension ConnectionHandle {
    func enterPipeline() -> Bool { unsafe PQenterPipelineMode(pointer) == 1 }

    /// Says to the server that all was sent.
    func endPipeline() -> Bool { unsafe PQpipelineSync(pointer) == 1 }

    func leavePipeline() -> Bool { unsafe PQexitPipelineMode(pointer) == 1 }
}
