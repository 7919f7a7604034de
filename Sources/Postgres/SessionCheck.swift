/// Looks whether a session still holds a setting that may only be local to a transaction.
///
/// A tenant's id set for the session would be the next borrower's tenant. The question rides on
/// the message that ends the transaction, so it is asked in every build and costs no round trip.
struct SessionCheck: Sendable {
    private let question: String
    private let leaks: LeakCounter

    init(settings: [String], leaks: LeakCounter) throws(PostgresError) {
        for name in settings where !SessionCheck.isPlainName(name) {
            throw PostgresError(.encoding, "\(name) is no name of a setting; write prefix.name")
        }
        question = settings.isEmpty ? "" : SessionCheck.question(about: settings)
        self.leaks = leaks
    }

    /// To be put behind `commit` or `rollback`.
    var suffix: String { question.isEmpty ? "" : "; \(question)" }

    /// Asks by itself, for work outside a transaction.
    func ask(_ connection: Connection) throws(PostgresError) {
        guard !question.isEmpty else { return }
        judge(try connection.script(question).cell, connection)
    }

    /// Closes the connection if a setting stayed behind.
    func judge(_ cell: String?, _ connection: Connection) {
        guard !question.isEmpty, cell != "" else { return }
        leaks.increment()
        connection.close()
    }

    /// One text of all values: empty if none is set. A setting that was local reads as ''.
    private static func question(about settings: [String]) -> String {
        let values = settings.map { "pg_catalog.current_setting('\($0)', true)" }
        return "select pg_catalog.concat(\(values.joined(separator: ", ")))"
    }

    static func isPlainName(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
            }
    }
}
