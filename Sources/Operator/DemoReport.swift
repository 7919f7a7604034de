internal import FoundationEssentials
internal import Retention
internal import RetentionStore

/// What the demo shows at its end: the table, the figures, and whether all was right.
///
/// The simulator says what it saw, PostgreSQL what was decided. Both must tell the same story: each
/// call decided exactly once, and what was displayed of the kind that was decided. What Apple's
/// performance tests sent was decided too.
struct DemoReport {
    private let agency: SampleAgency
    private let launch: AppLaunch.Report
    private let played: PageViewReport
    private let byRequest: [String: [StoredDecision]]
    private let decisionCount: Int
    private let decisionsOverAPI: Int
    private let appleCalls: AppleCallReport
    private let api: AdminClient.Counts

    init(
        agency: SampleAgency, launch: AppLaunch.Report, played: PageViewReport,
        decisions: [StoredDecision], decisionsOverAPI: Int, appleCalls: AppleCallReport,
        api: AdminClient.Counts
    ) {
        self.agency = agency
        self.launch = launch
        self.played = played
        self.decisionsOverAPI = decisionsOverAPI
        self.appleCalls = appleCalls
        self.api = api
        decisionCount = decisions.count
        byRequest = Dictionary(
            grouping: decisions, by: { $0.requestIdentifier.uuidString.lowercased() })
    }

    var isRight: Bool {
        wrong == 0 && played.statistics.answered == played.statistics.cancellations
            && played.statistics.cancellations > 0 && disagreements.isEmpty && api.failures == 0
            && launch.performanceTest == "PASS" && appleCalls.breaches.isEmpty
    }

    /// Answers that broke one of Apple's rules, and displays of another kind than decided.
    private var wrong: Int {
        played.statistics.wrong
            + played.results.count { $0.broken.isEmpty && isOtherThanDecided($0) }
    }

    /// Of page views: those of the performance tests are the rest.
    private var decidedViews: Int {
        played.results.filter(\.called).reduce(0) { $0 + decisions(for: $1).count }
    }

    private var decidedTests: Int { decisionCount - decidedViews }

    /// Calls that PostgreSQL does not know exactly once, and decisions that nobody called for.
    private var disagreements: [String] {
        let called = played.results.filter(\.called)
        let notOnce = called.compactMap { result -> String? in
            let times = decisions(for: result).count
            guard times != 1 else { return nil }
            return "request \(result.requestIdentifier ?? "?") is in PostgreSQL \(times) times"
        }
        let untold =
            decidedTests == launch.testRequests
            ? []
            : [
                "beside the page views PostgreSQL holds \(decidedTests) decisions, and the "
                    + "performance tests asked for \(launch.testRequests)"
            ]
        let unlisted =
            decisionsOverAPI == decisionCount
            ? [] : ["the admin API lists \(decisionsOverAPI) of \(decisionCount) decisions"]
        return notOnce + unlisted + untold
    }

    private func decisions(for result: PageViewReport.Result) -> [StoredDecision] {
        result.requestIdentifier.flatMap { byRequest[$0.lowercased()] } ?? []
    }

    private func isOtherThanDecided(_ result: PageViewReport.Result) -> Bool {
        guard result.display.layer == "realtime" else { return false }
        guard let kind = decisions(for: result).first?.kind else { return false }
        let displayed = result.display.kind
        return kind == .defaultMessage ? displayed != "message" : displayed != kind.rawValue
    }

    // MARK: For people

    var text: String {
        let figures = played.statistics
        let p50 = milliseconds(figures.p50Milliseconds)
        let p99 = milliseconds(figures.p99Milliseconds)
        let failures =
            (disagreements + appleCalls.breaches).map { "  \($0)\n" }
            + played.results.flatMap { result in
                result.broken.map { "  wrong: \($0.rule): \($0.message)\n" }
            }
        return """

            \(table)
            \(figures.pageViews) page views, \(figures.cancellations) of them calls to Holdfast, \
            \(figures.answered) answered, \(decidedViews) decisions in PostgreSQL
            performance tests: \(launch.performanceTest), \(decidedTests) decisions of theirs
            \(appleCalls.writes) writes and \(appleCalls.reads) reads of the sync at Apple, \
            \(appleCalls.breaches.count) of its rules broken
            \(figures.tapped) tapped Cancel: \(figures.shownRealtime) saw the real-time answer, \
            \(figures.shownFallback) a fallback, \(figures.shownNothing) nothing
            \(api.calls) calls of the admin API, \(api.failures) failed
            from call to whole answer, \(BuildMode.name) build: p50 \(p50), p99 \(p99)
            \(wrong) wrong

            """ + failures.prefix(20).joined()
    }

