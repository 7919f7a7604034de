// /v1/tenant: the agency itself.

enum Tenants {
    static let operations: [Operation] = []
}
