internal import Migrations
internal import Postgres
package import Service

extension RetentionStore {
    /// Between two looks at a database that does not answer.
    package static let retryInterval: Duration = .seconds(1)

    /// Waits until the database answers, its schema is one this build can use, its catalog holds
    /// tenants apart, and `first` went well: how every service begins.
    ///
    /// - Returns: false when asked to stop meanwhile.
    /// - Throws: `SchemaRefusal` for a schema that is older or not ours, `CatalogRefusal` for one
    ///   that does not hold tenants apart.
    package func waitUntilUsable(
        _ runtime: Runtime, first: () throws -> Void = {}
    ) throws -> Bool {
        while true {
            do {
                try checkUsable(runtime.log)
                try first()
                return true
            } catch let error as PostgresError {
                runtime.log.warning("database_unavailable", [("error", .string("\(error)"))])
                if runtime.stop.wait(for: Self.retryInterval) { return false }
            }
        }
    }

    /// One look at what `waitUntilUsable` waits for.
    ///
    /// - Throws: `PostgresError` where the database does not answer, besides the refusals.
    package func checkUsable(_ log: Log) throws {
        let migrator = Migrator(migrations: Schema.migrations)
        let status = try pool.withConnection { try migrator.status($0) }
        if let refusal = SchemaRefusal(status) { throw refusal }
        try pool.withConnection { connection in
            try CatalogLint.check(connection, asNewer: status == .ahead) { finding in
                log.error("catalog_finding", [("advice", .string("\(finding)"))])
            }
        }
    }
}
