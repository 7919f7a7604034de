// The domain in PostgreSQL: one file per group of tables, SQL where it runs.
//
//     Scope ── store.transaction(scope) ──> TenantTransaction ── create… find… publish…
//                                               │ touch(app, environment)
//                                               ▼ before commit, once each
//                                           snapshot n+1
//
// No scope, no rows: every statement names the tenant of its transaction, and the database, whose
// row security is forced, refuses what a statement might forget.

internal import FoundationEssentials
package import Postgres
package import Retention

/// Who is acting, for which tenant. Made only where the right to act was established; each way has
/// its name, so that a search for `Scope.` shows them all.
package struct Scope: Hashable, Sendable {
    package let tenant: TenantID

    private init(tenant: TenantID) {
        self.tenant = tenant
    }

    /// An operator's command that names the tenant.
    package static func operatorCommand(tenant: TenantID) -> Scope {
        Scope(tenant: tenant)
    }

    /// A record that this platform itself spooled after an endpoint token and Apple's signature
    /// had named the tenant.
    package static func spooledRecord(tenant: TenantID) -> Scope {
        Scope(tenant: tenant)
    }
}

/// The right to call the few definer functions that cross tenants: routing and operators' commands.
package struct PlatformScope: Sendable {
    /// The responder's routing: it serves every tenant.
    package static let routing = PlatformScope()

    private init() {}
}

package struct RetentionStore: Sendable {
    package let pool: Pool

    package init(pool: Pool) {
        self.pool = pool
    }

    /// Runs `body` in one transaction of one tenant. Snapshots that it made stale are rebuilt
    /// before the commit, so no reader ever sees a change without its snapshot.
    ///
    /// - Throws: `PostgresError`, `StoreError`, or what `body` throws; nothing is kept then.
    package func transaction<Result>(
        _ scope: Scope, at now: Instant, _ body: (TenantTransaction) throws -> Result
    ) throws -> Result {
        try pool.transaction { connection in
            let transaction = try TenantTransaction(scope, connection: connection, now: now)
            let result = try body(transaction)
            try transaction.buildTouchedSnapshots()
            return result
        }
    }
}

/// A transaction whose tenant is set, for as long as it lasts.
package final class TenantTransaction {
    package let scope: Scope
    /// Business time: bound as a value, never the database's own clock.
    package let now: Instant
    let connection: Connection
    private var touched: Set<AppEnvironment> = []

    fileprivate init(_ scope: Scope, connection: Connection, now: Instant) throws {
        self.scope = scope
        self.connection = connection
        self.now = now
        // Local to the transaction: nothing stays on the connection for its next borrower.
        _ = try connection.query(
            "select set_config('holdfast.tenant_id', \(scope.tenant.uuid.uuidString), true)")
    }

    var tenant: TenantID { scope.tenant }
    var timestamp: Timestamp { Timestamp(milliseconds: now.milliseconds) }

    /// Says that what the snapshot of this app and environment holds has changed.
    func touch(_ key: AppEnvironment) {
        touched.insert(key)
    }

    /// The same for both environments: a change of what they share.
    func touchBoth(_ app: AppID) {
        for environment in StoreEnvironment.allCases {
            touch(AppEnvironment(app: app, environment: environment))
        }
    }

    fileprivate func buildTouchedSnapshots() throws {
        for key in touched.sorted() {
            try buildSnapshot(key)
        }
    }
}

/// What the store itself refuses, beside the database's own constraints.
package struct StoreError: Error, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable {
        case invalid, notFound, snapshotTooLarge
    }

    package let code: Code
    /// What is wrong and what to do about it.
    package let message: String

    package var description: String { "\(code.rawValue): \(message)" }
}
