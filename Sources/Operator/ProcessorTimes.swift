internal import FoundationEssentials

/// How long one core of this machine has been busy, and with whomever: so that a measurement can
/// say how much of its core others took.
struct ProcessorTimes: Sendable {
    /// In seconds.
    let busy: Double
    let total: Double

    /// nil where there is no such core.
    init?(processor: Int) {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else {
            return nil
        }
        let line = text.split(separator: "\n").first { $0.hasPrefix("cpu\(processor) ") }
        // user nice system idle iowait irq softirq steal
        let fields = (line ?? "").split(separator: " ").dropFirst().prefix(8).compactMap {
            Double($0)
        }
        guard fields.count == 8 else { return nil }
        total = fields.reduce(0, +) / 100
        busy = total - (fields[3] + fields[4]) / 100
    }

    /// The share of the core's time since `earlier` that went to others than a process which used
    /// `ownSeconds` of it.
    func shareOfOthers(since earlier: ProcessorTimes, ownSeconds: Double) -> Double {
        let time = total - earlier.total
        return time > 0 ? max(0, busy - earlier.busy - ownSeconds) / time : 0
    }
}
