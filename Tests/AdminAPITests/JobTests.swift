import AdminAPI
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

@Suite(.database) struct JobTests {
    @Test func aJobIsShownWhileItWaitsAndWhenItFailed() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let app = try agency.makeTestApp()
        let id = try job(of: app, "unheard-of")
        let queued = try agency.get("/v1/jobs/\(id)")
        #expect(queued.status == 200, "\(queued.text)")
        #expect(queued.json["state"] == "queued")
        #expect(queued.json["appId"] == .string(app.id.description))
        #expect(queued.json["progress"] == ["done": 0, "total": 3])
        #expect(queued.json["report"] == .null && queued.json["startedAt"] == .null)
        try stage.jobs.runWaiting()
        let failed = try agency.get("/v1/jobs/\(id)")
        #expect(failed.json["state"] == "failed")
        #expect(failed.json["error"]?["code"] == "internalError")
        #expect(failed.json["finishedAt"]?.text != nil)
        let tag = try #require(failed.header("ETag"))
        #expect(
            try agency.get("/v1/jobs/\(id)", headers: [("If-None-Match", tag)]).status == 304)
    }

    @Test func jobsAreListedNewestFirstToThoseWhoMaySeeThem() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let other = try stage.makeAgency()
        let (app, second) = (try agency.makeTestApp(), try agency.makeTestApp())
        var made: [String] = []
        for one in [app, second, app] {
            stage.clock.advance(milliseconds: 1)
            made.append(try job(of: one, "x").description)
        }
        func listed(_ key: TestAgency) throws -> [String] {
            try key.all("/v1/jobs", limit: 1).compactMap { $0["id"]?.text }
        }
        #expect(try listed(agency) == made.reversed())
        #expect(try listed(other).isEmpty)
        let limited = try stage.makeKey(of: agency, apps: [second.id])
        #expect(try listed(limited) == [made[1]])
        #expect(try limited.get("/v1/jobs/\(made[0])").code == "notFound")
        #expect(try other.get("/v1/jobs/\(made[0])").code == "notFound")
        #expect(try agency.get("/v1/jobs/nonsense").code == "notFound")
    }

    /// In the name of the agency's own key.
    private func job(of app: TestApp, _ kind: String) throws -> JobID {
        let id = JobID.make(at: app.agency.stage.now)
        try app.change { transaction in
            let key = try transaction.listAPIKeys(after: nil, limit: 1)[0].id
            try transaction.createJob(
                id, kind: kind, of: app.id, input: [], total: 3, by: key)
        }
        return id
    }
}
