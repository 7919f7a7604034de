internal import CPostgres

/// The words of the server made safe to log.
///
/// PostgreSQL quotes values in some messages (`invalid input syntax for type uuid: "…"`) and
/// always in DETAIL. DETAIL, HINT and CONTEXT are dropped; in the message, quoted parts of data
/// errors (class 22) are blanked, and a message that repeats a bound value is replaced.
enum ServerError {
    /// Shorter values ("en", "1") would blank honest messages, and are no secrets.
    static let shortestHiddenValueBytes = 4

    static func make(from result: ResultHandle, values: [Query.Parameter]) -> PostgresError {
        let state = result.field(holdfast_diag_sqlstate)
        let primary = result.field(holdfast_diag_message) ?? "the server gave no reason"
        var error = PostgresError(
            code(state: state), message(primary, state: state, values: values), sqlState: state)
        error.constraint = result.field(holdfast_diag_constraint)
        error.schema = result.field(holdfast_diag_schema)
        error.table = result.field(holdfast_diag_table)
        error.column = result.field(holdfast_diag_column)
        return error
    }

    /// Throws what the server refused the statement for.
    static func check(
        _ result: ResultHandle, values: [Query.Parameter] = []
    ) throws(PostgresError) {
        switch result.status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return
        default: throw make(from: result, values: values)
        }
    }

    /// After FATAL or PANIC the server closes the connection.
    static func endsConnection(_ result: ResultHandle) -> Bool {
        let severity = result.field(holdfast_diag_severity)
        return severity == "FATAL" || severity == "PANIC"
    }

    /// 57014 is the server's `statement_timeout` (or an administrator's cancel).
    private static func code(state: String?) -> PostgresError.Code {
        state == "57014" ? .deadlineExceeded : .server
    }

    private static func message(
        _ primary: String, state: String?, values: [Query.Parameter]
    ) -> String {
        var bytes = [UInt8](primary.utf8)
        if state?.utf8.starts(with: "22".utf8) == true { bytes = withoutQuotes(bytes) }
        for case let value? in values.map(\.bytes)
        where value.count >= shortestHiddenValueBytes && contains(bytes, value) {
            return "the server refused the statement; its message repeats a bound value"
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// From the first double quote to the last: a value may itself hold quotes.
    private static func withoutQuotes(_ bytes: [UInt8]) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        guard let first = bytes.firstIndex(of: quote) else { return bytes }
        let last = bytes.lastIndex(of: quote) ?? first
        return bytes[...first] + Array("…".utf8) + bytes[last...]
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard part.count <= bytes.count else { return false }
        return (0...bytes.count - part.count).contains { start in
            bytes[start..<start + part.count].elementsEqual(part)
        }
    }
}
