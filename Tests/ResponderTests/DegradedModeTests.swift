import Foundation
import HTTPServer
import Operator
import Responder
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

/// Rows of docs/degraded-modes.md: what is answered when something is not as it should be.
@Suite(.database) struct DegradedModeTests {
    private let clocks = Clocks()
    private let folder: SpoolFolder

    init() throws {
        folder = try SpoolFolder()
    }

    /// A responder that lost its database at this moment, and started anew if `restarts`.
    private func without(_ stage: Stage, restarts: Bool = false) throws -> ColdStage {
        do {
            let warm = try cold(stage, reaches: true)
            try warm.feed.poll()
            try warm.files.flush()
            if !restarts { return warm }
        }
        let cold = try cold(stage)
        #expect(cold.feed.restore())
        return cold
    }

    private func cold(
        _ stage: Stage, reaches database: Bool = false,
        overload: OverloadGate.Limits = .init(threads: 2)
    ) throws -> ColdStage {
        try ColdStage(
            stage, folder: folder, wall: clocks.wall, uptime: clocks.uptime, overload: overload,
            reaches: database)
    }

    /// What the sample apps answer: a message, a plan switch, an offer, a default, a fallback.
    private func kinds(_ cold: ColdStage) throws -> [String] {
        let (news, kids) = (try cold.stage.app(news), try cold.stage.app(kids))
        return try [
            cold.kind(Asked(news), to: news), cold.kind(Asked(news, locale: "ja-JP"), to: news),
            cold.kind(Asked(kids), to: kids),
        ]
    }

    @Test(arguments: [false, true])
    func `the longer the database is away, the less is said`(restarts: Bool) throws {
        let stage = try Stage()
        let cold = try without(stage, restarts: restarts)
        let news = try stage.app(news)
        let steps: [(after: Duration, mode: ServingMode, kinds: [String])] = [
            (.zero, .full, ["message", "alternateProduct", "promotionalOffer"]),
            (.seconds(900), .full, ["message", "alternateProduct", "promotionalOffer"]),
            (.seconds(1), .noBudgetedOffers, ["message", "alternateProduct", "promotionalOffer"]),
            (.seconds(2_700), .noOffers, ["message", "alternateProduct", "message"]),
            (.seconds(82_800), .defaultOnly, ["message", "message", "message"]),
            (.seconds(172_800), .silent, ["503", "503", "503"]),
        ]
        for step in steps {
            clocks.advance(step.after)
            #expect(cold.conditions.age.mode == step.mode)
            #expect(try kinds(cold) == step.kinds, "\(step.mode)")
        }
        // Silent, and yet verified and recorded.
        #expect(try cold.decided().last?.fallbackReason == .outOfDate)
        #expect(try cold.kind(Asked(news).with("appAppleId", kids), to: news) == "403")
    }

