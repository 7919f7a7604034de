internal import Retention
internal import Service

/// Whether answers grow slower with what is served: 99th percentile at a fixed rate with one app
/// of 1,000 subscribers, then with 1,000 apps of 10,000 each.
struct BenchGrowth {
    private static let smallSubscribers = 1_000
    private static let apps = 1_000
    private static let subscribersOfApp = 10_000
    /// So many of the apps are asked, evenly spread.
    private static let askedApps = 50
    private static let perSecond = 1_000
    private static let seconds = 6
    private static let rounds = 3
    let stage: BenchStage
    let say: (String) -> Void

    private var name: String {
        "p99 from 1 app with \(Self.smallSubscribers) subscribers to \(Self.apps) apps with "
            + "\(Self.apps * Self.subscribersOfApp / 1_000_000) million"
    }

    /// In milliseconds, with one app and its few subscribers; nil without `--full`. To be called
    /// before anything else is loaded.
    func measureFew() throws -> Double? {
        guard stage.settings.isFull else { return nil }
        say("measuring with one app of \(Self.smallSubscribers) subscribers")
        try stage.loadProfiles(Self.smallSubscribers, into: stage.app)
        try stage.startResponder()
        defer { stage.stopResponder() }
        return try p99(of: [stage.app], subscribers: Self.smallSubscribers)
    }

    /// - Parameter small: what `measureFew` found.
    func measureMany(after small: Double?) throws -> GrowthReport {
        guard let small else { return none("only with --full") }
        say("making \(Self.apps) apps with \(Self.subscribersOfApp) subscribers each")
        try stage.addApps(Self.apps - 1)
        for app in stage.apps { try stage.loadProfiles(Self.subscribersOfApp, into: app) }
        // It begins with everything, as after a restart in production.
        stage.stopResponder()
        try stage.startResponder()
        let step = Self.apps / Self.askedApps
        let asked = stride(from: 0, to: stage.apps.count, by: step).map { stage.apps[$0] }
        let large = try p99(of: asked, subscribers: Self.subscribersOfApp)
        return GrowthReport(
            name: name, p99Ratio: large / small,
            note: "\(String(hundredths: small)) ms to \(String(hundredths: large)) ms")
    }

    private func none(_ why: String) -> GrowthReport {
        GrowthReport(name: name, p99Ratio: nil, note: why)
    }

    /// In milliseconds, the median of some rounds.
    private func p99(of apps: [BenchApp], subscribers: Int) throws -> Double {
        let count = Self.perSecond * Self.seconds / apps.count
        let found = try (0..<Self.rounds).map { _ in
            let parts = try apps.map { app in
                let file = try stage.bodies(
                    of: app, product: app.messageProduct, count: count + 10,
                    subscribers: subscribers)
                return try RequestCorpus(target: stage.target(app), file: file)
            }
            let corpus = RequestCorpus(takingTurns: parts)
            var generator = try LoadGenerator(
                corpus, to: stage.target(apps[0]), connections: 16)
            _ = try generator.run(
                .closed, within: .init(requests: 10 * apps.count, time: .seconds(5)))
            let result = try generator.run(
                .open(perSecond: Double(Self.perSecond)),
                within: .init(requests: count * apps.count, time: .seconds(Self.seconds)))
            guard result.wrong == 0 else {
                throw LoadError(description: "\(result.wrong) answers were wrong or missing")
            }
            return LatencySummary(result.latency).p99
        }
        return BenchGate.median(found) ?? 0
    }
}
