// holdfast bench realtime: load on one responder of this machine, and what came of it.
internal import FoundationEssentials
internal import Service

extension Command {
    static let benchRealtime = Command(
        name: "bench realtime",
        meaning:
            "Put load on a responder of this machine: first as much as it takes, then at a fixed "
            + "rate.",
        grammar: ArgumentGrammar(options: [
            .init("--url", value: "URL", "http://127.0.0.1:PORT/realtime/TOKEN", .required),
            .init(
                "--bodies", value: "FILE", "signed by app-store-simulator corpus just now",
                .required),
            .init("--connections", value: "N", "kept open, 1 to 512 [64]"),
            .init("--seconds", value: "S", "of each of the two phases, 1 to 60 [3]"),
            .init("--warm-up", value: "N", "requests before anything counts [500]"),
            .init("--rate", value: "N", "requests a second at the fixed rate [half of the most]"),
            .init("--pid", value: "PID", "the responder's process, to tell its processor time"),
            .init("--expect", value: "KEY", "the key of Apple's that every answer must hold"),
            CommandOutput.option,
        ])
    ) { arguments, _ in
        let order = try RealtimeBenchOrder(arguments)
        let output = try CommandOutput(arguments)
        let report = try order.run()
        try output.write(report.table, json: report)
        return report.isRight ? ExitCode.success : ExitCode.failed
    }
}

/// What one run of the generator is to do.
struct RealtimeBenchOrder {
    private static let secondsRange = 1...60
    private static let rateRange = 1...1_000_000

    var target: LoadTarget
    var bodies: String
    var connections = 64
    var seconds = 3
    var warmUp = 500
    /// A second; nil is half of what the closed phase reaches.
    var rate: Int?
    var pid: Int32?
    var expected: String?

    init(target: LoadTarget, bodies: String) {
        self.target = target
        self.bodies = bodies
    }

    fileprivate init(_ arguments: Arguments) throws(UsageError) {
        target = try LoadTarget(url: arguments.value("--url") ?? "")
        bodies = arguments.value("--bodies") ?? ""
        let limit = LoopbackConnections.countLimit
        connections = try arguments.number("--connections", in: 1...limit) ?? connections
        seconds = try arguments.number("--seconds", in: Self.secondsRange) ?? seconds
        warmUp = try arguments.number("--warm-up", in: 0...100_000) ?? warmUp
        rate = try arguments.number("--rate", in: Self.rateRange)
        pid = try arguments.number("--pid", in: 1...Int(Int32.max)).map(Int32.init)
        expected = arguments.value("--expect")
    }

    func run() throws -> RealtimeBenchReport {
        let corpus = try RequestCorpus(target: target, file: bodies)
        var generator = try LoadGenerator(corpus, to: target, connections: connections)
        let time = Duration.seconds(seconds)
        // Of what is left after the warm-up, a third is kept for the fixed rate: at half of the
        // most it takes half as many.
        let warmUp = min(warmUp, corpus.requests.count / 4)
        let left = corpus.requests.count - warmUp
        _ = try generator.run(.closed, within: .init(requests: warmUp, time: time))
        let closed = try measured {
            try generator.run(.closed, within: .init(requests: left - left / 3, time: time))
        }
        let rate = rate.map(Double.init) ?? max(1, closed.result.perSecond / 2)
        let open = try measured {
            try generator.run(
                .open(perSecond: rate),
                within: .init(requests: corpus.requests.count - generator.position, time: time))
        }
        return RealtimeBenchReport(
            connections: connections, closed: LoadReport(closed.result, closed.cpuSeconds),
            rate: rate, open: LoadReport(open.result, open.cpuSeconds), expected: expected)
    }

    /// The phase's result, and the responder's processor time meanwhile.
    private func measured(
        _ phase: () throws -> LoadResult
    ) throws -> (result: LoadResult, cpuSeconds: Double?) {
        let before = pid.flatMap(ProcessTimes.init)
        let result = try phase()
        guard let before, let after = pid.flatMap(ProcessTimes.init) else { return (result, nil) }
        return (result, after.seconds - before.seconds)
    }
}

