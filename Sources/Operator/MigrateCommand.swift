internal import Migrations
internal import Postgres
internal import Service

extension Command {
    /// Brings the schema forward: the only thing that ever does.
    static let migrate = Command(
        name: "migrate",
        meaning: "Bring the database's schema to this build's, and make partitions ahead.",
        table: [
            Setting(
                "HOLDFAST_DATABASE_URL",
                "PostgreSQL as role holdfast_migrator: postgresql:///holdfast?host=/run/postgresql"
            )
        ]
    ) { _, reader in
        let url = reader.text("HOLDFAST_DATABASE_URL")
        try reader.finish()
        try Schema.migrate(url: url, nowMilliseconds: Clock.system.now()) {
            StandardStream.output.write("\($0)\n")
        }
        return ExitCode.success
    }
}