    private struct Row: Hashable {
        let app: String
        let locale: String
        let plan: String
        let shown: String
        let why: String
    }

    private var table: String {
        var durations: [Row: [Double]] = [:]
        var order: [Row] = []
        for result in played.results {
            let row = row(result)
            if durations[row] == nil { order.append(row) }
            durations[row, default: []] += result.milliseconds.map { [$0] } ?? []
        }
        let head = ["APP", "LOCALE", "PLAN", "SHOWN ON TAP", "WHY", "MS"]
        let rows = order.sorted { ($0.app, $0.plan, $0.locale) < ($1.app, $1.plan, $1.locale) }.map
        {
            let sorted = durations[$0, default: []].sorted()
            let median = sorted.isEmpty ? "-" : String(tenths: sorted[sorted.count / 2])
            return [$0.app, $0.locale, $0.plan, $0.shown, $0.why, median]
        }
        return TextTable(head: head, rows: rows).text
    }

    private func row(_ result: PageViewReport.Result) -> Row {
        let name = agency.appNames[result.appAppleId] ?? "?"
        return Row(
            app: result.environment == "Sandbox" ? "\(name) (sandbox)" : name,
            locale: result.userLocale,
            plan: result.productId.split(separator: ".").last.map(String.init) ?? "",
            shown: shown(result.display), why: why(result))
    }

    private func shown(_ display: PageViewReport.Display) -> String {
        guard display.layer != "nothing" else { return "nothing" }
        let extras = [
            display.billingPlanType.map { "switch, \($0)" }, display.offerIdentifier,
            display.hasImage ? "image" : nil,
            display.bulletPoints.isEmpty ? nil : "bullets",
        ].compactMap(\.self)
        return (display.header ?? "")
            + (extras.isEmpty ? "" : " [\(extras.joined(separator: ", "))]")
    }

    private func why(_ result: PageViewReport.Result) -> String {
        guard result.called else { return "not called: no default in this locale" }
        guard let decision = decisions(for: result).first else { return result.explanation }
        let rule = decision.rule.flatMap { agency.ruleNames[$0] }
        let reason = rule.map { "rule: \($0)" } ?? "the product's default"
        return result.display.layer == "realtime"
            ? "\(reason) (\(decision.localeServed ?? "-"))"
            : "\(result.display.layer), \(reason)"
    }

    private func milliseconds(_ value: Double?) -> String {
        value.map { "\(String(tenths: $0)) ms" } ?? "-"
    }

    // MARK: For machines

    /// One JSON object on one line.
    var jsonLine: String {
        let figures = played.statistics
        let line = DemoLine(
            page_views: figures.pageViews, cancellations: figures.cancellations,
            answered: figures.answered, shown_realtime: figures.shownRealtime,
            shown_fallback: figures.shownFallback, shown_nothing: figures.shownNothing,
            wrong: wrong, decisions: decidedViews, disagreements: disagreements.count,
            p50_ms: figures.p50Milliseconds ?? 0, p99_ms: figures.p99Milliseconds ?? 0,
            build: BuildMode.name, performance_test: launch.performanceTest,
            sync: DemoLine.Sync(writes: appleCalls.writes, reads: appleCalls.reads),
            api: DemoLine.API(calls: api.calls, failures: api.failures))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let bytes = (try? encoder.encode(line)) ?? Data()
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The last line of `demo --once`, in names that scripts rely on.
private struct DemoLine: Encodable {
    let page_views: Int
    let cancellations: Int
    let answered: Int
    let shown_realtime: Int
    let shown_fallback: Int
    let shown_nothing: Int
    let wrong: Int
    let decisions: Int
    let disagreements: Int
    let p50_ms: Double
    let p99_ms: Double
    let build: String
    /// "PASS" where Apple's test of every app ended so.
    let performance_test: String
    /// Calls of Apple.
    let sync: Sync
    let api: API

    struct Sync: Encodable {
        let writes: Int
        let reads: Int
    }

    struct API: Encodable {
        let calls: Int
        let failures: Int
    }
}

extension String {
    /// With one digit after the point.
    init(tenths value: Double) {
        let tenths = Int((value * 10).rounded())
        self = "\(tenths / 10).\(abs(tenths % 10))"
    }
}
