internal import Foundation

/// The part of `docs/performance.md` that a run writes, between two marks. What stands there was
/// measured; nobody edits it.
enum BenchDocument {
    static let begin = "<!-- figures: begin -->"
    static let end = "<!-- figures: end -->"

    /// Where, when and of what the figures are.
    struct Origin: Encodable {
        let date: String
        let commit: String
        let machine: String
    }

    /// The document with new figures between its marks; nil where it lacks them.
    static func renewed(_ document: String, with figures: String) -> String? {
        guard let first = document.range(of: begin), let last = document.range(of: end),
            first.upperBound <= last.lowerBound
        else { return nil }
        return document[..<first.upperBound] + "\n" + figures + document[last.lowerBound...]
    }

    static func figures(_ gates: BenchGates, _ origin: Origin) -> String {
        let rows = gates.gates.map { gate in
            let value = gate.value.map { String(hundredths: $0) + gate.unit } ?? "not measured"
            let must = String(hundredths: gate.must), aim = String(hundredths: gate.aim)
            return "| \(gate.name) | \(value) | \(must) | \(aim) | \(word(gate.verdict)) "
                + "| \(gate.note) |"
        }
        let rounds = gates.rounds.count
        let head = """
            Written by `deploy/bench` on \(origin.date), commit \(origin.commit), \
            **\(gates.build)** build, \(origin.machine). Medians of \(rounds) rounds.

            | what | value | must | aim | verdict | behind it |
            | --- | --- | --- | --- | --- | --- |

            """
        return head + rows.joined(separator: "\n") + "\n\n" + latencies(gates) + "\n"
            + disturbance(gates)
    }

    private static func word(_ verdict: BenchGate.Verdict) -> String {
        switch verdict {
        case .aim: "aim reached"
        case .must: "must reached"
        case .missed: "**missed**"
        case .notMeasured: "not measured"
        }
    }

    private static func latencies(_ gates: BenchGates) -> String {
        let build = gates.build
        func row(_ name: String, _ value: (BenchRound) -> LatencySummary) -> String {
            func middle(_ part: (LatencySummary) -> Double) -> String {
                String(hundredths: BenchGate.median(gates.rounds.map { part(value($0)) }) ?? 0)
            }
            return "| \(name), \(build) build | \(middle(\.p50)) | \(middle(\.p90)) "
                + "| \(middle(\.p99)) | \(middle(\.p999)) | \(middle(\.max)) |\n"
        }
        return """
            | from the time it was due to the answer, ms | p50 | p90 | p99 | p99.9 | longest |
            | --- | --- | --- | --- | --- | --- |

            """
                + row("message, half of the most", \.messages.open.latencyMilliseconds)
                + row("offer, half of the most", \.offers.open.latencyMilliseconds)
                + row(
                    "message, as fast as 64 connections go", \.messages.closed.latencyMilliseconds)
                + row("message, one connection", \.alone.load.latencyMilliseconds)
    }

    private static func disturbance(_ gates: BenchGates) -> String {
        let shares = gates.rounds.map { String(hundredths: $0.shareOfOthers * 100) + " %" }
        let wrong = gates.rounds.reduce(0) { $0 + $1.wrong }
        return "Of the measured core others took \(shares.joined(separator: ", ")) in the rounds. "
            + "\(wrong) of the rounds' answers were wrong or missing, the peer's among them.\n"
    }
}
