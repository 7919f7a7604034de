import FoundationEssentials
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

/// Runs, calls and tests are written down as they happen; what never ended stays open.
@Suite(.database) struct SyncRunTests {
    private static let later = Agencies.now + 5_000

    private func request(_ workers: SyncWorkers) throws -> SyncRunID {
        try workers.agencies.change(workers.agencies.first) {
            try $0.requestSyncRun(.make(at: Agencies.now), at: workers.production)
        }
    }

    private func runs(_ workers: SyncWorkers) throws -> [StoredSyncRun] {
        try workers.agencies.change(workers.agencies.first) {
            try $0.listSyncRuns(at: workers.production, before: nil, limit: 9)
        }
    }

    @Test func `who asks while a run waits is answered by the same run`() throws {
        let workers = try SyncWorkers()
        let key = workers.production
        try workers.makeDue([])
        let first = try request(workers)
        #expect(try workers.due(key) <= 0)
        #expect(try request(workers) == first)
        let lease = try workers.lease(key)
        let begun = try workers.work(lease, at: Self.later) { transaction, _ in
            try transaction.continueSyncRun(at: key)
        }
        #expect(begun?.id == first && begun?.isNew == true)
        // The one under way may have passed what changed since: another waits behind it.
        let second = try request(workers)
        #expect(second != first)
        #expect(try request(workers) == second)
        let continued = try workers.work(lease) { transaction, _ in
            try transaction.continueSyncRun(at: key)
        }
        #expect(continued?.id == first && continued?.isNew == false)
        #expect(try runs(workers).map(\.state) == [.queued, .running])
        let next = try workers.work(lease, at: Self.later) { transaction, _ in
            try transaction.finishSyncRun(first, at: key, result: Array(#"{"a": 1}"#.utf8))
            return try transaction.continueSyncRun(at: key)
        }
        #expect(next?.id == second && next?.isNew == true)
        let stored = try runs(workers)
        #expect(stored.map(\.id) == [second, first])
        #expect(stored.map(\.state) == [.running, .finished])
        #expect(stored[1].createdAt == Agencies.now && stored[1].startedAt == Self.later)
        #expect(stored[1].finishedAt == Self.later && stored[1].trigger == .request)
        #expect(stored[1].requestedBy.kind == "operator")
        #expect(String(decoding: stored[1].result ?? [], as: UTF8.self) == #"{"a": 1}"#)
        let page = try workers.agencies.change(workers.agencies.first) {
            try $0.listSyncRuns(at: key, before: second, limit: 9).map(\.id)
        }
        #expect(page == [first])
    }

    @Test func `a run nobody asked for is the sync's own, and there is one at a time`() throws {
        let workers = try SyncWorkers()
        let key = workers.production
        let lease = try workers.lease(key)
        let run = SyncRunID.make(at: Agencies.now)
        try workers.work(lease) { transaction, _ in
            let open = try transaction.continueSyncRun(at: key)
            #expect(open == nil)
            try transaction.beginSyncRun(run, at: key)
        }
        let error = #expect(throws: PostgresError.self) {
            try workers.work(lease) { transaction, _ in
                try transaction.beginSyncRun(.make(at: Agencies.now), at: key)
            }
        }
        #expect(error?.constraint == "sync_run_open")
        let stored = try #require(
            try workers.agencies.change(workers.agencies.first) {
                try $0.findSyncRun(run, of: key.app)
            })
        #expect(stored.trigger == .schedule && stored.state == .running && stored.key == key)
        #expect(stored.requestedBy.kind == "sync")
    }

    @Test func `requests at the same time join one run`() throws {
        let workers = try SyncWorkers()
        let ids = try (0..<6).map { _ in ParallelWork { try request(workers) } }
            .map { try $0.value() }
        #expect(Set(ids).count == 1)
        #expect(try runs(workers).count == 1)
    }

    private func end(
        _ outcome: AppleOutcome, _ credential: CredentialID?, message: String? = nil
    ) -> AppleCallEnd {
        AppleCallEnd(
            outcome: outcome, status: 200, appleCode: 4_000_001, appleMessage: message,
            credential: credential)
    }

