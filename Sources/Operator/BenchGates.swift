/// One figure that must be reached, and whether it was.
package struct BenchGate: Codable, Sendable {
    package enum Verdict: String, Codable, Sendable {
        case aim
        case must
        case missed
        /// The piece that it measures is not built, or was not asked for.
        case notMeasured
    }

    package let name: String
    /// One value a round.
    package let values: [Double]
    package let must: Double
    package let aim: Double
    /// Behind each number, such as " times".
    package let unit: String
    /// Whether more is better.
    package let rises: Bool
    /// What stands behind the value, or why there is none.
    package let note: String

    package init(
        _ name: String, _ values: [Double], must: Double, aim: Double, unit: String = "",
        rises: Bool, note: String
    ) {
        self.name = name
        self.values = values
        self.must = must
        self.aim = aim
        self.unit = unit
        self.rises = rises
        self.note = note
    }

    package var value: Double? { Self.median(values) }

    package var verdict: Verdict {
        guard let value else { return .notMeasured }
        if rises ? value >= aim : value <= aim { return .aim }
        return (rises ? value >= must : value <= must) ? .must : .missed
    }

    /// The middle one, or the mean of the two in the middle.
    static func median(_ values: [Double]) -> Double? {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return nil }
        let half = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
    }
}

/// What p99 was with few and with many subscribers, or why there is no such figure.
struct GrowthReport: Encodable {
    let name: String
    let p99Ratio: Double?
    let note: String
}

/// The figures of a whole run, its rounds put together.
struct BenchGates: Encodable {
    let build = BuildMode.name
    let rounds: [BenchRound]
    let outages: [BenchOutage]
    let gates: [BenchGate]

    init(rounds: [BenchRound], growth: GrowthReport, outages: [BenchOutage]) {
        self.rounds = rounds
        self.outages = outages
        let build = BuildMode.name
        func middle(_ value: (BenchRound) -> Double?) -> String {
            BenchGate.median(rounds.compactMap(value)).map { String(Int($0)) } ?? "-"
        }
        let verify = middle { $0.verificationsPerSecond }
        let offers = middle { $0.offersPerSecond }
        gates =
            [
                BenchGate(
                    "answers a second and core, of what openssl verifies there",
                    rounds.map(\.messageShare), must: 0.66, aim: 0.80, rises: true,
                    note: "\(middle { $0.messages.closed.perProcessorSecond }) of \(verify)"),
                BenchGate(
                    "the same with a freshly signed offer, of 1 / (1/verify + 1/sign)",
                    rounds.map(\.offerShare), must: 0.71, aim: 0.85, rises: true,
                    note: "\(middle { $0.offers.closed.perProcessorSecond }) of \(offers)"),
                Self.serverTime("p50", 0, must: 2, aim: 1.6, rounds),
                Self.serverTime("p99", 1, must: 4, aim: 3, rounds),
                BenchGate(
                    growth.name, growth.p99Ratio.map { [$0] } ?? [], must: 1.20, aim: 1.05,
                    unit: " times", rises: false, note: growth.note + ", \(build) build"),
                BenchGate(
                    "the same job with FastAPI and Apple's Python library, its chain cache warm",
                    rounds.compactMap(\.peerTimes), must: 15, aim: 20, unit: " times slower",
                    rises: true,
                    note: rounds.contains { $0.peer != nil }
                        ? "\(middle { $0.peer?.perProcessorSecond }) answers a second and core"
                        : "not asked for"),
            ] + outages.gates
    }

    private static func serverTime(
        _ name: String, _ place: Int, must: Double, aim: Double, _ rounds: [BenchRound]
    ) -> BenchGate {
        let times = rounds.compactMap {
            $0.serverTimes.indices.contains(place) ? $0.serverTimes[place] : nil
        }
        let microseconds = rounds.compactMap {
            let all = $0.alone.serverMicroseconds
            return all.indices.contains(place) ? all[place] : nil
        }
        let found = BenchGate.median(microseconds).map(String.init(hundredths:)) ?? "-"
        let build = BuildMode.name
        return BenchGate(
            "server-side time \(name), one connection, profile from PostgreSQL, of a verification",
            times, must: must, aim: aim, unit: " times", rises: false,
            note: "\(found) us, \(build) build")
    }

    /// True where nothing was wrong and no "must" was missed.
    var isReached: Bool {
        rounds.allSatisfy(\.isRight) && outages.isRight
            && !gates.contains { $0.verdict == .missed }
    }
}
