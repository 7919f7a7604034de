import FoundationEssentials
import Operator
import Postgres
import Retention
import RetentionStore

/// What the isolation tests try on another agency's keys, audit, idempotency records and jobs.
extension IsolationTests {
    /// Of the first agency, made when asked for.
    private struct Access {
        let key = APIKeyID(UUID())
        let job = JobID(UUID())
        let app: AppID
        let client: ClientID

        init(_ agencies: Agencies) throws {
            let tenant = agencies.first.scope.tenant.uuid
            app = agencies.first.keys[0].app
            client = ClientID(
                try agencies.value(
                    "select client_id from holdfast.client where tenant_id = \(tenant)"))
            try agencies.change(agencies.first) { [key, job, app] transaction in
                _ = try transaction.createAPIKey(Self.newKey(key))
                try transaction.createJob(job, kind: "x", of: app, input: [], by: key)
                try transaction.recordAudit(Self.event)
            }
        }

        static func newKey(_ id: APIKeyID, clients: [ClientID]? = nil) -> NewAPIKey {
            NewAPIKey(
                id: id, name: "x", scopes: [.read(.apps)], clients: clients, apps: nil,
                expiresAt: nil)
        }

        static var event: AuditEvent {
            AuditEvent(
                action: "x.y", resourceType: "x", resourceId: "1", app: nil,
                changes: Array("{}".utf8))
        }
    }

    /// Refused.
    func accessAttempts(_ agencies: Agencies) throws -> [Attempt] {
        let access = try Access(agencies)
        let (key, job, client) = (access.key, access.job, access.client)
        let print = [UInt8](repeating: 0, count: 32)
        return [
            (
                "createAPIKey",
                { _ = try $0.createAPIKey(Access.newKey(APIKeyID(UUID()), clients: [client])) }
            ),
            (
                "claimIdempotencyKey",
                { _ = try $0.claimIdempotencyKey("k", of: key, fingerprint: print) }
            ),
            (
                "createJob",
                {
                    try $0.createJob(
                        JobID(UUID()), kind: "x", of: access.app, input: [], by: key)
                }
            ),
            ("getClient", { _ = try $0.getClient(client) }),
            (
                "claimedAgain",
                {
                    let tenant = agencies.first.scope.tenant
                    _ = try $0.claimedAgain(JobLease(tenant: tenant, job: job, token: UUID()))
                }
            ),
            (
                "renewJob",
                { try $0.renewJob(job, leaseSeconds: 60, done: 1, total: nil) }
            ),
            ("giveUpJob", { try $0.giveUpJob(job) }),
            ("finishJob", { try $0.finishJob(job, report: [], done: 1) }),
            ("failJob", { try $0.failJob(job, failure: Array("{}".utf8)) }),
        ]
    }

    /// Does nothing to the first agency.
    func accessAdditions(_ agencies: Agencies) throws -> [Attempt] {
        let access = try Access(agencies)
        let (key, job, client) = (access.key, access.job, access.client)
        let answer = RecordedAnswer(status: 200, headers: Array("{}".utf8), body: [])
        return [
            ("revokeAPIKey", { try $0.revokeAPIKey(key) }),
            ("findAPIKey", { try expectNothing(try $0.findAPIKey(key)) }),
            ("listAPIKeys", { try expectNothing(try $0.listAPIKeys(after: nil, limit: 9).first) }),
            ("updateAPIKey", { try $0.updateAPIKey(key, name: "y", expiresAt: nil) }),
            ("recordAnswer", { try $0.recordAnswer(answer, idempotencyKey: "k", of: key) }),
            ("findJob", { try expectNothing(try $0.findJob(job)) }),
            ("listJobs", { try expectNothing(try $0.listJobs(before: nil, limit: 9).first) }),
            (
                "listAuditEvents",
                {
                    let all = AuditFilter()
                    try expectNothing(try $0.listAuditEvents(all, before: nil, limit: 9).first)
                }
            ),
            ("recordAudit", { try $0.recordAudit(Access.event) }),
            ("tenantQuota", { _ = try $0.tenantQuota() }),
            ("lockUsage", { _ = try $0.lockUsage() }),
            ("listClients", { _ = try $0.listClients(after: nil, limit: 9) }),
            ("updateClient", { try $0.updateClient(Client(id: client, name: "y")) }),
            ("deleteClient", { try $0.deleteClient(client) }),
            (
                "newestSnapshotNumber",
                {
                    _ = try? $0.newestSnapshotNumber(
                        at: AppEnvironment(app: access.app, environment: .sandbox))
                }
            ),
            ("hasApp", { try expectNothing(try $0.hasApp(access.app) ? access.app : nil) }),
        ]
    }

    struct FoundForeign: Error {}

    func expectNothing<T>(_ found: T?) throws {
        if found != nil { throw FoundForeign() }
    }
}
