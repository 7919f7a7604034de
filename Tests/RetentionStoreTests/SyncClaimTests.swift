import FoundationEssentials
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// What is due is lent to one worker at a time, fairly, by the database's clock.
@Suite(.database) struct SyncClaimTests {
    private func keys(_ agency: SampleAgency) -> [AppEnvironment] {
        Set(agency.keys.map(\.app)).sorted { $0.description < $1.description }.flatMap { app in
            StoreEnvironment.allCases.map { AppEnvironment(app: app, environment: $0) }
        }
    }

    private func isExpired(_ workers: SyncWorkers, _ lease: SyncLease) throws -> Bool {
        try becomesTrue {
            try workers.agencies.value(
                """
                select leased_until < clock_timestamp() from holdfast.sync_state
                where tenant_id = \(lease.tenant.uuid) and app_id = \(lease.key.app.uuid)
                  and environment = \(lease.key.environment.rawValue)
                """)
        }
    }

    private func release(
        _ workers: SyncWorkers, _ lease: SyncLease, after wait: Duration = SyncWorkers.hour
    ) throws {
        try workers.work(lease) { transaction, number in
            try transaction.releaseSync(lease, changeNumber: number, after: wait)
        }
    }

    @Test func `what is new is due, and what is not due is lent to nobody`() throws {
        let workers = try SyncWorkers()
        var found: Set<AppEnvironment> = []
        while let lease = try workers.claim() { found.insert(lease.key) }
        #expect(found == Set(keys(workers.agencies.first) + keys(workers.agencies.second)))
        try workers.makeDue([])
        #expect(try workers.claim() == nil)
    }

    /// One worker; the first agency has six that are due all the time.
    @Test func `an agency with much to do delays another by no more than its turn`() throws {
        let workers = try SyncWorkers()
        let (first, second) = (workers.agencies.first, workers.agencies.second)
        try workers.makeDue(keys(first))
        for _ in 0..<3 {
            let lease = try #require(try workers.claim())
            #expect(lease.tenant == first.scope.tenant)
            try release(workers, lease, after: .zero)
        }
        try workers.makeDueToo(second.keys[0], of: second)
        try workers.makeDueToo(second.keys[1], of: second)
        var served: [TenantID] = []
        var ofFirst: [AppEnvironment] = []
        for _ in 0..<8 {
            let lease = try #require(try workers.claim())
            served.append(lease.tenant)
            if lease.tenant == first.scope.tenant { ofFirst.append(lease.key) }
            try release(
                workers, lease,
                after: lease.tenant == first.scope.tenant ? .zero : SyncWorkers.hour)
        }
        let other = second.scope.tenant
        #expect(served[0] == other && served[1] != other && served[2] == other)
        #expect(!served[3...].contains(other))
        // Within the agency, each in its turn.
        #expect(Set(ofFirst).count == 6)
    }

    @Test func `leases count against their agency, and no more than the cap are lent`() throws {
        let workers = try SyncWorkers()
        let (first, second) = (workers.agencies.first, workers.agencies.second)
        try workers.makeDue(keys(first))
        let held = try [workers.claim(perTenant: 2), workers.claim(perTenant: 2)].map {
            try #require($0)
        }
        #expect(try workers.claim(perTenant: 2) == nil)
        for key in keys(second) { try workers.makeDueToo(key, of: second) }
        for _ in 0..<2 {
            #expect(try workers.claim(perTenant: 2)?.tenant == second.scope.tenant)
        }
        #expect(try workers.claim(perTenant: 2) == nil)
        // What is given back, or runs out, makes room.
        try release(workers, held[0])
        #expect(try workers.claim(perTenant: 2)?.tenant == first.scope.tenant)
        try workers.work(held[1], for: SyncWorkers.short) { _, _ in }
        #expect(try isExpired(workers, held[1]))
        #expect(try workers.claim(perTenant: 2)?.tenant == first.scope.tenant)
    }

