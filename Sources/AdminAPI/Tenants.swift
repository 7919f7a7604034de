// /v1/tenant: the agency itself.
internal import Retention
internal import RetentionStore

enum Tenants {
    static let operations: [Operation] = [
        .get("getTenant", "/v1/tenant", .clients, get)
    ]

    // MARK: - Shapes

    private static func form(
        _ tenant: StoredTenant, _ quota: TenantQuota, _ usage: TenantUsage
    ) -> JSONTree {
        [
            "id": .id(tenant.id), "name": .string(tenant.name),
            "createdAt": .instant(tenant.createdAt),
            "quotas": [
                "clients": .integer(Int64(quota.clients)), "apps": .integer(Int64(quota.apps)),
                "apiKeys": .integer(Int64(quota.apiKeys)),
                "requestsPerMinute": .integer(Int64(quota.requestsPerMinute)),
            ],
            "usage": [
                "clients": .integer(usage.clients), "apps": .integer(usage.apps),
                "apiKeys": .integer(usage.apiKeys),
            ],
        ]
    }

    // MARK: - Handlers

    private static func get(_ call: Call) throws -> Answer {
        .resource(
            form(
                try call.transaction.getTenant(), try call.transaction.tenantQuota(),
                try call.transaction.countUsage()))
    }
}
