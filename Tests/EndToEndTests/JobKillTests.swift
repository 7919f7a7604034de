import Foundation
import HTTPClient
import Postgres
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

/// The real gateway dies in the middle of a long job.
@Suite(.database) struct JobKillTests {
    private static let decisions: Int32 = 100_000
    private static let limit: Duration = .seconds(300)

    private struct Created: Decodable { let id: String }

    private struct Job: Decodable {
        struct Progress: Decodable {
            let done: Int32
            let total: Int32?
        }
        struct Report: Decodable {
            struct Counts: Decodable { let decisions, replayed, changed: Int32 }
            let counts: Counts
        }
        let state: String
        let progress: Progress
        let report: Report?
    }

    @Test func `a gateway killed in a replay leaves nothing, and the next one does it once`()
        throws
    {
        let door = try GatewayProcess(scopes: AccessScope.all)
        try door.waitUntilReady()
        let client = try create(door, "/v1/clients", #"{"name": "Client"}"#).id
        let app = try create(
            door, "/v1/apps",
            """
            {"clientId": "\(client)", "name": "App", "bundleId": "com.example.app",
             "appAppleId": 1234567, "defaultLocale": "en-US"}
            """
        ).id
        try keepDecisions(of: try #require(AppID(app)), door)
        let job = try create(
            door, "/v1/apps/\(app)/replays",
            """
            {"limit": \(Self.decisions), "ruleSet": {"schemaVersion": 2, "rules": [],
             "holdout": {"percent": 0, "confirmNoHoldout": true}}}
            """
        ).id

        #expect(
            try becomesTrue(within: Self.limit) { try found(door, job).progress.done > 0 })
        try door.killAndStart()
        try door.waitUntilReady()
        let left = try found(door, job)
        #expect(left.state == "running" && left.report == nil)
        #expect(left.progress.done < Self.decisions)
        #expect(left.progress.total == Self.decisions)
        // The dead one's lease would hold for a minute.
        try change(door, "update holdfast.job set leased_until = now() - interval '1 second'")
        #expect(
            try becomesTrue(within: Self.limit) { try found(door, job).state == "succeeded" })

        let done = try found(door, job)
        #expect(done.progress.done == Self.decisions && done.progress.total == Self.decisions)
        let counts = try #require(done.report?.counts)
        #expect(counts.decisions == Self.decisions && counts.replayed == Self.decisions)
        #expect(counts.changed == 0)
        let attempts = try door.database.superuser.withConnection {
            try $0.query("select attempts from holdfast.job").first?.decode(Int16.self, at: 0)
        }
        #expect(attempts == 2)
        #expect(try door.count("job") == 1)
    }

    // MARK: - What it is done with

    private func create(_ door: GatewayProcess, _ path: String, _ body: String) throws -> Created {
        let answer = try door.send("POST", path, body)
        let text = String(decoding: answer.body, as: UTF8.self)
        try #require(answer.status == 201 || answer.status == 202, "\(text)")
        return try JSONDecoder().decode(Created.self, from: Data(answer.body))
    }

    private func found(_ door: GatewayProcess, _ job: String) throws -> Job {
        let answer = try door.send("GET", "/v1/jobs/\(job)")
        try #require(answer.status == 200)
        return try JSONDecoder().decode(Job.self, from: Data(answer.body))
    }

    private func change(_ door: GatewayProcess, _ statement: String) throws {
        try door.database.superuser.withConnection { try $0.execute(script: statement) }
    }

    /// One by the store, the others like it.
    private func keepDecisions(of app: AppID, _ door: GatewayProcess) throws {
        let now = Instant(milliseconds: Clock.system.now() - 1_000)
        let basis = DecisionBasis(
            source: .memory,
            inputs: RecordedInputs(
                subscriber: .absent, budget: .nothing, mode: .full, canSignOffers: true),
            timings: DecisionTimings(verify: 1, lookup: 2, decide: 3, sign: 4))
        let record = DecisionRecord(
            key: AppEnvironment(app: app, environment: .production), signedDate: now,
            requestIdentifier: UUID(), decidedAt: now, originalTransactionId: "1",
            productId: "com.example.app.monthly", localeAsked: "en-US",
            decision: Decision(
                answer: .fallback(.nothingToShow), rule: nil, localeServed: nil),
            snapshotNumber: 1, durationMicroseconds: 10, basis: basis)
        try RetentionStore(pool: door.database.operator).transaction(
            .operatorCommand(tenant: door.tenant), at: now
        ) { _ = try $0.recordDecisions([record]) }
        try change(
            door,
            """
            insert into holdfast.decision
            select made.*
            from holdfast.decision d cross join generate_series(2, \(Self.decisions)) n
            cross join lateral jsonb_populate_record(d, jsonb_build_object(
              'request_identifier', gen_random_uuid(), 'original_transaction_id', n::text,
              'signed_date', d.signed_date - (n / 4) * interval '1 millisecond')) made
            """)
    }
}