    @Test func `each change is told once`() throws {
        let stage = try Stage()
        let cold = try cold(
            stage, reaches: true, overload: OverloadGate.Limits(requestsInFlight: 1))
        try cold.feed.poll()
        let lines = LogLines()
        let report = ConditionReport(
            cold.conditions, metrics: cold.metrics, log: Log(service: "test", sink: lines.append))
        func told() -> [Int] {
            for _ in 0..<2 { report.report() }
            return ["serving_mode", "requests_shed", "clock_skewed"].map { lines.count(of: $0) }
        }
        #expect(told() == [0, 0, 0])
        clocks.advance(.seconds(1_000))
        #expect(told() == [1, 0, 0])
        try cold.feed.poll()
        #expect(told() == [2, 0, 0])
        let app = try stage.app(news)
        let crowd = RequestLoad(inFlight: 2, waited: .zero)
        for _ in 0..<3 { #expect(try cold.send(Asked(app), to: app, load: crowd).status == 503) }
        #expect(told() == [2, 1, 0])
        let late = Asked(app).with("signedDate", stage.clock.clock.now() - 60_000)
        for _ in 0..<SkewWatch.requestsNeeded { _ = try cold.send(late, to: app) }
        #expect(told() == [2, 1, 1])
    }

    @Test func `with the database back, everything is said again`() throws {
        let stage = try Stage()
        let cold = try cold(stage, reaches: true)
        try cold.feed.poll()
        clocks.advance(.seconds(100_000))
        #expect(cold.conditions.age.mode == .defaultOnly)
        try cold.feed.poll()
        #expect(cold.conditions.age.mode == .full)
        #expect(try kinds(cold) == ["message", "alternateProduct", "promotionalOffer"])
    }

    @Test func `of a default only the product's default is left`() throws {
        let stage = try Stage()
        let cold = try without(stage)
        clocks.advance(.seconds(90_000))
        #expect(try kinds(cold) == ["message", "message", "message"])
        let answers = try cold.decided().map(\.kind)
        #expect(answers == [.defaultMessage, .defaultMessage, .defaultMessage])
    }

    @Test(arguments: [nil, "", "soon\n", "-1\n", "1800000100000\n", "1800000000000"])
    func `a disk whose age nobody can tell says nothing`(stamp: String?) throws {
        let stage = try Stage()
        _ = try without(stage, restarts: true)
        let path = folder.path + "/snapshots/looked-at"
        if let stamp {
            try FileBytes.replace(path, with: Array(stamp.utf8))
        } else {
            try FileManager.default.removeItem(atPath: path)
        }
        let cold = try cold(stage)
        #expect(cold.feed.restore())
        #expect(cold.conditions.age.age == nil)
        #expect(try kinds(cold) == ["503", "503", "503"])
    }

    @Test func `wall time says how old the disk is, uptime how much older it grows`() throws {
        let stage = try Stage()
        _ = try without(stage, restarts: true)
        clocks.wall.advance(milliseconds: 800_000)
        let cold = try cold(stage)
        #expect(cold.feed.restore())
        #expect(cold.conditions.age.age == .seconds(800))
        clocks.wall.set(milliseconds: 0)
        clocks.uptime.advance(milliseconds: 200_000)
        #expect(cold.conditions.age.age == .seconds(1_000))
        #expect(cold.conditions.age.mode == .noBudgetedOffers)
    }

    @Test func `an overloaded responder refuses the sandbox first, then every one but some`()
        throws
    {
        let stage = try Stage()
        let cold = try cold(
            stage, reaches: true, overload: OverloadGate.Limits(requestsInFlight: 16))
        try cold.feed.poll()
        let (app, sandbox) = (try stage.app(news), try stage.app(news, "Sandbox"))
        func status(_ app: SimulatorApp, _ inFlight: Int, waited: Int = 0) throws -> Int {
            let load = RequestLoad(inFlight: inFlight, waited: .milliseconds(waited))
            let response = try cold.send(Asked(app), to: app, load: load)
            #expect(response.status == 200 || response.body.isEmpty)
            return response.status
        }
        #expect(try status(app, 3) == 200 && cold.conditions.overload.level == 1)
        #expect(try status(sandbox, 8) == 200)
        #expect(try status(app, 9) == 200 && cold.conditions.overload.level == 2)
        #expect(try status(sandbox, 9) == 503)
        #expect(try status(app, 16) == 200)
        #expect(
            try (0..<8).map { _ in try status(app, 17) } == [
                503, 503, 503, 200, 503, 503, 503, 200,
            ])
        #expect(cold.conditions.overload.level == 3)
        #expect(try status(app, 3, waited: 150) == 200)
        #expect(try status(app, 3, waited: 151) == 503)
        // Nobody else waits.
        #expect(try status(app, 2, waited: 900) == 200)
        #expect(cold.metrics.shed.value("sandbox") == 1)
        #expect(cold.metrics.shed.value("inFlight") == 6)
        #expect(cold.metrics.shed.value("deadline") == 1)
        // What was refused was not decided.
        #expect(try cold.decided().count == 8)
    }

    @Test func `under load the database is not asked for profiles`() {
        let gate = OverloadGate(OverloadGate.Limits(requestsInFlight: 16))
        func admission(_ inFlight: Int) -> OverloadGate.Admission {
            gate.admit(RequestLoad(inFlight: inFlight, waited: .zero), to: .production)
        }
        #expect(admission(2) == .answered(skipsLookUps: false))
        #expect(admission(3) == .answered(skipsLookUps: true))
        #expect(admission(2) == .answered(skipsLookUps: false))
    }

    @Test func `a clock that differs from Apple's is told, and corrects nothing`() throws {
        let stage = try Stage()
        let cold = try without(stage)
        let app = try stage.app(news)
        let now = stage.clock.clock.now()
        for _ in 0..<SkewWatch.requestsNeeded {
            #expect(cold.conditions.skew.median == nil)
            #expect(try cold.kind(Asked(app).with("signedDate", now - 6_000), to: app) == "message")
        }
        #expect(cold.conditions.skew.median == .seconds(6))
        #expect(cold.conditions.skew.isAlarming)
        // The window of freshness stays where our own clock has it.
        #expect(try cold.kind(Asked(app).with("signedDate", now - 301_000), to: app) == "400")
        for _ in 0..<SkewWatch.requestsCount {
            #expect(try cold.kind(Asked(app).with("signedDate", now + 2_000), to: app) == "message")
        }
        #expect(cold.conditions.skew.median == .seconds(-2))
        #expect(!cold.conditions.skew.isAlarming)
    }

    @Test func `forged requests shift no clock`() throws {
        let stage = try Stage()
        let cold = try without(stage)
        let app = try stage.app(news)
        for _ in 0..<30 {
            let asked = Asked(app).with("signedDate", stage.clock.clock.now() - 200_000)
                .with("appAppleId", kids)
            #expect(try cold.kind(asked, to: app) == "403")
        }
        #expect(cold.conditions.skew.median == nil)
    }

    @Test func `the self-test passes, whatever the clock shows`() throws {
        #expect(throws: Never.self) { try SelfTest.run() }
    }
}
