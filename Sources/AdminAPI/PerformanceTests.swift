// /v1/apps/{appId}/performance-tests: Apple's test of the sandbox URL, which production needs.
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum PerformanceTests {
    private static let path = "/v1/apps/{appId}/performance-tests"

    static let operations: [Operation] = [
        .list("listPerformanceTests", path, .sync, list),
        .post(
            "createPerformanceTest", path, .sync, body: .optionalJSON, idempotency: .required,
            create),
        .get("getPerformanceTest", "\(path)/{testId}", .sync, get),
    ]

    private static let transactionIdDigits = 1...64

    // MARK: - Shapes

    private static func form(_ test: StoredPerformanceTest) throws -> JSONTree {
        let result = try test.result.map { try JSONTree(trusted: $0) }
        return [
            "id": .id(test.id), "state": .string(test.state.rawValue),
            "originalTransactionId": .string(test.transactionId),
            "requestedBy": .actor(test.requestedBy), "createdAt": .instant(test.createdAt),
            "startedAt": .optional(test.startedAt, JSONTree.instant),
            "finishedAt": .optional(test.finishedAt, JSONTree.instant),
            "ownLoad": try document(test.ownLoad), "config": try document(test.config),
            "result": .optional(result, withoutTarget),
            "failures": .array(failures(of: result)), "failure": try document(test.failure),
            "appleRequestId": .text(test.appleRequestId),
            "polls": .integer(Int64(test.polls)),
            "polledAt": .optional(test.polledAt, JSONTree.instant),
        ]
    }

    private static func document(_ bytes: [UInt8]?) throws -> JSONTree {
        try bytes.map { try JSONTree(trusted: $0) } ?? .null
    }

    /// The URL that was tested has a secret path.
    private static func withoutTarget(_ result: JSONTree) -> JSONTree {
        guard case .object(var members) = result else { return result }
        members["target"] = nil
        return .object(members)
    }

    /// Apple's counts by its words, the most frequent first, with what each means.
    private static func failures(of result: JSONTree?) -> [JSONTree] {
        guard case .object(let counts) = result?["failures"] else { return [] }
        let known = counts.compactMap { word, count -> (SendAttemptResult, Int64)? in
            guard case .integer(let count) = count, count > 0 else { return nil }
            let result = SendAttemptResult(rawValue: word)
            return result == .success ? nil : (result, count)
        }
        return known.sorted { ($1.1, $0.0.rawValue) < ($0.1, $1.0.rawValue) }.map {
            [
                "result": .string($0.0.rawValue), "count": .integer($0.1),
                "detail": .string($0.0.sentence),
            ]
        }
    }

    // MARK: - Handlers

    /// Newest first.
    private static func list(_ call: Call) throws -> Answer {
        let app = try call.app()
        let page = try call.page()
        let rows = try call.transaction.listPerformanceTests(
            of: app, before: try page.identifier(), limit: page.rowsWanted)
        let forms = try rows.map { (id: $0.id.description, form: try form($0)) }
        return call.list(forms, page, keys: { [$0.id] }, form: { $0.form })
    }

    private static func get(_ call: Call) throws -> Answer {
        .report(try form(try found(try call.identifier("testId"), of: try call.app(), call)))
    }

    private static func create(_ call: Call) throws -> Answer {
        let app = try call.app(alone: true)
        let transactionId = try transactionId(call, app)
        if let open = try call.transaction.findOpenPerformanceTest(of: app) {
            throw Problem(
                .performanceTestRunning,
                "\(open.id) is under way, and Apple runs one at a time; wait for its end.")
        }
        let id = PerformanceTestID.make(at: call.now)
        try call.transaction.createPerformanceTest(id, transactionId: transactionId, of: app)
        let test = try form(try found(id, of: app, call))
        try call.audit(
            "performanceTest.create", "performanceTest", id.description, app: app, after: test)
        return .accepted(test, at: "/v1/apps/\(app)/performance-tests/\(id)")
    }

    /// The body's, else the app's.
    private static func transactionId(_ call: Call, _ app: AppID) throws -> String {
        var reader = BodyReader(try call.body())
        let named = reader.optionalText("originalTransactionId", transactionIdDigits)
        if let named, !named.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            reader.note(
                "originalTransactionId", .badFormat,
                "originalTransactionId has digits only: give Apple's, of a sandbox purchase.")
        }
        let isNamed = reader.problems.isEmpty ? named != nil : true
        let known = isNamed ? named : try call.transaction.performanceTestTransactionId(of: app)
        if !isNamed, known == nil {
            reader.note(
                "originalTransactionId", .required,
                "Name the original transaction id of an active sandbox subscription, here or at "
                    + "the app.")
        }
        try reader.finish()
        return known ?? ""
    }

    private static func found(
        _ id: PerformanceTestID, of app: AppID, _ call: Call
    ) throws -> StoredPerformanceTest {
        guard let test = try call.transaction.findPerformanceTest(id, of: app) else {
            throw Problem.notFound
        }
        return test
    }
}
