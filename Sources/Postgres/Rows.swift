/// The rows of one answer. Keeps the answer's memory while it, or a row of it, lives.
package struct Rows: RandomAccessCollection {
    private let result: ResultHandle

    init(_ result: ResultHandle) {
        self.result = result
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { result.rowCount }
    package subscript(position: Int) -> Row {
        precondition(position >= 0 && position < result.rowCount, "no such row")
        return Row(result: result, index: position)
    }

    /// Rows the statement inserted, updated, deleted or returned.
    package var affected: Int { result.affected }
}

/// One row. Columns are read by name or position, each as an asked-for type.
package struct Row {
    fileprivate let result: ResultHandle
    fileprivate let index: Int

    /// Throws `decoding` if the column is absent, NULL (unless `T` is an Optional) or not a `T`.
    package func decode<T: SQLDecodable>(_ column: String) throws(PostgresError) -> T {
        try decode(T.self, column)
    }

    package func decode<T: SQLDecodable>(
        _ type: T.Type, _ column: String
    ) throws(PostgresError) -> T {
        guard let position = result.index(of: column) else {
            throw PostgresError(.decoding, "the answer has no column \(column)")
        }
        return try decode(type, at: position)
    }

    package func decode<T: SQLDecodable>(
        _ type: T.Type = T.self, at position: Int
    ) throws(PostgresError) -> T {
        guard position >= 0, position < result.columnCount else {
            throw PostgresError(
                .decoding, "the answer has \(result.columnCount) columns, none at \(position)")
        }
        do {
            return try result.decode(type, row: index, column: position)
        } catch {
            throw error.prefixed("column \(result.name(of: position))")
        }
    }
}
