import AdminAPI
import Foundation
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

@Suite(.database) struct PerformanceTestTests {
    private let app: ContentApp

    init() throws { app = try ContentApp(try GatewayStage().makeAgency()) }

    private var path: String { "\(app.path)/performance-tests" }

    private func start(_ body: JSONTree? = nil) throws -> TestAnswer {
        try app.agency.post(path, body, key: UUID().uuidString)
    }

    @Test func `a test is of the request's transaction, else of the app's`() throws {
        let nothing = try start()
        #expect(nothing.status == 422)
        #expect(nothing.errors == ["/originalTransactionId required"])
        #expect(try start([:]).errors == ["/originalTransactionId required"])
        for wrong in ["x", "", "1 ", String(repeating: "1", count: 65)] {
            let answer = try start(["originalTransactionId": .string(wrong)])
            #expect(answer.status == 422, "\(wrong)")
            #expect(answer.errors.count == 1)
        }
        try app.superuser(
            "update holdfast.app set performance_test_transaction_id = '2000' where app_id = ",
            app.id.uuid)
        let answer = try start()
        #expect(answer.status == 202, "\(answer.text)")
        #expect(answer.json["originalTransactionId"] == "2000")
        let id = answer.json["id"]?.text ?? ""
        #expect(answer.header("Location") == "\(path)/\(id)")
        #expect(try app.agency.get("\(path)/\(id)").json == answer.json)
        #expect(try app.audit() == "performanceTest.create \(id)")
    }

    @Test func `while one is under way there is no other`() throws {
        let body: JSONTree = ["originalTransactionId": "2000000123456789"]
        let first = try start(body)
        let second = try start(body)
        #expect(second.status == 409 && second.code == "performanceTestRunning")
        #expect(second.json["detail"]?.text?.contains(first.json["id"]?.text ?? "?") == true)
        try end("passed", #"{"result": "PASS"}"#)
        app.later()
        #expect(try start(body).status == 202)
        let rows = try app.agency.all(path, limit: 1)
        #expect(rows.map { $0["state"] } == ["queued", "passed"])
        #expect(try app.agency.post(path, body).code == "idempotencyKeyRequired")
    }

    @Test func `what failed is told in words, and the tested URL is not`() throws {
        let started = try start(["originalTransactionId": "2000000123456789"])
        try end(
            "failed",
            """
            {"result": "FAIL", "target": "https://example.com/realtime/secret",
              "failures": {"TIMED_OUT": 3, "SUCCESS": 90, "NEW_WORD": 7, "TLS_ISSUE": 0}}
            """)
        let answer = try app.agency.get("\(path)/\(started.json["id"]?.text ?? "")")
        #expect(answer.json["state"] == "failed" && answer.json["result"]?["result"] == "FAIL")
        #expect(!answer.text.contains("secret"))
        let failures = answer.json["failures"]?.elements ?? []
        #expect(failures.map { $0["result"] } == ["NEW_WORD", "TIMED_OUT"])
        #expect(failures.map { $0["count"] } == [7, 3])
        #expect(
            failures.last?["detail"]
                == .string(SendAttemptResult(rawValue: "TIMED_OUT").sentence))
        #expect(try app.agency.get("\(path)/test_1").code == "notFound")
    }

    private func end(_ state: String, _ result: String) throws {
        try app.agency.stage.database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                update holdfast.performance_test
                set state = \(state), result = \(result)::text::jsonb, finished_at = created_at
                where app_id = \(app.id.uuid)
                """)
        }
    }
}
