internal import CPostgres

/// What libpq is told besides the URL. The URL may override the liveness settings; it cannot
/// override the encoding, on which decoding text depends.
///
/// With these a peer that vanished without a word is noticed within about 10 s on an idle
/// connection, and within 2 s once bytes were sent. Query deadlines do not depend on them.
enum ConnectionParameters {
    static let tcpUserTimeoutMilliseconds = 2_000
    static let keepalivesIdleSeconds = 5
    static let keepalivesIntervalSeconds = 2
    static let keepalivesCount = 2

    static func list(
        url: String, applicationName: String, connectTimeout: Duration
    ) -> [(name: String, value: String)] {
        // libpq itself obeys this only in its blocking calls; kept true for whoever reads it.
        let seconds = max(2, connectTimeout.components.seconds)
        return [
            ("application_name", applicationName),
            ("connect_timeout", String(seconds)),
            ("tcp_user_timeout", String(tcpUserTimeoutMilliseconds)),
            ("keepalives", "1"),
            ("keepalives_idle", String(keepalivesIdleSeconds)),
            ("keepalives_interval", String(keepalivesIntervalSeconds)),
            ("keepalives_count", String(keepalivesCount)),
            ("dbname", url),
            ("client_encoding", "UTF8"),
        ]
    }

    /// Refuses early what libpq could not read. libpq's own message quotes the URL, password and
    /// all, so it is not passed on.
    static func check(url: String) throws(PostgresError) {
        let isURL =
            url.utf8.starts(with: "postgresql://".utf8)
            || url.utf8.starts(with: "postgres://".utf8)
        let options = unsafe isURL && !url.utf8.contains(0) ? PQconninfoParse(url, nil) : nil
        guard let options = unsafe options else {
            throw PostgresError(
                .badURL,
                "the database URL cannot be read; write postgresql://user@host:5432/database or "
                    + "postgresql:///database?host=/socket/folder&user=role, and percent-encode "
                    + "special characters")
        }
        unsafe PQconninfoFree(options)
    }
}
