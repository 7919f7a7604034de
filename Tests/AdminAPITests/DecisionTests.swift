import AdminAPI
import Foundation
import Retention
import RetentionStore
import TestSupport
import Testing

@Suite(.database) struct DecisionTests {
    private static let rule = RuleID(UUID())
    private static let message = UUID()

    @Test func aDecisionIsToldWithItsReason() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let record = record(
            of: app, at: 5,
            .alternateProduct(
                Self.message, productId: app.yearly, billingPlanType: .monthly))
        _ = try app.change { try $0.recordDecisions([record]) }
        let path = "\(app.path)/decisions"
        let id = try #require(
            try app.agency.get("\(path)?environment=Sandbox").json["data"]?.elements[0]["id"])
        #expect(id.text?.hasPrefix("dec_") == true)
        let all = try app.agency.all("\(path)?environment=Sandbox")
        #expect(
            all == [
                [
                    "id": id, "appId": .string(app.id.description), "environment": "Sandbox",
                    "requestIdentifier": .string(record.requestIdentifier.uuidString.lowercased()),
                    "originalTransactionId": "504319184420155588",
                    "signedDate": .string(time(5, app)), "decidedAt": .string(time(5, app)),
                    "productId": .string(app.monthly), "localeAsked": "de-AT",
                    "localeServed": "de-DE", "kind": "switchPlan", "fallbackReason": .null,
                    "ruleId": .string(Self.rule.description),
                    "messageIdentifier": .string(Self.message.uuidString.lowercased()),
                    "alternateProductId": .string(app.yearly), "billingPlanType": "MONTHLY",
                    "offerIdentifier": .null, "snapshotNumber": 41, "durationMicroseconds": 184,
                    "signatureVersion": .null, "experimentId": .null, "arm": .null,
                    "isHoldout": false, "profileSource": .null, "degraded": .null,
                    "timings": .null,
                ]
            ])
        #expect(try app.agency.all(path).isEmpty)
    }

    /// Many of one millisecond, over several pages.
    @Test func theListIsWalkedOnceEachNewestFirst() throws {
        let app = try GatewayStage().makeAgency().makeTestApp()
        let records = (0..<25).map { record(of: app, at: Int64($0 / 10), .fallback(.chosenByRule)) }
        _ = try app.change { try $0.recordDecisions(records) }
        let expected = records.sorted {
            ($1.signedDate.milliseconds, $0.requestIdentifier.uuidString)
                < ($0.signedDate.milliseconds, $1.requestIdentifier.uuidString)
        }.map { $0.requestIdentifier.uuidString.lowercased() }
        for limit in [1, 4, 25] {
            let rows = try app.agency.all(
                "\(app.path)/decisions?environment=Sandbox", limit: limit)
            #expect(rows.compactMap { $0["requestIdentifier"]?.text } == expected, "\(limit)")
        }
        func count(_ span: String) throws -> Int {
            try app.agency.all("\(app.path)/decisions?environment=Sandbox&\(span)", limit: 7).count
        }
        #expect(try count("from=\(time(1, app))") == 15)
        #expect(try count("to=\(time(1, app))") == 10)
        #expect(try count("from=\(time(1, app))&to=\(time(2, app))") == 10)
        #expect(try count("from=\(time(2, app))&to=\(time(1, app))") == 0)
    }

    @Test func parametersAreJudged() throws {
        let stage = try GatewayStage()
        let app = try stage.makeAgency().makeTestApp()
        for (query, code) in [
            ("environment=Xcode", "invalidParameter"), ("from=2026", "invalidParameter"),
            ("kind=message", "unknownParameter"), ("cursor=bGlzdA", "invalidCursor"),
            ("from=2026-11-30T00:00:00Z&from=2026-11-30T00:00:00Z", "invalidParameter"),
        ] {
            let answer = try app.agency.get("\(app.path)/decisions?\(query)")
            #expect(answer.status == 400 && answer.code == code, "\(query)")
        }
        let other = try stage.makeAgency()
        #expect(try other.get("\(app.path)/decisions").code == "notFound")
        let blind = try stage.makeKey(of: app.agency, scopes: [.write(.rules)])
        #expect(try blind.get("\(app.path)/decisions").code == "scopeMissing")
    }

    private func record(
        of app: TestApp, at milliseconds: Int64, _ answer: Retention.Answer
    ) -> DecisionRecord {
        let at = Instant(milliseconds: start(app) + milliseconds)
        let isFallback = answer.kind == .fallback
        return DecisionRecord(
            key: AppEnvironment(app: app.id, environment: .sandbox), signedDate: at,
            requestIdentifier: UUID(), decidedAt: at,
            originalTransactionId: "504319184420155588", productId: app.monthly,
            localeAsked: "de-AT",
            decision: Decision(
                answer: answer, rule: Self.rule, localeServed: isFallback ? nil : "de-DE"),
            snapshotNumber: 41, durationMicroseconds: 184)
    }

    private func start(_ app: TestApp) -> Int64 { app.agency.stage.now.milliseconds }

    private func time(_ milliseconds: Int64, _ app: TestApp) -> String {
        JSONTree.time(start(app) + milliseconds)
    }
}
