// Table: performance_test. Apple's performance tests of an app's real-time URL, newest first.
internal import FoundationEssentials
internal import Postgres
package import Retention

package enum PerformanceTestState: String, Sendable, CaseIterable {
    case queued, ownLoad, running, passed, failed, notRun

    package var isOpen: Bool { self == .queued || self == .ownLoad || self == .running }
}

package struct StoredPerformanceTest: Sendable {
    package let id: PerformanceTestID
    package let state: PerformanceTestState
    package let transactionId: String
    package let requestedBy: RecordedActor
    package let createdAt: Instant
    package let startedAt: Instant?
    package let finishedAt: Instant?
    /// JSON each, `nil` until known.
    package let ownLoad: [UInt8]?
    package let config: [UInt8]?
    package let result: [UInt8]?
    package let failure: [UInt8]?
    /// As Apple gave it.
    package let appleRequestId: String?
    package let polledAt: Instant?
    package let polls: Int32
}

extension TenantTransaction {
    /// - Throws: a unique constraint's `PostgresError` while another one is under way.
    package func createPerformanceTest(
        _ id: PerformanceTestID, transactionId: String, of app: AppID
    ) throws {
        _ = try connection.query(
            """
            insert into holdfast.performance_test (tenant_id, app_id, test_id, state, requested_by,
              transaction_id, created_at)
            values (\(tenant.uuid), \(app.uuid), \(id.uuid), 'queued',
              \(scope.actor.record), \(transactionId), \(timestamp))
            """)
        try wakeSync(AppEnvironment(app: app, environment: .sandbox))
    }

    /// Newest first; `before` is the last one of the page before.
    package func listPerformanceTests(
        of app: AppID, before: PerformanceTestID?, limit: Int32
    ) throws -> [StoredPerformanceTest] {
        try performanceTests(of: app, before: before, limit: limit)
    }

    package func findPerformanceTest(
        _ id: PerformanceTestID, of app: AppID
    ) throws -> StoredPerformanceTest? {
        try performanceTests(of: app, one: id, limit: 1).first
    }

    /// The one that waits or is under way.
    package func findOpenPerformanceTest(of app: AppID) throws -> StoredPerformanceTest? {
        try performanceTests(of: app, isOpen: true, limit: 1).first
    }

    package func hasPassedPerformanceTest(of app: AppID) throws -> Bool {
        let rows = try connection.query(
            """
            select from holdfast.performance_test
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid) and state = 'passed'
            limit 1
            """)
        return rows.count == 1
    }

    /// With which original transaction id Apple tests the app, where a test names none.
    package func performanceTestTransactionId(of app: AppID) throws -> String? {
        let rows = try connection.query(
            """
            select performance_test_transaction_id from holdfast.app
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
            """)
        return try rows.first?.decode(String?.self, "performance_test_transaction_id")
    }

    /// The config that Apple named last, as JSON.
    package func lastPerformanceTestConfig(of app: AppID) throws -> [UInt8]? {
        let rows = try connection.query(
            """
            select config from holdfast.performance_test
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid) and config is not null
            order by test_id desc
            limit 1
            """)
        return try rows.first?.decode(JSON.self, "config").bytes
    }

    private func performanceTests(
        of app: AppID, one: PerformanceTestID? = nil, before: PerformanceTestID? = nil,
        isOpen: Bool = false, limit: Int32
    ) throws -> [StoredPerformanceTest] {
        let rows = try connection.query(
            """
            select test_id, state, transaction_id, requested_by, created_at, started_at,
              finished_at, own_load, config, result, failure, apple_request_id, polled_at, polls
            from holdfast.performance_test
            where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
              and (\(one?.uuid)::uuid is null or test_id = \(one?.uuid))
              and (\(before?.uuid)::uuid is null or test_id < \(before?.uuid))
              and (not \(isOpen) or state in ('queued', 'ownLoad', 'running'))
            order by test_id desc
            limit \(limit)
            """)
        return try rows.map(StoredPerformanceTest.init(row:))
    }
}