    @Test func `eight workers never have the same one, nor more than the cap`() throws {
        let workers = try SyncWorkers()
        let all = keys(workers.agencies.first) + keys(workers.agencies.second)
        for cap: Int32 in [1, 4, 100] {
            try workers.superuser(
                "update holdfast.sync_state set leased_until = null, next_run_at = now()")
            let claims = try (0..<8).map { _ in
                ParallelWork { try (0..<3).compactMap { _ in try workers.claim(perTenant: cap) } }
            }.flatMap { try $0.value() }
            #expect(Set(claims).count == claims.count)
            let keys = claims.map { "\($0.tenant) \($0.key)" }
            #expect(Set(keys).count == keys.count)
            #expect(claims.count == min(2 * Int(cap), all.count), "\(cap)")
        }
    }

    /// Whoever holds the row is not waited for, the next one is lent instead.
    @Test func `a claim does not wait for a slow worker`() throws {
        let workers = try SyncWorkers()
        let lease = try workers.lease(workers.production, for: SyncWorkers.short)
        try workers.work(lease, for: SyncWorkers.short) { transaction, number in
            #expect(try isExpired(workers, lease))
            let none = ParallelWork { try workers.claim() }
            #expect(try none.value() == nil)
            try workers.makeDueToo(workers.sandbox)
            let other = ParallelWork { try workers.claim() }
            #expect(try other.value()?.key == workers.sandbox)
        }
    }

    @Test func `a lease that ran out is another worker's, whose token is higher`() throws {
        let workers = try SyncWorkers()
        let first = try workers.lease(workers.production, for: SyncWorkers.short)
        #expect(try isExpired(workers, first))
        let second = try #require(try workers.claim())
        #expect(second.key == first.key && second.token == first.token + 1)
        let before = try workers.agencies.digest(of: first.tenant)
        for _ in 0..<2 {
            let code = workers.code {
                try workers.work(first) { transaction, _ in
                    try transaction.record(
                        [.doubted(at: Agencies.now)], at: first.key, contents: [:],
                        former: ObservedState())
                }
            }
            #expect(code == .leaseLost)
        }
        #expect(workers.code { try release(workers, first) } == .leaseLost)
        #expect(try workers.agencies.digest(of: first.tenant) == before)
        try release(workers, second)
        #expect(workers.code { try release(workers, second) } == .leaseLost)
        #expect(try workers.claim() == nil)
    }

    @Test func `work renews its lease`() throws {
        let workers = try SyncWorkers()
        let lease = try workers.lease(workers.production, for: .seconds(60))
        try workers.work(lease, for: .seconds(1_200)) { _, _ in }
        let seconds: Double = try workers.agencies.value(
            """
            select extract(epoch from leased_until - clock_timestamp())::double precision
            from holdfast.sync_state where tenant_id = \(lease.tenant.uuid)
              and leased_until is not null
            """)
        #expect(seconds > 1_000 && seconds <= 1_200)
    }

    @Test func `a look ends with the time of the next one`() throws {
        let workers = try SyncWorkers()
        let lease = try workers.lease(workers.production)
        try release(workers, lease, after: .milliseconds(1_800_500))
        let due = try workers.due(workers.production)
        #expect(due > 1_700 && due <= 1_800.5)
        #expect(try workers.claim() == nil)
        let soon = try workers.lease(workers.production)
        try release(workers, soon, after: .zero)
        #expect(try workers.claim()?.key == workers.production)
    }

    @Test func `what changes while it is looked at is due at once`() throws {
        let workers = try SyncWorkers()
        let lease = try workers.lease(workers.production)
        let seen = try workers.work(lease) { _, number in number }
        try workers.agencies.change(workers.agencies.first) {
            try $0.addMessageTargets([], at: workers.production)
            try $0.wakeSync(workers.production)
        }
        try workers.work(lease) { transaction, number in
            #expect(number == seen + 1)
            try transaction.releaseSync(lease, changeNumber: seen, after: SyncWorkers.hour)
        }
        #expect(try workers.due(workers.production) <= 0)
        let again = try #require(try workers.claim())
        #expect(again.key == workers.production)
        try release(workers, again)
        #expect(try workers.due(workers.production) > 3_000)
    }