    @Test func `a call is written before it is sent, and what it came to after`() throws {
        let workers = try SyncWorkers()
        let key = workers.production
        let lease = try workers.lease(key)
        let run = SyncRunID.make(at: Agencies.now)
        let (done, lost) = (AppleCallID.make(at: Agencies.now), AppleCallID.make(at: Agencies.now))
        let object = UUID()
        try workers.work(lease) { transaction, _ in
            try transaction.beginSyncRun(run, at: key)
            try transaction.beginAppleCall(
                NewAppleCall(
                    id: done, run: run, endpoint: .configureDefaultMessage, appleId: object,
                    slot: DefaultSlot(productId: "p", locale: "ja"),
                    bodyDigest: [UInt8](repeating: 7, count: 32)), under: lease)
            try transaction.beginAppleCall(
                NewAppleCall(id: lost, run: run, endpoint: .getImageList), under: lease)
        }
        let long = String(repeating: "é", count: 700)
        let sent = "\0" + long
        try workers.work(lease, at: Self.later) { transaction, _ in
            try transaction.finishAppleCall(done, end(.ok, nil, message: sent), at: key)
        }
        let (calls, others) = try workers.agencies.change(workers.agencies.first) {
            (
                try $0.listAppleCalls(at: key, run: run, before: nil, limit: 9),
                try $0.listAppleCalls(at: key, run: .make(at: Agencies.now), before: nil, limit: 9)
            )
        }
        #expect(calls.map(\.id) == [lost, done] && others.isEmpty)
        #expect(calls[0].finishedAt == nil && calls[0].outcome == nil)
        #expect(calls[1].startedAt == Agencies.now && calls[1].finishedAt == Self.later)
        #expect(calls[1].endpoint == "configureDefaultMessage" && calls[1].outcome == "ok")
        #expect(calls[1].appleId == object && calls[1].productId == "p" && calls[1].locale == "ja")
        #expect(calls[1].status == 200 && calls[1].appleCode == 4_000_001)
        // Apple's sentence is kept as far as there is room.
        #expect(calls[1].appleMessage == String(long.prefix(500)))
        let stored = try #require(try runs(workers).first)
        #expect(stored.reads == 1 && stored.writes == 1)
    }

    @Test func `old calls are forgotten, those of the last week never`() throws {
        let workers = try SyncWorkers()
        let key = workers.production
        let lease = try workers.lease(key)
        let (old, new) = (AppleCallID.make(at: Agencies.now), AppleCallID.make(at: Agencies.now))
        let day: Int64 = 86_400_000
        for (id, age) in [(old, 30 * day), (new, day)] {
            try workers.work(lease, at: Agencies.now + -age) { transaction, _ in
                try transaction.beginAppleCall(
                    NewAppleCall(id: id, run: nil, endpoint: .getImageList), under: lease)
            }
        }
        #expect(
            try workers.store.purgeSyncHistory(
                .syncUpkeep, before: Agencies.now + -40 * day, most: 9) == 0)
        #expect(try workers.store.purgeSyncHistory(.syncUpkeep, before: Agencies.now, most: 9) == 1)
        let left = try workers.agencies.change(workers.agencies.first) {
            try $0.listAppleCalls(at: key, run: nil, before: nil, limit: 9)
        }
        #expect(left.map(\.id) == [new])
    }

    private struct Verdict: Equatable {
        let access: String
        let verdict: String?
    }

    @Test func `an answer tells of the key and of the account, whatever was asked`() throws {
        let workers = try SyncWorkers()
        let key = workers.production
        let lease = try workers.lease(key)
        let credential = try #require(
            try workers.agencies.change(workers.agencies.first) {
                try $0.findLiveCredential(of: key.app)
            }
        ).id
        func verdict(_ outcome: AppleOutcome, _ credential: CredentialID?) throws -> Verdict {
            let id = AppleCallID.make(at: Agencies.now)
            try workers.work(lease) { transaction, _ in
                try transaction.beginAppleCall(
                    NewAppleCall(id: id, run: nil, endpoint: .getImageList), under: lease)
                try transaction.finishAppleCall(id, end(outcome, credential), at: key)
            }
            let tenant = lease.tenant.uuid
            return Verdict(
                access: try workers.agencies.value(
                    """
                    select access from holdfast.sync_state where tenant_id = \(tenant)
                      and app_id = \(key.app.uuid) and environment = 'Production'
                    """),
                verdict: try workers.agencies.value(
                    """
                    select max(verdict) from holdfast.credential_check where tenant_id = \(tenant)
                      and app_id = \(key.app.uuid) and environment = 'Production'
                    """))
        }
        // Without Apple's code it may be a proxy's word.
        let silent: [AppleOutcome] = [
            .unknown(.timedOut), .notSent(.tls), .terminal(code: nil), .wait(until: Self.later),
        ]
        for outcome in silent {
            #expect(try verdict(outcome, credential) == Verdict(access: "unknown", verdict: nil))
        }
        #expect(try verdict(.ok, nil) == Verdict(access: "granted", verdict: nil))
        #expect(
            try verdict(.noAccess, credential) == Verdict(access: "none", verdict: "noAccess"))
        // A refused key says nothing of the account.
        #expect(
            try verdict(.keyRefused, credential) == Verdict(access: "none", verdict: "keyRefused"))
        let heard: [AppleOutcome] = [
            .ok, .same, .absent, .full, .notYet(code: 1), .terminal(code: 1),
        ]
        for outcome in heard {
            _ = try verdict(.noAccess, credential)
            #expect(
                try verdict(outcome, credential) == Verdict(access: "granted", verdict: "works"))
            for outcome in silent {
                #expect(
                    try verdict(outcome, credential) == Verdict(access: "granted", verdict: "works")
                )
            }
        }
        // A key that is not the app's is not written down.
        #expect(
            try verdict(.keyRefused, CredentialID(UUID()))
                == Verdict(access: "granted", verdict: "works"))
    }
}

