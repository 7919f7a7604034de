// Tables: tenant, client.
internal import Postgres
package import Retention

extension TenantTransaction {
    /// The tenant of this transaction's own scope: a scope can make no other.
    package func createTenant(name: String) throws {
        _ = try connection.query(
            """
            insert into holdfast.tenant (tenant_id, name, created_at)
            values (\(tenant.uuid), \(name), \(timestamp))
            """)
    }

    package func createClient(_ client: Client) throws {
        _ = try connection.query(
            """
            insert into holdfast.client (tenant_id, client_id, name, created_at)
            values (\(tenant.uuid), \(client.id.uuid), \(client.name), \(timestamp))
            """)
    }
}
