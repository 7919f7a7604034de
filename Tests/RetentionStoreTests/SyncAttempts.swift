import FoundationEssentials
import Operator
import Postgres
import Retention
import RetentionStore
import TestSupport

/// What the isolation tests try on what another agency wants at Apple, has there, and did there.
extension IsolationTests {
    /// Of the first agency.
    struct SyncThings {
        let key: AppEnvironment
        let lease: SyncLease
        let message: MessageID
        let object: UUID
        let run = SyncRunID.make(at: Agencies.now)
        let call = AppleCallID.make(at: Agencies.now)
        let test = PerformanceTestID.make(at: Agencies.now)

        init(_ agencies: Agencies) throws {
            key = agencies.first.keys[0]
            let tenant = agencies.first.scope.tenant
            lease = SyncLease(tenant: tenant, key: key, token: 0)
            message = MessageID(
                try agencies.value(
                    """
                    select message_id from holdfast.message where tenant_id = \(tenant.uuid)
                      and app_id = \(key.app.uuid) and kind = 'text' limit 1
                    """))
            object = try agencies.value(
                """
                select apple_id from holdfast.apple_object where tenant_id = \(tenant.uuid)
                  and app_id = \(key.app.uuid) and environment = \(key.environment.rawValue)
                  and kind = 'message' limit 1
                """)
        }

        /// So that there is something to find.
        func store(in agencies: Agencies) throws {
            try agencies.change(agencies.first) { transaction in
                _ = try transaction.requestSyncRun(run, at: key)
                try transaction.createPerformanceTest(test, transactionId: "1", of: key.app)
            }
            let tenant = agencies.first.scope.tenant.uuid
            _ = try agencies.database.superuser.withConnection { connection in
                _ = try connection.query(
                    """
                    insert into holdfast.apple_call (tenant_id, app_id, environment, call_id,
                      endpoint, lease_token, started_at)
                    values (\(tenant), \(key.app.uuid), \(key.environment.rawValue),
                      \(call.uuid), 'getImageList', 1, now())
                    """)
                _ = try connection.query(
                    """
                    insert into holdfast.call_budget (tenant_id, app_id, environment, endpoint)
                    values (\(tenant), \(key.app.uuid), \(key.environment.rawValue),
                      'getImageList')
                    """)
            }
        }
    }

    /// Refused.
    func syncAttempts(_ agencies: Agencies) throws -> [Attempt] {
        let things = try SyncThings(agencies)
        let key = things.key
        return [
            ("hurrySync", { try $0.hurrySync(things.lease.key.environment) }),
            (
                "releaseSync",
                { try $0.releaseSync(things.lease, changeNumber: 0, after: .seconds(9)) }
            ),
            (
                "takePermit",
                {
                    _ = try $0.takePermit(
                        .getImageList, at: key, of: CallBudget(callsPerHour: 10))
                }
            ),
            ("syncDesire", { _ = try $0.syncDesire(at: key, changeNumber: 0) }),
            ("observedState", { _ = try $0.observedState(at: key) }),
            (
                "change",
                {
                    try $0.change(
                        [.stop(TextPlace(message: things.message, locale: "en-US"))], at: key)
                }
            ),
            ("requestSyncRun", { _ = try $0.requestSyncRun(.make(at: Agencies.now), at: key) }),
            (
                "createPerformanceTest",
                {
                    try $0.createPerformanceTest(
                        .make(at: Agencies.now), transactionId: "1", of: key.app)
                }
            ),
        ] + syncRecordAttempts(things)
    }

    private func syncRecordAttempts(_ things: SyncThings) -> [Attempt] {
        let key = things.key
        let gone = AppleObject(kind: .message, id: things.object, isOurs: true, presence: .gone)
        let call = NewAppleCall(
            id: .make(at: Agencies.now), run: things.run, endpoint: .getImageList)
        let end = AppleCallEnd(
            outcome: .ok, status: 200, appleCode: nil, appleMessage: nil, credential: nil)
        return [
            (
                "record",
                {
                    try $0.record(
                        [.object(gone), .doubted(at: Agencies.now)], at: key, contents: [:],
                        former: ObservedState())
                }
            ),
            (
                "record of a test",
                { try $0.record(.ownLoadBegun, of: things.test, app: key.app) }
            ),
            ("beginSyncRun", { try $0.beginSyncRun(.make(at: Agencies.now), at: key) }),
            (
                "finishSyncRun",
                { try $0.finishSyncRun(things.run, at: key, result: Array("{}".utf8)) }
            ),
            ("beginAppleCall", { try $0.beginAppleCall(call, under: things.lease) }),
            ("finishAppleCall", { try $0.finishAppleCall(things.call, end, at: key) }),
        ]
    }

    /// Finds nothing, and does nothing to the first agency.
    func syncQuestions(_ agencies: Agencies) throws -> [Attempt] {
        let things = try SyncThings(agencies)
        try things.store(in: agencies)
        let key = things.key
        return [
            ("wakeSync", { try $0.wakeSync(key) }),
            ("allowURLReplacement", { try $0.allowURLReplacement(at: key) }),
            ("spokenFor", { try expectNothing(try $0.spokenFor(at: key).first) }),
            (
                "listSyncRuns",
                { try expectNothing(try $0.listSyncRuns(at: key, before: nil, limit: 9).first) }
            ),
            ("findSyncRun", { try expectNothing(try $0.findSyncRun(things.run, of: key.app)) }),
            ("continueSyncRun", { try expectNothing(try $0.continueSyncRun(at: key)) }),
            (
                "listAppleCalls",
                {
                    try expectNothing(
                        try $0.listAppleCalls(at: key, run: nil, before: nil, limit: 9).first)
                }
            ),
        ] + targetQuestions(things) + testQuestions(things)
    }

    private func targetQuestions(_ things: SyncThings) -> [Attempt] {
        let (key, message) = (things.key, things.message)
        return [
            (
                "addMessageTargets",
                { try expectNothing(try $0.addMessageTargets([message], at: key).first) }
            ),
            ("removeMessageTargets", { try $0.removeMessageTargets([message], at: key) }),
            (
                "messageTargets",
                { try expectNothing(try $0.messageTargets(of: key.app, [message]).first) }
            ),
            (
                "promote",
                {
                    let moved = try $0.promote(
                        nil, of: key.app, from: .production, to: .sandbox)
                    try expectNothing(moved.messages.first)
                    try expectNothing(moved.defaults.first)
                }
            ),
        ]
    }

    private func testQuestions(_ things: SyncThings) -> [Attempt] {
        let app = things.key.app
        return [
            (
                "listPerformanceTests",
                {
                    try expectNothing(
                        try $0.listPerformanceTests(of: app, before: nil, limit: 9).first)
                }
            ),
            (
                "findPerformanceTest",
                { try expectNothing(try $0.findPerformanceTest(things.test, of: app)) }
            ),
            (
                "findOpenPerformanceTest",
                { try expectNothing(try $0.findOpenPerformanceTest(of: app)) }
            ),
            (
                "hasPassedPerformanceTest",
                { try expectNothing(try $0.hasPassedPerformanceTest(of: app) ? app : nil) }
            ),
            (
                "lastPerformanceTestConfig",
                { try expectNothing(try $0.lastPerformanceTestConfig(of: app)) }
            ),
        ]
    }
}
