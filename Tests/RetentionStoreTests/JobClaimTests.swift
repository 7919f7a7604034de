import FoundationEssentials
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// Jobs are lent one worker at a time, fairly, and only the holder of the lease gets in.
@Suite(.database) struct JobClaimTests {
    private struct Queue {
        let agencies: Agencies
        let gateway: RetentionStore
        let keys: [APIKeyToken]

        init() throws {
            agencies = try Agencies()
            gateway = RetentionStore(pool: agencies.database.gateway)
            keys = try [agencies.first, agencies.second].map { [agencies] agency in
                try agencies.change(agency) {
                    try $0.createAPIKey(
                        NewAPIKey(
                            id: .make(at: Agencies.now), name: "jobs", scopes: [.write(.content)],
                            clients: nil, apps: nil, expiresAt: nil))
                }
            }
        }

        /// Of the first (0) or second (1) agency; later ones wait longer.
        @discardableResult
        func add(_ count: Int, of agency: Int) throws -> [JobID] {
            let app = (agency == 0 ? agencies.first : agencies.second).keys[0].app
            return try gateway.transaction(presenting: keys[agency].hash, at: Agencies.now) {
                transaction, principal in
                try (0..<count).map { _ in
                    let id = JobID.make(at: Agencies.now)
                    try transaction.createJob(
                        id, kind: "x", of: app, input: [1], by: principal.key)
                    return id
                }
            }
        }

        func claim() throws -> JobLease? {
            try gateway.claimJob(.gatewayUpkeep, leaseSeconds: 600)
        }

        func expire() throws {
            try agencies.database.superuser.withConnection {
                try $0.execute(
                    script: """
                        update holdfast.job set leased_until = now() - interval '1 second'
                        where state = 'running'
                        """)
            }
        }

        func enter(_ lease: JobLease) throws -> ClaimedJob {
            try gateway.transaction(holding: lease, at: Agencies.now) { _, job in job }
        }

        func finish(_ lease: JobLease) throws {
            try gateway.transaction(holding: lease, at: Agencies.now) { transaction, job in
                try transaction.finishJob(job.id, report: [], done: 1)
            }
        }

        func lostCode(_ body: () throws -> Void) -> StoreError.Code? {
            do { try body() } catch { return (error as? StoreError)?.code }
            return nil
        }
    }

    @Test func `a job is lent once, and done once`() throws {
        let queue = try Queue()
        let job = try queue.add(1, of: 0)[0]
        let lease = try #require(try queue.claim())
        #expect(lease.job == job)
        #expect(try queue.claim() == nil)
        let claimed = try queue.enter(lease)
        #expect(claimed.principal.key == queue.keys[0].id)
        #expect(claimed.principal.scopes == [.write(.content)])
        try queue.finish(lease)
        #expect(queue.lostCode { try queue.finish(lease) } == .leaseLost)
        #expect(try queue.claim() == nil)
    }

    /// One worker, and an agency with a long queue that came first.
    @Test func `an agency's long queue holds up nobody else's job`() throws {
        let queue = try Queue()
        try queue.add(20, of: 0)
        try queue.add(2, of: 1)
        var served: [TenantID] = []
        for _ in 0..<6 {
            let lease = try #require(try queue.claim())
            served.append(lease.tenant)
            try queue.finish(lease)
        }
        let other = queue.agencies.second.scope.tenant
        #expect(served.filter { $0 == other }.count == 2)
        #expect(served[0...1].contains(other) && served[2...3].contains(other))
    }

