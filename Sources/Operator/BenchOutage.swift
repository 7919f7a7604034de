internal import Foundation
internal import Synchronization

/// What came of the requests during one way to lose PostgreSQL.
package struct BenchOutage: Encodable, Sendable {
    package let name: String
    package let load: LoadReport

    package init(name: String, load: LoadReport) {
        self.name = name
        self.load = load
    }
}

extension [BenchOutage] {
    /// From the time a request was due to its whole answer, of the slowest one. What was never
    /// answered counts with the time it waited.
    package var longestMilliseconds: Double? { map(\.load.latencyMilliseconds.max).max() }
    package var due: Int { reduce(0) { $0 + $1.load.good + $1.load.wrong } }
    package var good: Int { reduce(0) { $0 + $1.load.good } }
    /// Of all that were due.
    package var percentGood: Double? { due > 0 ? 100 * Double(good) / Double(due) : nil }
    /// A 200 that is none of Apple's answers is wrong in any weather.
    package var isRight: Bool { allSatisfy { $0.load.malformed == 0 && $0.load.good > 0 } }

    package var gates: [BenchGate] {
        let build = BuildMode.name
        return [
            BenchGate(
                "longest answer while PostgreSQL is killed and started, stopped and continued",
                longestMilliseconds.map { [$0] } ?? [], must: 150, aim: 100, unit: " ms",
                rises: false, note: "\(due) requests, \(build) build"),
            BenchGate(
                "answers with 200 meanwhile", percentGood.map { [$0] } ?? [], must: 99, aim: 100,
                unit: " %", rises: true, note: "\(good) of \(due)"),
        ]
    }
}

/// Loses PostgreSQL while requests come at a fixed pace, in the two ways that differ most for who
/// asks it: the answer that it is gone, and no answer at all.
///
///     warm-up │ a fifth: as ever │ two fifths: lost │ two fifths: back again │
struct BenchOutagePlay {
    private static let connections = 64
    private static let returnLimit: Duration = .seconds(60)

    /// Of the phase, until PostgreSQL is lost, and until it is brought back.
    private static let lostAt = 0.2
    private static let backAt = 0.6

    private struct Fault {
        let name: String
        let begin: @Sendable () throws -> Void
        let end: @Sendable () throws -> Void
    }

    let stage: BenchStage
    let say: (String) -> Void

    private var settings: BenchSettings { stage.settings }

    /// With a responder that remembers nobody, so that each request would ask PostgreSQL.
    func play() throws -> [BenchOutage] {
        let postgres = stage.postgres
        let killed = Fault(name: "killed and started again") {
            postgres.killAll()
        } end: {
            try Self.startAgain(postgres)
        }
        let frozen = Fault(name: "stopped and continued") {
            postgres.freeze()
        } end: {
            postgres.thaw()
        }
        return try [killed, frozen].map { fault in
            say("PostgreSQL is \(fault.name) under \(settings.outagePace) requests a second")
            return BenchOutage(name: fault.name, load: LoadReport(try load(under: fault), nil))
        }
    }

    private func load(under fault: Fault) throws -> LoadResult {
        stage.stopResponder()
        try stage.startResponder(memory: 0)
        defer { stage.stopResponder() }
        let (app, count) = (stage.app, settings.outageBodies)
        let warmUp = count / 10
        let file = try stage.bodies(of: app, product: app.messageProduct, count: count + warmUp)
        let corpus = try RequestCorpus(target: stage.target(app), file: file)
        var generator = try LoadGenerator(
            corpus, to: stage.target(app), connections: Self.connections)
        let seconds = settings.outageSeconds
        let time = Duration.seconds(seconds)
        _ = try generator.run(.closed, within: .init(requests: warmUp, time: time))
        let trouble = Trouble(fault, during: Double(seconds))
        let result = Result {
            try generator.run(
                .open(perSecond: Double(settings.outagePace)),
                within: .init(requests: count, time: time))
        }
        try trouble.awaitEnd()
        return try result.get()
    }

    /// What is left of a dead server may hold its memory for a moment.
    private static func startAgain(_ postgres: PrivatePostgres) throws {
        let deadline = ContinuousClock.now + returnLimit
        while true {
            do {
                return try postgres.start()
            } catch {
                if ContinuousClock.now >= deadline { throw error }
            }
        }
    }

    /// The fault's own thread: the generator needs this one.
    private final class Trouble: Sendable {
        private let failure = Mutex<(any Error)?>(nil)
        private let done = DispatchGroup()

        init(_ fault: Fault, during seconds: Double) {
            done.enter()
            Thread.detachNewThread { [self] in
                defer { done.leave() }
                do {
                    Thread.sleep(forTimeInterval: seconds * lostAt)
                    try fault.begin()
                    Thread.sleep(forTimeInterval: seconds * (backAt - lostAt))
                    try fault.end()
                } catch {
                    failure.withLock { $0 = error }
                }
            }
        }

        func awaitEnd() throws {
            done.wait()
            if let error = failure.withLock({ $0 }) { throw error }
        }
    }
}
