package import Postgres

/// Why this build does not start on the database's schema.
package struct SchemaRefusal: Error, CustomStringConvertible {
    package let description: String

    /// `nil` for a schema that can be used: the current one, or a newer one, since migrations go
    /// first when a release is rolled out.
    package init?(_ status: SchemaStatus) {
        switch status {
        case .current, .ahead:
            return nil
        case .behind(let missing):
            description =
                "the schema is older than this build (missing \(missing.joined(separator: ", "))); "
                + "run holdfast migrate"
        case .changed(let name):
            description =
                "migration \(name) in the database is not this build's; is this the right database?"
        }
    }
}