    @Test func `each change counts once, in the places it touches, and makes them due`() throws {
        let workers = try SyncWorkers()
        let (agencies, key) = (workers.agencies, workers.production)
        try workers.makeDue([])
        let before = try [workers.changeNumber(key), workers.changeNumber(workers.sandbox)]
        try agencies.change(agencies.first) { transaction in
            for name in ["a", "b"] {
                try transaction.createProduct(
                    Product(
                        productId: name, subscriptionGroup: "g", period: "P1M", billingPlans: []),
                    of: key.app)
            }
            try transaction.wakeSync(key)
        }
        #expect(try workers.changeNumber(key) == before[0] + 1)
        #expect(try workers.changeNumber(workers.sandbox) == before[1] + 1)
        #expect(try workers.due(key) <= 0)
        #expect(try workers.due(workers.sandbox) <= 0)
        // A message goes to the sandbox first.
        try agencies.change(agencies.first) {
            try $0.createMessage(MessageID(UUID()), name: "n", kind: .text, of: key.app)
        }
        #expect(try workers.changeNumber(key) == before[0] + 1)
        #expect(try workers.changeNumber(workers.sandbox) == before[1] + 2)
        struct Stopped: Error {}
        #expect(throws: Stopped.self) {
            try agencies.change(agencies.first) {
                try $0.wakeSync(key)
                throw Stopped()
            }
        }
        #expect(try workers.changeNumber(key) == before[0] + 1)
    }

    /// Else each answer of Apple's would make the app due again.
    @Test func `what the sync itself changes is no change of what is wanted`() throws {
        let workers = try SyncWorkers()
        let (agencies, key) = (workers.agencies, workers.production)
        let lease = try workers.lease(key)
        let before = try (workers.changeNumber(key), agencies.head(agencies.first, key).number)
        try workers.work(lease) { transaction, _ in
            let state = try transaction.observedState(at: key)
            var object = try #require(
                state.objects.values.first { $0.kind == .message && $0.isApproved })
            object.state = .rejected
            try transaction.record([.object(object)], at: key, contents: [:], former: state)
            try transaction.wakeSync(key)
        }
        #expect(try workers.changeNumber(key) == before.0)
        #expect(try agencies.head(agencies.first, key).number == before.1 + 1)
    }

    /// Each locks what the other one locks too.
    @Test func `changes and the sync never wait for each other in a ring`() throws {
        let workers = try SyncWorkers()
        let (agencies, key) = (workers.agencies, workers.production)
        let lease = try workers.lease(key)
        let edits = (0..<3).map { worker in
            ParallelWork {
                for round in 0..<12 {
                    try agencies.change(agencies.first) { transaction in
                        try transaction.wakeSync(workers.sandbox)
                        try transaction.createProduct(
                            Product(
                                productId: "p\(worker) \(round)", subscriptionGroup: "g",
                                period: "P1M", billingPlans: []), of: key.app)
                    }
                }
            }
        }
        let sync = ParallelWork {
            for round in 0..<24 {
                try workers.work(lease) { transaction, _ in
                    let state = try transaction.observedState(at: key)
                    var object = try #require(
                        state.objects.values.filter { $0.kind == .message }
                            .min { $0.id.uuidString < $1.id.uuidString })
                    object.state = round % 2 == 0 ? .rejected : .approved
                    try transaction.record([.object(object)], at: key, contents: [:], former: state)
                }
            }
        }
        for edit in edits { try edit.value() }
        try sync.value()
    }

    @Test func `the backlog says how many are due and how long the oldest waits`() throws {
        let workers = try SyncWorkers()
        try workers.makeDue([])
        #expect(try workers.store.syncBacklog(.syncUpkeep).due == 0)
        #expect(try workers.store.syncBacklog(.syncUpkeep).oldestSeconds == 0)
        try workers.makeDue([workers.production, workers.sandbox])
        try workers.superuser(
            """
            update holdfast.sync_state set next_run_at = clock_timestamp() - interval '1 hour'
            where tenant_id = \(workers.agencies.first.scope.tenant.uuid)
              and app_id = \(workers.production.app.uuid) and environment = 'Sandbox'
            """)
        let backlog = try workers.store.syncBacklog(.syncUpkeep)
        #expect(backlog.due == 2 && backlog.oldestSeconds >= 3_600)
        _ = try workers.claim()
        #expect(try workers.store.syncBacklog(.syncUpkeep).due == 1)
    }
}
