import AdminAPI
import Foundation
import Postgres
import Retention
import RetentionStore
import Signing
import TestSupport
import Testing

@Suite(.database) struct SnapshotTests {
    @Test func snapshotsAreListedNewestFirst() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        for _ in 1...3 {
            _ = try app.change { transaction in
                try transaction.createEndpoint(
                    .make(at: app.agency.stage.now),
                    at: AppEnvironment(app: app.id, environment: .sandbox),
                    sealedTo: app.agency.stage.platformKey.publicKey)
            }
        }
        let path = "\(app.path)/snapshots"
        let rows = try app.agency.all("\(path)?environment=Sandbox", limit: 2)
        #expect(rows.map { $0["number"] } == [4, 3, 2, 1])
        #expect(rows.map { $0["isCurrent"] } == [true, false, false, false])
        #expect(try app.agency.all(path).count == 1)
        let one = try app.agency.get("\(path)/3?environment=Sandbox")
        #expect(one.json == rows[1])
        #expect(one.json["sha256"]?.text?.utf8.count == 64)
        #expect((one.json["byteCount"]?.number ?? 0) > 100)
        #expect(one.header("ETag") != nil)
        for absent in ["5", "0", "x", "9223372036854775808"] {
            let answer = try app.agency.get("\(path)/\(absent)?environment=Sandbox")
            #expect(answer.code == "notFound", "\(absent)")
        }
    }

    @Test func whoServesItIsTold() throws {
        let stage = try GatewayStage()
        let app = try stage.makeAgency().makeTestApp()
        let path = "\(app.path)/snapshots/1?environment=Production"
        let lonely = try app.agency.get(path)
        #expect(lonely.json["liveResponders"] == [] && lonely.json["servedByAll"] == false)
        try acknowledge("one", app, number: 1)
        let first = try app.agency.get(path)
        #expect(first.json["liveResponders"] == ["one"] && first.json["servedByAll"] == true)
        #expect(first.json["acknowledgements"]?.elements.map { $0["responder"] } == ["one"])
        // Another one is there and has not got that far.
        try acknowledge("two", app, number: 0)
        #expect(try app.agency.get(path).json["servedByAll"] == false)
        // Whoever serves a later one has got there too.
        try acknowledge("two", app, number: 2)
        #expect(try app.agency.get(path).json["servedByAll"] == true)
        // One that was not heard of for longer is not waited for.
        try acknowledge("gone", app, number: 0, secondsAgo: 40)
        let last = try app.agency.get(path)
        #expect(last.json["liveResponders"] == ["one", "two"])
        #expect(last.json["servedByAll"] == true)
        let other = try stage.makeAgency().makeTestApp()
        let theirs = try other.agency.get("\(other.path)/snapshots/1")
        #expect(theirs.json["acknowledgements"] == [])
        #expect(theirs.json["servedByAll"] == false)
    }

    private func acknowledge(
        _ responder: String, _ app: TestApp, number: Int64, secondsAgo: Double = 0
    ) throws {
        let at = Date().timeIntervalSince1970 - secondsAgo
        try app.agency.stage.database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                select holdfast_hot.acknowledge(\(responder),
                  \(Timestamp(milliseconds: Int64(at * 1_000))), \([app.agency.tenant.uuid]),
                  \([app.id.uuid]), \(["Production"]), \([number]))
                """)
        }
    }
}
