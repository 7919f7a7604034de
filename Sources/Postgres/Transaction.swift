/// One transaction: `BEGIN`, the caller's work, `COMMIT`, or `ROLLBACK` if the work threw.
///
/// Two traps are closed. `COMMIT` of a failed transaction "succeeds" as a rollback, so it is not
/// sent: work that swallowed an error gets `transactionAborted`. And a body that ended the
/// transaction itself gets the same, since whatever came after was not in it.
struct Transaction {
    let connection: Connection
    /// Sent in the same message as `COMMIT` or `ROLLBACK`, so it costs no round trip.
    let check: SessionCheck

    /// - Parameter opening: statements that go out with the `BEGIN`, in one round trip; the body
    ///   gets their rows.
    func run<R>(
        opening: [Query] = [], _ body: (Connection, [Rows]) throws -> R
    ) throws -> R {
        guard connection.isIdle else {
            throw PostgresError(.transactionAborted, "a transaction is already open; use that one")
        }
        let result: R
        do {
            let opened = try begin(opening)
            result = try body(connection, opened)
            try requireHealthy()
        } catch {
            rollBack()
            throw error
        }
        try commit()
        return result
    }

    private func begin(_ opening: [Query]) throws(PostgresError) -> [Rows] {
        guard !opening.isEmpty else {
            _ = try connection.script("begin")
            return []
        }
        return Array(try connection.pipeline(["begin"] + opening).dropFirst())
    }

    private func requireHealthy() throws(PostgresError) {
        guard connection.isUsable else {
            throw PostgresError(.connectionLost, "the connection ended inside the transaction")
        }
        guard connection.isInHealthyTransaction else {
            throw PostgresError(
                .transactionAborted,
                "an error inside the transaction was not passed on, or the transaction was ended "
                    + "inside; nothing was committed here")
        }
    }

    private func commit() throws {
        let answer: (cell: String?, tags: [String])
        do {
            answer = try connection.script("commit" + check.suffix)
        } catch {
            // A deferred constraint speaks up here; the server has rolled back then.
            guard error.code == .connectionLost || error.code == .deadlineExceeded else {
                throw error
            }
            throw error.prefixed("whether the transaction was committed is unknown")
        }
        check.judge(answer.cell, connection)
        guard answer.tags.first == "COMMIT" else {
            throw PostgresError(.transactionAborted, "the server rolled the transaction back")
        }
    }

    /// A rollback that fails leaves a connection that is not idle; the pool closes it.
    private func rollBack() {
        guard connection.isUsable, !connection.isIdle else { return }
        do {
            check.judge(try connection.script("rollback" + check.suffix).cell, connection)
        } catch {
            connection.close()
        }
    }
}