extension StoredPerformanceTest {
    fileprivate init(row: Row) throws {
        id = PerformanceTestID(try row.decode("test_id"))
        guard let state = PerformanceTestState(rawValue: try row.decode("state")) else {
            throw StoreError(code: .invalid, message: "the state of \(id) is not known here")
        }
        self.state = state
        transactionId = try row.decode("transaction_id")
        requestedBy = try row.decodeActor("requested_by")
        createdAt = try row.instant("created_at")
        startedAt = try row.optionalInstant("started_at")
        finishedAt = try row.optionalInstant("finished_at")
        ownLoad = try row.decode(JSON?.self, "own_load")?.bytes
        config = try row.decode(JSON?.self, "config")?.bytes
        result = try row.decode(JSON?.self, "result")?.bytes
        failure = try row.decode(JSON?.self, "failure")?.bytes
        appleRequestId = try row.decode("apple_request_id")
        polledAt = try row.optionalInstant("polled_at")
        polls = try row.decode("polls")
    }
}

/// What became known of a test, by the worker that runs it.
package enum PerformanceTestStep: Sendable {
    /// Our own load begins.
    case ownLoadBegun
    /// JSON of what our own load measured.
    case ownLoadDone([UInt8])
    /// Apple began it.
    case begun(requestId: String, config: [UInt8]?)
    /// Apple could not begin it now; it is asked again.
    case startPutOff
    /// Apple was asked and gave no answer to rely on.
    case pollFailed
    /// Apple was asked and has not finished.
    case polled(result: [UInt8])
    case ended(hasPassed: Bool, result: [UInt8])
    /// It came to no end of Apple's; JSON with `code` and `detail`.
    case notRun(failure: [UInt8])
}

extension TenantTransaction {
    package func record(
        _ step: PerformanceTestStep, of test: PerformanceTestID, app: AppID
    ) throws {
        switch step {
        case .ownLoadBegun:
            _ = try connection.query(
                """
                update holdfast.performance_test
                set state = 'ownLoad', started_at = coalesce(started_at, \(timestamp))
                where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
                  and test_id = \(test.uuid)
                """)
        case .ownLoadDone(let report):
            _ = try connection.query(
                """
                update holdfast.performance_test set own_load = \(JSON(report))
                where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
                  and test_id = \(test.uuid)
                """)
        case .begun(let requestId, let config):
            _ = try connection.query(
                """
                update holdfast.performance_test
                set state = 'running', apple_request_id = \(requestId), config = \(config.map(JSON.init)),
                  polled_at = \(timestamp)
                where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
                  and test_id = \(test.uuid)
                """)
        case .startPutOff, .pollFailed:
            _ = try connection.query(
                """
                update holdfast.performance_test
                set polled_at = \(timestamp),
                  polls = case when state = 'running' then polls + 1 else polls end
                where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
                  and test_id = \(test.uuid)
                """)
        case .polled(let result):
            _ = try connection.query(
                """
                update holdfast.performance_test
                set result = \(JSON(result)), polled_at = \(timestamp), polls = polls + 1
                where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
                  and test_id = \(test.uuid)
                """)
        case .ended(let hasPassed, let result):
            _ = try connection.query(
                """
                update holdfast.performance_test
                set state = \(hasPassed ? "passed" : "failed"), result = \(JSON(result)),
                  polled_at = \(timestamp), polls = polls + 1, finished_at = \(timestamp)
                where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
                  and test_id = \(test.uuid)
                """)
        case .notRun(let failure):
            _ = try connection.query(
                """
                update holdfast.performance_test
                set state = 'notRun', failure = \(JSON(failure)), finished_at = \(timestamp)
                where tenant_id = \(tenant.uuid) and app_id = \(app.uuid)
                  and test_id = \(test.uuid)
                """)
        }
    }
}
