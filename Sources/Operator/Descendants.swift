internal import FoundationEssentials

/// The processes that descend from one, as the kernel lists them.
package enum Descendants {
    package static func pids(of ancestor: Int32) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let parents = names.compactMap { Int32($0) }.map { ($0, parent(of: $0)) }
        var found: [Int32] = []
        var frontier: Set = [ancestor]
        while !frontier.isEmpty {
            let next = parents.filter { frontier.contains($0.1 ?? 0) }.map(\.0)
            found += next
            frontier = Set(next)
        }
        return found
    }

    package static func isRunning(_ pid: Int32) -> Bool {
        guard let status = status(of: pid) else { return false }
        return !status.contains("State:\tZ")
    }

    private static func parent(of pid: Int32) -> Int32? {
        let line = status(of: pid)?.split(separator: "\n").first { $0.hasPrefix("PPid:") }
        return line.flatMap { Int32($0.dropFirst(5).drop { $0 == "\t" || $0 == " " }) }
    }

    private static func status(of pid: Int32) -> String? {
        FileManager.default.contents(atPath: "/proc/\(pid)/status").map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