/// A performance test from the wish to its end.
@Suite(.database) struct PerformanceTestTests {
    private struct Desk {
        let workers: SyncWorkers
        let lease: SyncLease
        var app: AppID { lease.key.app }

        init() throws {
            workers = try SyncWorkers()
            lease = try workers.lease(workers.sandbox)
        }

        func create() throws -> PerformanceTestID {
            let id = PerformanceTestID.make(at: Agencies.now)
            try workers.agencies.change(workers.agencies.first) {
                try $0.createPerformanceTest(id, transactionId: "2000000123", of: app)
            }
            return id
        }

        func record(_ step: PerformanceTestStep, _ id: PerformanceTestID, at now: Instant) throws {
            try workers.work(lease, at: now) { transaction, _ in
                try transaction.record(step, of: id, app: app)
            }
        }

        func read<R>(_ body: (TenantTransaction) throws -> R) throws -> R {
            try workers.agencies.change(workers.agencies.first, body)
        }

        func find(_ id: PerformanceTestID) throws -> StoredPerformanceTest {
            try #require(try read { try $0.findPerformanceTest(id, of: app) })
        }
    }

    private func json(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `it goes from queued to passed, with what was measured`() throws {
        let desk = try Desk()
        let (one, two) = (Agencies.now + 1_000, Agencies.now + 2_000)
        try desk.workers.makeDue([])
        let id = try desk.create()
        #expect(try desk.workers.due(desk.workers.sandbox) <= 0)
        #expect(try desk.find(id).state == .queued)
        #expect(try desk.find(id).transactionId == "2000000123")
        try desk.record(.ownLoadBegun, id, at: one)
        try desk.record(.ownLoadBegun, id, at: two)
        #expect(try desk.find(id).state == .ownLoad && desk.find(id).startedAt == one)
        try desk.record(.ownLoadDone(json(#"{"p99": 4}"#)), id, at: two)
        let request = "6f3c"
        try desk.record(.begun(requestId: request, config: json(#"{"n": 1}"#)), id, at: one)
        #expect(try desk.find(id).state == .running && desk.find(id).polls == 0)
        try desk.record(.polled(result: json(#"{"r": "PENDING"}"#)), id, at: two)
        #expect(try desk.find(id).polls == 1 && desk.find(id).polledAt == two)
        #expect(try desk.read { try $0.findOpenPerformanceTest(of: desk.app)?.id } == id)
        #expect(try !desk.read { try $0.hasPassedPerformanceTest(of: desk.app) })
        try desk.record(.ended(hasPassed: true, result: json(#"{"r": "PASS"}"#)), id, at: two)
        let stored = try desk.find(id)
        #expect(stored.state == .passed && stored.finishedAt == two && stored.polls == 2)
        #expect(stored.appleRequestId == request && stored.failure == nil)
        #expect(stored.ownLoad == json(#"{"p99": 4}"#) && stored.result == json(#"{"r": "PASS"}"#))
        #expect(stored.requestedBy.kind == "operator")
        #expect(try desk.read { try $0.findOpenPerformanceTest(of: desk.app)?.id } == nil)
        #expect(try desk.read { try $0.hasPassedPerformanceTest(of: desk.app) })
        #expect(
            try desk.read { try $0.lastPerformanceTestConfig(of: desk.app) } == json(#"{"n": 1}"#))
    }

    @Test func `one is under way at a time, and a later failure takes no pass back`() throws {
        let desk = try Desk()
        let first = try desk.create()
        let error = #expect(throws: PostgresError.self) { try desk.create() }
        #expect(error?.constraint == "performance_test_open")
        try desk.record(.ended(hasPassed: true, result: json("{}")), first, at: Agencies.now)
        let second = try desk.create()
        try desk.record(.notRun(failure: json(#"{"code": "x"}"#)), second, at: Agencies.now)
        #expect(try desk.find(second).failure == json(#"{"code": "x"}"#))
        let third = try desk.create()
        try desk.record(.ended(hasPassed: false, result: json("{}")), third, at: Agencies.now)
        #expect(try desk.find(third).state == .failed)
        #expect(try desk.read { try $0.hasPassedPerformanceTest(of: desk.app) })
        let listed = try desk.read {
            try $0.listPerformanceTests(of: desk.app, before: third, limit: 9).map(\.state)
        }
        #expect(listed == [.notRun, .passed])
        #expect(try desk.read { try $0.lastPerformanceTestConfig(of: desk.app) } == nil)
    }

    /// Two servers' clocks may differ, so that the newest identifier is not the latest wish.
    @Test func `the open one is found whatever its identifier`() throws {
        let desk = try Desk()
        let early = PerformanceTestID.make(at: Agencies.now + -60_000)
        let late = try desk.create()
        try desk.record(.notRun(failure: json("{}")), late, at: Agencies.now)
        try desk.workers.agencies.change(desk.workers.agencies.first) {
            try $0.createPerformanceTest(early, transactionId: "1", of: desk.app)
        }
        #expect(try desk.read { try $0.findOpenPerformanceTest(of: desk.app)?.id } == early)
    }
}
