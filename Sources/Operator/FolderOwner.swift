internal import FoundationEssentials

/// Whose a folder is, written into it, so that what a killed process left behind can be removed
/// by the next one.
///
/// A pid alone would not do: it is used again after a while, and means another process in another
/// container. So the time the process started and its pid namespace stand beside it.
enum FolderOwner {
    private static let fileName = "owner"

    static func sign(_ folder: String) throws {
        guard let us = identity(of: "self") else { return }
        try us.write(toFile: "\(folder)/\(fileName)", atomically: false, encoding: .utf8)
    }

    /// Removes the folders beside ours whose owner is gone. What cannot be removed, or was signed
    /// elsewhere, stays: sweeping is a courtesy.
    static func sweep(_ parent: String, prefix: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(prefix) && isOrphan("\(parent)/\(name)") {
            try? FileManager.default.removeItem(atPath: "\(parent)/\(name)")
        }
    }

    private static func isOrphan(_ folder: String) -> Bool {
        guard let us = identity(of: "self"), let owner = text("\(folder)/\(fileName)") else {
            return false
        }
        let parts = owner.split(separator: " ")
        guard parts.count == 3, parts[2] == us.split(separator: " ").last else { return false }
        return identity(of: String(parts[0])) != owner
    }

    /// `pid start-time namespace`, or nil if there is no such process.
    private static func identity(of process: String) -> String? {
        let link = "/proc/\(process)/ns/pid"
        let namespace = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
        guard let stat = text("/proc/\(process)/stat"), let namespace,
            let pid = stat.split(separator: " ").first,
            // The name stands in brackets and may itself hold brackets and spaces.
            let afterName = stat.lastIndex(of: ")")
        else { return nil }
        // Field 22 of the whole; the third is the first after the name.
        let fields = stat[stat.index(after: afterName)...].split(separator: " ")
        guard fields.count > 19 else { return nil }
        return "\(pid) \(fields[19]) \(namespace)"
    }

    private static func text(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }
}
