package import Operator

/// A server for one test alone, which may stop and kill it.
package func makeOwnServer() throws -> PrivatePostgres {
    var settings = PrivatePostgres.Settings(roles: try PackageRoot.bytes(of: "deploy/roles.sql"))
    settings.fsync = false
    settings.maximumConnections = 20
    return try PrivatePostgres(settings)
}
