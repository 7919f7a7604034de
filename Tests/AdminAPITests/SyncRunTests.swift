import AdminAPI
import Foundation
import Postgres
import Retention
import RetentionStore
import TestSupport
import Testing

@Suite(.database) struct SyncRunTests {
    private func request(
        _ app: ContentApp, _ body: JSONTree? = nil, query: String = ""
    ) throws -> TestAnswer {
        try app.agency.post("\(app.path)/sync-runs\(query)", body, key: UUID().uuidString)
    }

    @Test func `who asks while a run waits is given that run`() throws {
        let app = try ContentApp(try GatewayStage().makeAgency())
        let first = try request(app)
        #expect(first.status == 202, "\(first.text)")
        let location = try #require(first.header("Location"))
        #expect(location == "\(app.path)/sync-runs/\(first.json["id"]?.text ?? "")")
        #expect(try request(app, [:]).header("Location") == location)
        #expect(try app.agency.get(location).json == first.json)
        #expect(first.json["requestedBy"]?["kind"] == "apiKey")
        let sandbox = try request(app, query: "?environment=Sandbox")
        #expect(sandbox.json["id"] != first.json["id"])
        #expect(sandbox.json["environment"] == "Sandbox")
        app.later()
        _ = try request(app)
        #expect(try app.audit() == "syncRun.request \(first.json["id"]?.text ?? "")")
        #expect(try app.agency.all("\(app.path)/sync-runs").count == 1)

        try app.superuser(
            """
            update holdfast.sync_run set state = 'running', started_at = created_at
            where environment = 'Production' and app_id =
            """, app.id.uuid)
        let second = try request(app)
        #expect(second.json["id"] != first.json["id"])
        let rows = try app.agency.all("\(app.path)/sync-runs", limit: 1)
        #expect(rows.map { $0["state"] } == ["queued", "running"])
    }

    @Test func `a run wakes the sync, and may let it replace a URL`() throws {
        let app = try ContentApp(try GatewayStage().makeAgency())
        func state() throws -> (change: Int64, mayReplace: Bool) {
            try app.agency.stage.database.superuser.withConnection { connection in
                let rows = try connection.query(
                    """
                    select change_number, may_replace_url from holdfast.sync_state
                    where app_id = \(app.id.uuid) and environment = 'Sandbox'
                    """)
                let row = try #require(rows.first)
                return (try row.decode("change_number"), try row.decode("may_replace_url"))
            }
        }
        let before = try state()
        _ = try request(app, query: "?environment=Sandbox")
        let woken = try state()
        #expect(woken.change > before.change && !woken.mayReplace)
        let answer = try request(
            app, ["replaceForeignURL": true], query: "?environment=Sandbox")
        #expect(answer.status == 202)
        #expect(try state().mayReplace)
        #expect(
            try app.auditChanges()["replaceForeignURL"] == ["from": .null, "to": true])
    }

    @Test func `a text that is added wakes the sync`() throws {
        let app = try ContentApp(try GatewayStage().makeAgency())
        let message = try app.message()
        try app.superuser(
            "update holdfast.sync_state set next_run_at = now() + interval '1 hour' where app_id =",
            app.id.uuid)
        _ = try app.localization(message)
        let due: Int64 = try app.agency.stage.database.superuser.withConnection { connection in
            let rows = try connection.query(
                """
                select count(*) as due from holdfast.sync_state
                where app_id = \(app.id.uuid) and next_run_at <= clock_timestamp()
                """)
            return try #require(rows.first).decode("due")
        }
        #expect(due == 2)
    }

    @Test func `how a run ended is told as it was written`() throws {
        let app = try ContentApp(try GatewayStage().makeAgency())
        let location = try #require(try request(app).header("Location"))
        try app.superuser(
            """
            update holdfast.sync_run set state = 'finished', started_at = created_at,
              finished_at = created_at, reads = 2, writes = 1,
              result = '{"state": "blocked", "problems": [{"code": "rejected"}]}'
            where app_id =
            """, app.id.uuid)
        let run = try app.agency.get(location).json
        #expect(run["state"] == "finished" && run["reads"] == 2 && run["writes"] == 1)
        #expect(run["result"] == ["state": "blocked", "problems": [["code": "rejected"]]])
    }

    @Test func `what cannot be read is refused`() throws {
        let app = try ContentApp(try GatewayStage().makeAgency())
        let path = "\(app.path)/sync-runs"
        #expect(try app.agency.post(path, [:]).code == "idempotencyKeyRequired")
        #expect(try request(app, ["replace": true]).errors == ["/replace unknown"])
        #expect(
            try request(app, ["replaceForeignURL": 1]).errors == ["/replaceForeignURL wrongType"])
        #expect(try app.agency.get("\(path)/run_1").code == "notFound")
        #expect(
            try app.agency.get("\(app.path)/apple-calls?runId=run_1").code == "invalidParameter")
    }

    @Test func `calls are told newest first, and what each came to`() throws {
        let app = try ContentApp(try GatewayStage().makeAgency())
        let location = try #require(try request(app).header("Location"))
        let run = try #require(
            SyncRunID(location.split(separator: "/").last.map(String.init) ?? ""))
        let calls: [(String, Int?, Int?, String?)] = [
            ("getMessageList", 200, nil, "ok"), ("uploadMessage", 400, 4_000_162, "terminal"),
            ("deleteMessage", nil, nil, "unknown"), ("uploadImage", nil, nil, nil),
        ]
        for (endpoint, status, code, outcome) in calls {
            app.later()
            try add(
                endpoint, status, code, outcome, run: endpoint == "uploadImage" ? nil : run, app)
        }
        let path = "\(app.path)/apple-calls"
        let rows = try app.agency.all(path, limit: 3)
        #expect(rows.map { $0["endpoint"]?.text } == calls.reversed().map(\.0))
        #expect(rows.map { $0["state"] } == ["unfinished", "finished", "finished", "finished"])
        #expect(rows[0]["outcome"] == .null && rows[0]["finishedAt"] == .null)
        #expect(rows[2]["detail"] == .string(AppleErrorCode.headerTooLong.sentence))
        #expect(rows[2]["appleCode"] == 4_000_162 && rows[2]["status"] == 400)
        #expect(try app.agency.all("\(path)?runId=\(run)").count == 3)
        #expect(try app.agency.all("\(path)?environment=Sandbox").isEmpty)
    }

    private func add(
        _ endpoint: String, _ status: Int?, _ code: Int?, _ outcome: String?, run: SyncRunID?,
        _ app: ContentApp
    ) throws {
        let now = app.agency.stage.now
        let at = Timestamp(milliseconds: now.milliseconds)
        try app.agency.stage.database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                insert into holdfast.apple_call (tenant_id, app_id, environment, call_id, run_id,
                  endpoint, lease_token, started_at, finished_at, status, apple_code, outcome)
                values (\(app.agency.tenant.uuid), \(app.id.uuid), 'Production',
                  \(AppleCallID.make(at: now).uuid), \(run?.uuid), \(endpoint), 1, \(at),
                  \(outcome == nil ? nil : at), \(status.map(Int32.init)), \(code.map(Int32.init)),
                  \(outcome))
                """)
        }
    }
}
