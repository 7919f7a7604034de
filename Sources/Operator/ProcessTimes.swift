internal import FoundationEssentials

/// The processor time of one process of this machine, as the kernel counts it: in hundredths of a
/// second.
package struct ProcessTimes: Sendable {
    private static let ticksPerSecond = 100.0

    /// Of all its threads, in user and in kernel mode together.
    package let seconds: Double
    /// The same by the threads' names; threads that ended are missing.
    package let secondsByThread: [String: Double]

    /// nil where there is no such process.
    package init?(of pid: Int32) {
        guard let whole = Self.read("/proc/\(pid)/stat") else { return nil }
        seconds = whole.seconds
        let tasks =
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
        var byThread: [String: Double] = [:]
        for task in tasks {
            guard let thread = Self.read("/proc/\(pid)/task/\(task)/stat") else { continue }
            byThread[thread.name, default: 0] += thread.seconds
        }
        secondsByThread = byThread
    }

    private static func read(_ path: String) -> (name: String, seconds: Double)? {
        // The name stands in brackets and may itself hold brackets and spaces.
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")"), open < close
        else { return nil }
        // Fields 14 and 15 of the whole; the third is the first after the name.
        let fields = text[text.index(after: close)...].split(separator: " ")
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12])
        else { return nil }
        let name = String(text[text.index(after: open)..<close])
        return (name, (user + system) / ticksPerSecond)
    }
}
