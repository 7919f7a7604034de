/// How a pool connects and how long anybody waits.
package struct PoolSettings: Sendable {
    /// `postgresql://user@host:5432/database` or `postgresql:///database?host=/folder&user=role`.
    package var url: String
    /// Connections open at once. The sum over all processes must stay below the server's limit.
    package var maximumConnections: Int
    /// How long a borrower waits for a connection before `poolExhausted`.
    package var acquireTimeout: Duration
    package var connectTimeout: Duration
    /// How long one statement may take, seen from here, before its connection is closed. Keep the
    /// role's `statement_timeout` below it, so that a slow statement costs no connection.
    package var queryTimeout: Duration
    /// Shown in `pg_stat_activity`; PostgreSQL cuts it at 63 bytes.
    package var applicationName: String
    /// Settings such as `holdfast.tenant_id` that may only be set with local scope. A connection
    /// that still holds one when it comes back is closed, never lent again. See `Pool`.
    package var localSettings: [String]

    package init(
        url: String, maximumConnections: Int = 4, acquireTimeout: Duration = .seconds(2),
        connectTimeout: Duration = .seconds(2), queryTimeout: Duration = .seconds(5),
        applicationName: String = "holdfast",
        localSettings: [String] = [
            "holdfast.tenant_id", "holdfast.api_key_id", "holdfast.context_mac",
        ]
    ) {
        self.url = url
        self.maximumConnections = maximumConnections
        self.acquireTimeout = acquireTimeout
        self.connectTimeout = connectTimeout
        self.queryTimeout = queryTimeout
        self.applicationName = applicationName
        self.localSettings = localSettings
    }
}
