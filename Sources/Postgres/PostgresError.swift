/// Everything that can go wrong with the database, by name.
///
/// The message is a sentence for a person. It never holds the password of the connection URL and
/// never a bound value: errors are logged, and both are secrets.
package struct PostgresError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The connection URL cannot be read; settings are wrong, a retry will not help.
        case badURL
        /// No connection could be made: server down, refused, unknown role or database.
        case connectFailed
        /// The connection ended under a query. Inside `COMMIT` the outcome is unknown.
        case connectionLost
        /// The answer did not come in time: our own deadline (the connection is closed then), or
        /// the server's `statement_timeout` (`sqlState` is 57014 then).
        case deadlineExceeded
        /// All connections of the pool were lent for longer than the acquire timeout.
        case poolExhausted
        /// The server refused the statement: see `sqlState`, `constraint`, `table`.
        case server
        /// A value cannot be sent: NUL in text, a time PostgreSQL cannot hold, too many values.
        case encoding
        /// A column is absent, NULL or of another type than the one asked for.
        case decoding
        /// The pool or connection was closed by its owner.
        case closed
        /// A failed or ended transaction was about to be committed.
        case transactionAborted
        /// Migrations are out of order, changed, or busy elsewhere.
        case migration
    }

    package let code: Code
    package let message: String
    /// The five characters PostgreSQL gives an error, such as `23505`.
    package var sqlState: String?
    package var constraint: String?
    package var schema: String?
    package var table: String?
    package var column: String?

    package init(_ code: Code, _ message: String, sqlState: String? = nil) {
        self.code = code
        self.message = message
        self.sqlState = sqlState
    }

    package var description: String {
        let state = sqlState.map { " [\($0)]" } ?? ""
        let place = constraint.map { " (constraint \($0))" } ?? ""
        return "\(code.rawValue)\(state): \(message)\(place)"
    }

    /// The same error with a sentence in front, for a layer that knows what was being done.
    func prefixed(_ words: String) -> PostgresError {
        var error = PostgresError(code, "\(words): \(message)", sqlState: sqlState)
        error.constraint = constraint
        error.schema = schema
        error.table = table
        error.column = column
        return error
    }
}