/// One phase as it is told.
package struct LoadReport: Codable, Sendable {
    let good: Int
    let answers: [String: Int]
    /// Answers of another status than 200, by status.
    let refusals: [String: Int]
    let malformed: Int
    let broken: Int
    let unanswered: Int
    let seconds: Double
    let perSecond: Double
    let latencyMilliseconds: LatencySummary
    /// Of the responder, for each good answer; absent where its process was not named.
    let cpuMicrosecondsPerAnswer: Double?

    init(_ result: LoadResult, _ cpuSeconds: Double?) {
        good = result.good
        answers = result.answers
        refusals = Dictionary(
            uniqueKeysWithValues: result.refusals.map { (String($0.key), $0.value) })
        malformed = result.malformed
        broken = result.broken
        unanswered = result.unanswered
        seconds = result.seconds
        perSecond = result.perSecond
        latencyMilliseconds = LatencySummary(result.latency)
        let good = result.good
        cpuMicrosecondsPerAnswer = cpuSeconds.flatMap { good > 0 ? $0 * 1e6 / Double(good) : nil }
    }

    package var wrong: Int { refusals.values.reduce(0, +) + malformed + broken + unanswered }

    /// Every answer was one of Apple's, and of the kind expected; there was at least one.
    func isRight(_ expected: String?) -> Bool {
        let isExpected = expected.map { answers[$0] == good } ?? true
        return good > 0 && wrong == 0 && isExpected
    }

    /// Answers a second of the responder's own processor time: what one core of it does.
    var perProcessorSecond: Double? { cpuMicrosecondsPerAnswer.map { 1e6 / $0 } }
}

/// What `holdfast bench realtime` tells.
package struct RealtimeBenchReport: Encodable {
    let build = BuildMode.name
    let connections: Int
    let closed: LoadReport
    let rate: Double
    let open: LoadReport
    let expected: String?

    package init(
        connections: Int, closed: LoadReport, rate: Double, open: LoadReport, expected: String?
    ) {
        self.connections = connections
        self.closed = closed
        self.rate = rate
        self.open = open
        self.expected = expected
    }

    /// Every answer was one of Apple's, and of the kind expected; there was at least one.
    var isRight: Bool { closed.isRight(expected) && open.isRight(expected) }

    var table: TextTable {
        let (fast, steady) = (closed.latencyMilliseconds, open.latencyMilliseconds)
        func row(_ name: String, _ value: (LatencySummary) -> Double) -> [String] {
            [
                "\(name), ms, \(build) build", String(hundredths: value(fast)),
                String(hundredths: value(steady)),
            ]
        }
        func count(_ name: String, _ value: (LoadReport) -> Int) -> [String] {
            [name, String(value(closed)), String(value(open))]
        }
        return TextTable(
            head: [
                "", "\(connections) CONNECTIONS, AS FAST AS IT GOES", "AT \(Int(rate)) A SECOND",
            ],
            rows: [
                row("p50", \.p50), row("p90", \.p90), row("p99", \.p99), row("p99.9", \.p999),
                row("longest", \.max),
                ["answers a second", String(Int(closed.perSecond)), String(Int(open.perSecond))],
                [
                    "answers a second of the responder's core",
                    closed.perProcessorSecond.map { String(Int($0)) } ?? "-",
                    open.perProcessorSecond.map { String(Int($0)) } ?? "-",
                ],
                [
                    "processor time an answer, us",
                    closed.cpuMicrosecondsPerAnswer.map(String.init(hundredths:)) ?? "-",
                    open.cpuMicrosecondsPerAnswer.map(String.init(hundredths:)) ?? "-",
                ],
                count("answered well") { $0.good },
                count("not 200") { $0.refusals.values.reduce(0, +) },
                count("200, but not Apple's form") { $0.malformed },
                count("connection broken") { $0.broken }, count("not answered") { $0.unanswered },
            ])
    }
}

extension String {
    /// With two digits after the point.
    init(hundredths value: Double) {
        guard value.isFinite, abs(value) < 1e12 else {
            self = "-"
            return
        }
        let hundredths = Int((abs(value) * 100).rounded())
        let digits = hundredths % 100
        self = "\(value < 0 ? "-" : "")\(hundredths / 100).\(digits < 10 ? "0" : "")\(digits)"
    }
}

extension Arguments {
    /// The number given with `option`, if it is there.
    func number(_ option: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = value(option) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(
                "\(option) is \(range.lowerBound) to \(range.upperBound), not '\(text)'")
        }
        return number
    }
}
