internal import CPostgres
internal import Glibc

/// Sending and receiving on one `ConnectionHandle`, each wait bounded by a deadline.
///
/// After any failure here the handle is closed: half an answer may be on its way, and nobody
/// may read it as the answer to the next question.
final class ConnectionWire {
    let handle: ConnectionHandle
    /// Why the wire was closed; nil while it can be used.
    private(set) var broken: PostgresError?

    private init(_ handle: ConnectionHandle) {
        self.handle = handle
    }

    /// Resolving a host name is the one wait that libpq does not let us bound: use a socket
    /// folder, an address (`hostaddr=`), or a resolver with a timeout.
    static func connect(
        url: String, applicationName: String, timeout: Duration
    ) throws(PostgresError) -> ConnectionWire {
        try ConnectionParameters.check(url: url)
        let deadline = Deadline(after: timeout)
        let parameters = ConnectionParameters.list(
            url: url, applicationName: applicationName, connectTimeout: timeout)
        guard let handle = ConnectionHandle(starting: parameters) else {
            throw PostgresError(.connectFailed, "there is no memory for a connection")
        }
        var status = handle.isOpen ? PGRES_POLLING_WRITING : PGRES_POLLING_FAILED
        while status != PGRES_POLLING_OK {
            let events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT
            guard status != PGRES_POLLING_FAILED else { throw refused(handle) }
            switch awaitSocket(handle.socket, Int16(events), until: deadline) {
            case .ready: status = handle.connectStep()
            case .failed: throw refused(handle)
            case .expired:
                throw PostgresError(
                    .deadlineExceeded,
                    "PostgreSQL did not accept a connection within \(timeout); see whether the "
                        + "server runs and is not stopped or overloaded")
            }
        }
        guard handle.beNonBlocking() else { throw refused(handle) }
        return ConnectionWire(handle)
    }

    func close(because error: PostgresError) {
        if broken == nil { broken = error }
        handle.close()
    }

    /// Sends what `send` put into libpq's buffer and reads all results.
    ///
    /// - Parameter meanwhile: called once all is sent, before anything is waited for.
    func exchange(
        within timeout: Duration, meanwhile: () -> Void = {}, _ send: (ConnectionHandle) -> Bool
    ) throws(PostgresError) -> [ResultHandle] {
        if let broken { throw broken }
        let deadline = Deadline(after: timeout)
        guard send(handle) else { throw lost() }
        try flush(until: deadline, timeout)
        meanwhile()
        var results: [ResultHandle] = []
        while true {
            try awaitResult(results, until: deadline, timeout)
            guard let result = handle.nextResult() else { break }
            try refuseCopy(result)
            results.append(result)
        }
        if let last = results.last, ServerError.endsConnection(last) { throw lost(after: results) }
        guard handle.isOpen else { throw lost(after: results) }
        return results
    }

    /// Until the next result can be taken without a wait.
    func awaitResult(
        _ before: [ResultHandle], until deadline: Deadline, _ timeout: Duration
    ) throws(PostgresError) {
        while handle.isBusy {
            try wait(for: POLLIN, until: deadline, timeout)
            guard handle.consumeInput() else { throw lost(after: before) }
        }
    }

    /// Reads what the server says unasked; false where nothing came in time, which is no fault.
    func receive(until deadline: Deadline) throws(PostgresError) -> Bool {
        if let broken { throw broken }
        switch awaitSocket(handle.socket, Int16(POLLIN), until: deadline) {
        case .expired: return false
        case .failed: throw lost()
        case .ready:
            guard handle.consumeInput(), handle.isOpen else { throw lost() }
            return true
        }
    }

    /// A full socket may need reading before it takes more: the server may be waiting for us.
    func flush(until deadline: Deadline, _ timeout: Duration) throws(PostgresError) {
        while true {
            switch handle.flush() {
            case .done: return
            case .failed: throw lost()
            case .pending:
                try wait(for: POLLOUT | POLLIN, until: deadline, timeout)
                guard handle.consumeInput() else { throw lost() }
            }
        }
    }

    private func wait(
        for events: Int32, until deadline: Deadline, _ timeout: Duration
    ) throws(PostgresError) {
        switch awaitSocket(handle.socket, Int16(events), until: deadline) {
        case .ready: return
        case .failed: throw lost()
        case .expired:
            let error = PostgresError(
                .deadlineExceeded,
                "PostgreSQL did not answer within \(timeout); the connection was closed")
            close(because: error)
            throw error
        }
    }

    /// `COPY` would leave the connection in a mode where no query is understood.
    func refuseCopy(_ result: ResultHandle) throws(PostgresError) {
        let copying = [PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH]
        guard copying.contains(result.status) else { return }
        let error = PostgresError(.server, "COPY was begun, which this connection does not speak")
        close(because: error)
        throw error
    }

    /// The server's last words say why, if there were any (57P01: an administrator ended it).
    func lost(after results: [ResultHandle] = []) -> PostgresError {
        let state = results.last?.field(holdfast_diag_sqlstate)
        let words = state == nil ? nil : results.last?.field(holdfast_diag_message)
        let error = PostgresError(
            .connectionLost,
            "the connection to PostgreSQL ended"
                + (words.map { ": \($0)" } ?? "; see the server's log, then try again"),
            sqlState: state)
        close(because: error)
        return error
    }

    /// Only what stands after "failed: " is the other side's; before it libpq quotes parts of the
    /// URL, and a URL with a badly encoded password has that password in the wrong part.
    private static func refused(_ handle: ConnectionHandle) -> PostgresError {
        let text = [UInt8](handle.errorText.utf8)
        let begin = Array("connection to server ".utf8)
        let mark = Array("failed: ".utf8)
        var reason = "the address in the database URL cannot be used; check host, port and options"
        let starts = text.indices.first { text[$0...].starts(with: mark) }
        if text.starts(with: begin), let start = starts {
            let tail = text[(start + mark.count)...].split(separator: UInt8(ascii: "\n")).first
            reason = String(decoding: tail ?? [], as: UTF8.self)
        }
        let place = handle.host.utf8.contains(UInt8(ascii: "@")) ? "" : " at \(handle.host)"
        return PostgresError(.connectFailed, "cannot connect to PostgreSQL\(place): \(reason)")
    }
}
