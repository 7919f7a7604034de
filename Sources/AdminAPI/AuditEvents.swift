// /v1/audit-events: who did what.

enum AuditEvents {
    static let operations: [Operation] = []
}
