package import Postgres

/// The schema, forward only. The SQL files lie beside this one and are compiled in, so that an
/// executable and the schema it was built for cannot part. A landed file never changes.
package enum Migrations {
    package static let all: [Migration] = [
        Migration(name: "m0001_tenancy", sql: PackageResources.m0001_tenancy_sql)
    ]
}