    /// Several workers: whoever has the fewest running ones is served first.
    @Test func `running jobs count against their agency`() throws {
        let queue = try Queue()
        try queue.add(5, of: 0)
        let first = [try #require(try queue.claim()), try #require(try queue.claim())]
        #expect(Set(first.map(\.tenant)).count == 1)
        try queue.add(3, of: 1)
        let next = [try #require(try queue.claim()), try #require(try queue.claim())]
        #expect(next.allSatisfy { $0.tenant == queue.agencies.second.scope.tenant })
    }

    @Test func `a lease that ran out is another worker's, and the first one's is stale`() throws {
        let queue = try Queue()
        try queue.add(1, of: 0)
        let first = try #require(try queue.claim())
        try queue.expire()
        let second = try #require(try queue.claim())
        #expect(second.job == first.job && second.token != first.token)
        #expect(queue.lostCode { try queue.finish(first) } == .leaseLost)
        try queue.finish(second)
        let foreign = queue.agencies.second.scope.tenant.uuid
        let entered = try queue.agencies.database.gateway.transaction { connection in
            try connection.query(
                """
                select app_id from holdfast_sec.enter_job(\(foreign), \(second.job.uuid),
                  \(second.token), now())
                """
            ).count
        }
        #expect(entered == 0)
    }

    /// A worker that is late but alive keeps the row; nobody waits for it.
    @Test func `a claim does not wait for a slow worker`() throws {
        let queue = try Queue()
        try queue.add(1, of: 0)
        for _ in 1..<RetentionStore.jobAttemptsLimit {
            _ = try #require(try queue.claim())
            try queue.expire()
        }
        let last = try #require(try queue.claim())
        try queue.expire()
        try queue.gateway.transaction(holding: last, at: Agencies.now) { transaction, job in
            let other = ParallelWork { try queue.claim()?.job }
            #expect(try other.value() == nil)
            try transaction.finishJob(job.id, report: [], done: 1)
        }
    }

    @Test func `what never ends is given up after five attempts`() throws {
        let queue = try Queue()
        let job = try queue.add(1, of: 0)[0]
        for _ in 0..<RetentionStore.jobAttemptsLimit {
            #expect(try queue.claim()?.job == job)
            try queue.expire()
        }
        #expect(try queue.claim() == nil)
        let stored = try queue.agencies.change(queue.agencies.first) { try $0.findJob(job) }
        #expect(stored?.state == .failed)
        let failure = String(decoding: stored?.failure ?? [], as: UTF8.self)
        #expect(failure.contains("gaveUp"))
    }

    @Test func `two workers never get the same job`() throws {
        let queue = try Queue()
        try queue.add(60, of: 0)
        try queue.add(60, of: 1)
        let workers = (0..<4).map { _ in
            ParallelWork {
                var jobs: [JobID] = []
                while let lease = try queue.claim() { jobs.append(lease.job) }
                return jobs
            }
        }
        let jobs = try workers.flatMap { try $0.value() }
        #expect(jobs.count == Set(jobs).count)
        // A worker may find the last ones held by another and go; they are there for the next.
        var rest = 0
        while try queue.claim() != nil { rest += 1 }
        #expect(jobs.count + rest == 120)
    }

    @Test func `a job of a revoked key may do nothing`() throws {
        let queue = try Queue()
        try queue.add(1, of: 0)
        try queue.agencies.change(queue.agencies.first) {
            try $0.revokeAPIKey(queue.keys[0].id)
        }
        let lease = try #require(try queue.claim())
        #expect(try queue.enter(lease).principal.scopes == [])
    }

    /// A key makes jobs in its own name and touches no other's.
    @Test func `a key cannot act through another key's job`() throws {
        let queue = try Queue()
        let job = try queue.add(1, of: 0)[0]
        let other = try queue.agencies.change(queue.agencies.first) {
            try $0.createAPIKey(
                NewAPIKey(
                    id: .make(at: Agencies.now), name: "x", scopes: [.read(.jobs)], clients: nil,
                    apps: nil, expiresAt: nil))
        }
        let app = queue.agencies.first.keys[0].app
        try queue.gateway.transaction(presenting: other.hash, at: Agencies.now) { transaction, _ in
            let seen = try transaction.findJob(job)
            #expect(seen?.id == job)
            let code = queue.lostCode { try transaction.finishJob(job, report: [], done: 0) }
            #expect(code == .leaseLost)
        }
        let error = #expect(throws: PostgresError.self) {
            try queue.gateway.transaction(presenting: other.hash, at: Agencies.now) {
                transaction, _ in
                try transaction.createJob(
                    .make(at: Agencies.now), kind: "x", of: app, input: [], by: queue.keys[0].id)
            }
        }
        #expect(error?.sqlState == "42501")
    }
}
