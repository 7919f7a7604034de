// The schema, step by step. A landed file never changes: what comes later is a new file at the end.
package import Postgres

package enum Schema {
    /// Every migration, oldest first. Names begin with a letter, since the embedded resource's name
    /// loses a leading digit.
    package static let migrations: [Migration] = [
        Migration(name: "m0001_tenancy", sql: PackageResources.m0001_tenancy_sql),
        Migration(name: "m0002_apps", sql: PackageResources.m0002_apps_sql),
        Migration(name: "m0003_messages", sql: PackageResources.m0003_messages_sql),
        Migration(name: "m0004_serving", sql: PackageResources.m0004_serving_sql),
        Migration(name: "m0005_decisions", sql: PackageResources.m0005_decisions_sql),
        Migration(name: "m0006_access", sql: PackageResources.m0006_access_sql),
        Migration(name: "m0007_catalog", sql: PackageResources.m0007_catalog_sql),
        Migration(name: "m0008_sync", sql: PackageResources.m0008_sync_sql),
        Migration(name: "m0009_profiles", sql: PackageResources.m0009_profiles_sql),
        Migration(
            name: "m0010_notifications", sql: PackageResources.m0010_notifications_sql),
    ]

    /// How far ahead the monthly partitions of decisions are made. `holdfast migrate` runs with
    /// each release; until a worker makes partitions, two years must see the next one.
    package static let partitionMonthsAhead: Int32 = 24

    /// Lands what is missing, then makes the partitions from the month of `nowMilliseconds` on.
    /// Doing it again changes nothing.
    ///
    /// - Parameters:
    ///   - url: as role `holdfast_migrator`.
    ///   - progress: told one line for each step.
    /// - Throws: `PostgresError`; what landed before stays, the failed step leaves nothing.
    package static func migrate(
        url: String, nowMilliseconds: Int64, progress: (String) -> Void = { _ in }
    ) throws {
        let pool = try Pool(
            PoolSettings(
                url: url, maximumConnections: 1, queryTimeout: Migrator.migrationTimeout,
                applicationName: "holdfast-migrate"))
        defer { pool.close() }
        try pool.withConnection { connection in
            let landed = try Migrator(migrations: migrations).migrate(
                connection, progress: progress)
            let partitions = try makePartitions(connection, from: nowMilliseconds)
            progress("\(landed.count) migrations landed, \(partitions) partitions made")
        }
    }

    /// From the month before: what was signed a minute before midnight may be decided after it.
    private static func makePartitions(
        _ connection: Connection, from nowMilliseconds: Int64
    ) throws -> Int {
        let now = Timestamp(milliseconds: nowMilliseconds)
        return try connection.query(
            """
            select partition from holdfast_ops.make_partitions(
              (\(now) at time zone 'UTC' - interval '1 month')::date,
              \(partitionMonthsAhead + 1)) as partition
            """
        ).count
    }
}
