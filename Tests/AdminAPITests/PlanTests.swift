import AdminAPI
import Foundation
import Postgres
import Retention
import RetentionStore
import Signing
import TestSupport
import Testing

@Suite(.database) struct PlanTests {
    /// Names of the steps, each with what it waits for.
    private func steps(_ plan: JSONTree) -> [String] {
        (plan["steps"]?.elements ?? []).map { step in
            let wait = step["waitsFor"]?["code"]?.text.map { " waits for \($0)" } ?? ""
            return (step["operation"]?.text ?? "?") + wait
        }
    }

    private func codes(_ list: JSONTree?) -> [String] {
        (list?.elements ?? []).map { $0["code"]?.text ?? "?" }
    }

    private func plan(
        _ app: ContentApp, _ environment: StoreEnvironment = .sandbox
    ) throws -> JSONTree {
        let answer = try app.agency.get(
            "\(app.path)/plan?environment=\(environment.rawValue)")
        try #require(answer.status == 200, "\(answer.text)")
        return answer.json
    }

    @Test func `a plan follows a text from wanted to served`() throws {
        let app = try ContentApp(try GatewayStage().makeAgency())
        let key = AppEnvironment(app: app.id, environment: .sandbox)
        _ = try app.localization(try app.message())
        let first = try plan(app)
        #expect(
            steps(first) == [
                "getImageList", "getMessageList", "uploadMessage waits for list",
                "getRealtimeURL",
            ])
        #expect(first["isConverged"] == false)
        #expect(first["needsReview"]?["messages"] == 1)
        #expect(codes(first["missing"]) == ["credential", "endpoint", "defaultMessage"])
        // Production wants nothing of it yet.
        #expect(
            steps(try plan(app, .production)) == [
                "getImageList", "getMessageList", "getRealtimeURL",
            ])

        try app.superuser(
            """
            update holdfast.sync_state set images_listed_at = now(), messages_listed_at = now()
            where app_id =
            """, app.id.uuid)
        let ids = try app.change { try $0.bringToApple(.pending, at: key) }
        let pending = try plan(app)
        let review = try #require(pending["needsReview"])
        #expect(review["messages"] == 0 && review["underReviewCount"] == 1)
        let reviewed = try #require(review["underReview"]?.elements.first)
        #expect(reviewed["seconds"] == 90 && reviewed["decidedAt"] == .null)
        #expect(reviewed["subject"]?["identifier"] == .string(try #require(ids.first).atApple))

        _ = try app.change { try $0.bringToApple(.rejected, at: key) }
        let rejected = try plan(app)
        #expect(codes(rejected["problems"]) == ["rejected"])
        #expect(
            rejected["problems"]?.elements.first?["subject"]?["uses"]?.elements.first?["locale"]
                == "en-US")

        _ = try app.change { try $0.bringToApple(.approved, at: key) }
        let placement = try #require(try plan(app)["placements"]?.elements.first)
        #expect(placement["change"] == "serve" && placement["formerIdentifier"] == .null)
        #expect(placement["identifier"] == .string(try #require(ids.first).atApple))
    }

    @Test func `to read a plan changes nothing`() throws {
        let app = try ContentApp(try GatewayStage().makeAgency())
        _ = try app.localization(try app.message())
        func state() throws -> String {
            try app.agency.stage.database.superuser.withConnection { connection in
                try connection.query(
                    """
                    select (select string_agg(s::text, ' ') from holdfast.sync_state s
                        where app_id = \(app.id.uuid))
                      || (select string_agg(e::text, ' ') from holdfast.app_environment e
                        where app_id = \(app.id.uuid))
                      || (select count(*) from holdfast.apple_object)
                      || (select count(*) from holdfast.call_budget)
                      || (select count(*) from holdfast.audit_event) as state
                    """
                ).first?.decode("state") ?? ""
            }
        }
        let before = try state()
        _ = try plan(app)
        #expect(try state() == before)
        #expect(!before.isEmpty)
    }

    @Test func `a refused key and production's test are told`() throws {
        let app = try ContentApp(try GatewayStage().makeAgency())
        let key = AppEnvironment(app: app.id, environment: .production)
        try app.change { transaction in
            _ = try transaction.createEndpoint(
                .make(at: app.agency.stage.now), at: key,
                sealedTo: app.agency.stage.platformKey.publicKey)
        }
        #expect(
            codes(try plan(app, .production)["missing"]) == [
                "credential", "defaultMessage", "performanceTestTransactionId",
            ])
        try app.superuser(
            "update holdfast.app set performance_test_transaction_id = '2000' where app_id = ",
            app.id.uuid)
        try app.superuser(
            """
            update holdfast.sync_state set pause_reason = 'keyRefused',
              paused_until = now() + interval '1 hour', url_kind = 'foreign' where app_id =
            """, app.id.uuid)
        let paused = try plan(app, .production)
        #expect(
            codes(paused["missing"]) == ["credential", "workingCredential", "defaultMessage"])
        #expect(codes(paused["problems"]) == ["foreignURL", "keyRefused"])
        #expect(
            steps(paused) == [
                "getImageList waits for workingCredential",
                "getMessageList waits for workingCredential",
                "configureRealtimeURL waits for consent",
            ])
    }

    @Test func `an estimate counts what Apple's limits leave`() throws {
        let app = try ContentApp(try GatewayStage().makeAgency())
        let message = try app.message()
        for locale in ["en-US", "ja"] {
            _ = try app.localization(
                message, locale, ["header": .string(locale), "body": "Stay."])
        }
        #expect(try plan(app)["estimate"]?["seconds"] == 0)
        let hence = Int64(Date().timeIntervalSince1970 * 1_000_000) + 3_600_000_000
        try app.agency.stage.database.superuser.withConnection { connection in
            _ = try connection.query(
                """
                insert into holdfast.call_budget (tenant_id, app_id, environment, endpoint,
                  spoken_for)
                values (\(app.agency.tenant.uuid), \(app.id.uuid), 'Sandbox', 'uploadMessage',
                  \(hence))
                """)
        }
        let estimate = try #require(try plan(app)["estimate"])
        #expect(estimate["calls"] == 5)
        let upload = estimate["endpoints"]?.elements.first { $0["endpoint"] == "uploadMessage" }
        #expect(upload?["calls"] == 2)
        let seconds = try #require(upload?["seconds"]?.number)
        #expect((3_000...3_700).contains(seconds))
        #expect(estimate["seconds"]?.number == seconds)
    }

    @Test func `a large plan is shown in part and counted whole`() throws {
        let app = try ContentApp(try GatewayStage().makeAgency())
        let messages = (0..<11).map { _ in MessageID.make(at: app.agency.stage.now) }
        try app.change { transaction in
            for (number, message) in messages.enumerated() {
                try transaction.createMessage(
                    message, name: "message \(number)", kind: .text, of: app.id)
                for locale in 0..<50 {
                    try transaction.createLocalization(
                        Localization(
                            locale: "xx-\(locale)", header: "\(number) \(locale)", body: "Stay."),
                        of: message, app: app.id)
                }
            }
        }
        let plan = try plan(app)
        #expect(plan["counts"]?["steps"] == 553)
        #expect(plan["counts"]?["waiting"] == 550)
        #expect(plan["steps"]?.elements.count == 500)
        #expect(plan["needsReview"]?["messages"] == 550)
    }
}

extension ContentApp {
    /// What only the sync's role may, done as the superuser.
    func superuser(_ sql: StaticString, _ id: UUID) throws {
        try agency.stage.database.superuser.withConnection { connection in
            _ = try connection.query(Query(unsafeSQL: "\(sql) '\(id)'"))
        }
    }
}
