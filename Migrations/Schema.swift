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
    ]

    /// How far ahead `holdfast migrate` makes the monthly partitions of decisions.
    package static let partitionMonthsAhead = 24
}
