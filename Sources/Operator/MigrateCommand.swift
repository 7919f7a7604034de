internal import Migrations
internal import Postgres
internal import RetentionStore
internal import Service

extension Command {
    /// Brings the schema forward: the only thing that ever does.
    static let migrate = Command(
        name: "migrate",
        meaning:
            "Bring the database's schema to this build's, make partitions ahead, check grants.",
        table: [
            Setting(
                "HOLDFAST_DATABASE_URL",
                "PostgreSQL: postgresql:///holdfast?host=/run/postgresql&user=holdfast_migrator"
            )
        ]
    ) { _, reader in
        let url = reader.text("HOLDFAST_DATABASE_URL")
        try reader.finish()
        try Schema.migrate(url: url, nowMilliseconds: Clock.system.now()) {
            StandardStream.output.write("\($0)\n")
        }
        let pool = try Pool(PoolSettings(url: url, maximumConnections: 1))
        defer { pool.close() }
        try pool.withConnection { connection in
            try CatalogLint.check(connection, asNewer: false) {
                StandardStream.error.write("\($0)\n")
            }
        }
        return ExitCode.success
    }
}
