internal import Retention
internal import Service

/// How the sample agency's apps go live, as an agency would bring them there; the demo plays the
/// people at Apple's side.
///
///     sandbox: content approved, defaults, URL ─ rules published ─ a tester cancels
///       ─ performance test ─ promotion ─ production: a reviewer approves ─ defaults, URL
///       ─ rules published
struct AppLaunch {
    /// Of one app: Apple's lists are looked at in pauses of seconds.
    private static let appleLimit: Duration = .seconds(120)
    private static let testLimit: Duration = .seconds(120)
    /// The admin API takes so many calls a minute of one agency.
    private static let lookInterval: Duration = .milliseconds(400)
    /// As long as the sync waits anyway before it asks for the result.
    private static let test = PerformanceTestForm(
        maxConcurrentRequests: 10, totalRequests: 100, totalDuration: 5_000,
        responseTimeThreshold: 700, successRateThreshold: 95)

    struct Report {
        /// The tester's pages.
        var testerViews: [PageViewReport.Result] = []
        /// "PASS" for each test that Apple ended so.
        var verdicts: [String] = []
        /// What the tests sent, each of them a decision.
        var testRequests: Int { verdicts.count * AppLaunch.test.totalRequests }
        var performanceTest: String { Set(verdicts) == ["PASS"] ? "PASS" : "FAIL" }
    }

    let agency: SampleAgency
    let api: AdminClient
    let simulator: SimulatorControl
    let stop: StopSignal
    let say: (String) -> Void

    /// - Throws: what is missing, where something takes too long.
    func run() throws -> Report {
        var report = Report()
        for app in agency.apps { try bring(app, to: .sandbox) }
        report.testerViews = try playTesters()
        report.verdicts = try runPerformanceTests()
        for app in agency.apps { try promote(app) }
        say("playing Apple's reviewer in production")
        for app in agency.apps { try bring(app, to: .production) }
        return report
    }

    // MARK: What Apple has

    /// Waits for Apple to have everything, puts the rules in force, and waits for answers to name
    /// it; reviews it in production.
    private func bring(_ app: BuiltApp, to environment: StoreEnvironment) throws {
        let goal = AppleGoal(app: app, environment: environment)
        let view = SyncView(app: app, environment: environment, api: api)
        let (appleId, name) = (app.sample.appAppleId, environment.rawValue)
        try wait(for: "\(app.sample.name) in \(name)", within: Self.appleLimit, view.waits) {
            let state = try simulator.state(appleId, name)
            if environment == .production {
                for identifier in goal.toApprove(in: state) {
                    try simulator.decide(identifier, "APPROVED", of: appleId, name)
                }
            }
            let missing = goal.missing(in: state)
            return missing.isEmpty ? try view.missing(held: goal.heldCount) : missing
        }
        try app.publish(in: environment, over: api)
        try wait(
            for: "the rules of \(app.sample.name) in \(name)", within: Self.appleLimit, view.waits
        ) {
            try view.missing(held: goal.heldCount)
        }
        let held = goal.heldCount == 0 ? "" : ", \(goal.heldCount) of them left in review"
        say(
            "\(name): \(app.sample.name) has \(goal.messageCount) messages at Apple\(held), "
                + "its defaults and its URL")
    }

    /// Asks again and again what is missing, until nothing is.
    private func wait(
        for what: String, within limit: Duration, _ reason: () throws -> String,
        _ missing: () throws -> [String]
    ) throws {
        let deadline = ContinuousClock.now + limit
        while true {
            let missing = try missing()
            if missing.isEmpty { return }
            guard ContinuousClock.now < deadline else {
                throw DemoError(
                    description:
                        "\(what) is not there within \(limit): \(missing.joined(separator: "; ")). "
                        + "The sync says: \(try reason())")
            }
            if stop.wait(for: Self.lookInterval) { throw DemoError(description: "interrupted") }
        }
    }

    // MARK: In the sandbox

    /// A tester cancels in each app and must see Holdfast's answer.
    private func playTesters() throws -> [PageViewReport.Result] {
        let views = agency.apps.map { app in
            PageView(
                originalTransactionId: app.sample.testerTransactionId,
                appAppleId: app.sample.appAppleId, environment: "Sandbox",
                productId: app.sample.monthly, userLocale: "en-US", taps: true)
        }
        let results = try simulator.play(views).results
        for (app, result) in zip(agency.apps, results) {
            guard result.display.layer == "realtime" else {
                throw DemoError(
                    description: "a tester of \(app.sample.name) saw \(result.display.layer) and "
                        + "not Holdfast's answer: \(result.explanation)")
            }
            let seen = result.display.header ?? "an answer"
            say("Sandbox: a tester of \(app.sample.name) saw \(seen)")
        }
        return results
    }

    private struct Test: Decodable {
        struct Result: Decodable {
            let successRatePercent: Int?
        }

        struct Failure: Decodable {
            let detail: String
        }

        let id: String
        let state: String
        let result: Result?
        let failure: Failure?

        var isEnded: Bool { ["passed", "failed", "notRun"].contains(state) }
    }

    private func runPerformanceTests() throws -> [String] {
        say("asking for Apple's performance test of each app")
        let begun = try agency.apps.map { app in
            try simulator.setPerformanceTest(Self.test, of: app.sample.appAppleId)
            let test: Test = try api.post(
                "\(app.path)/performance-tests",
                ["originalTransactionId": app.sample.testerTransactionId], expecting: 202)
            return (app: app, test: test)
        }
        return try begun.map { app, test in
            let ended = try awaitEnd(of: test, of: app)
            guard ended.state == "passed" else {
                throw DemoError(
                    description: "the performance test of \(app.sample.name) is \(ended.state): "
                        + (ended.failure?.detail ?? "Apple's verdict; see its result over the API"))
            }
            let rate = ended.result?.successRatePercent.map { ", \($0) % answered well" } ?? ""
            say("Sandbox: the performance test of \(app.sample.name): PASS\(rate)")
            return "PASS"
        }
    }

    private func awaitEnd(of test: Test, of app: BuiltApp) throws -> Test {
        var test = test
        let view = SyncView(app: app, environment: .sandbox, api: api)
        let what = "the verdict on \(app.sample.name)"
        try wait(for: what, within: Self.testLimit, view.waits) {
            test = try api.get("\(app.path)/performance-tests/\(test.id)")
            return test.isEnded ? [] : ["its performance test is \(test.state)"]
        }
        return test
    }

    // MARK: To production

    private struct Promotion: Encodable {
        let from = StoreEnvironment.sandbox.rawValue
        let to = StoreEnvironment.production.rawValue
    }

    private struct Promoted: Decodable {
        struct Counts: Decodable {
            let messages: Int
            let defaults: Int
        }

        let counts: Counts
    }

    private func promote(_ app: BuiltApp) throws {
        let made: Promoted = try api.post(
            "\(app.path)/promotions", Promotion(), expecting: 200)
        say(
            "promotion: \(made.counts.messages) messages and \(made.counts.defaults) defaults of "
                + "\(app.sample.name) are wanted in Production")
    }
}
