internal import FoundationEssentials
internal import Service
internal import Synchronization

/// Where decisions wait for PostgreSQL: files that only grow, in a folder of this process alone.
///
///     append ──> 0000000007.spool (growing)     shipper reads from the oldest on,
///                0000000006.spool (closed)  ──> removes a closed one once all of it is committed
///
/// A record is in the file when `append` returns, so a kill loses nothing; `sync`, once a second,
/// bounds what a power failure takes. No answer ever waits for the disk: a file that is closed is
/// left to the next `sync` as well. After a restart what was not removed is shipped again: the
/// table's key makes a second copy of a record disappear. A new start opens a new file and never
/// writes behind a half record of the last one; nor does this one behind a half record that it
/// could not cut off.
package final class DecisionSpool: Sendable {
    /// What one `read` takes in at most.
    package static let readBytesLimit = 256 << 10

    /// Closed files that may wait for a `sync` which hangs; the oldest beyond it are left to the
    /// system, which writes them back by itself, rather than all file descriptors used up.
    private static let unsyncedFilesLimit = 64

    package struct Limits: Sendable {
        /// A file is closed at this size; what is shipped can be removed then.
        package var segmentBytes: Int64 = 1 << 20
        /// Some four million decisions: an hour of an outage at a thousand a second. Beyond it new
        /// ones are lost, and counted, rather than the disk filled. Files that are kept count too.
        package var spoolBytes: Int64 = 1 << 30
        /// Some sixty thousand decisions to look into; nobody empties the file but a person.
        package var rejectsBytes: Int64 = 16 << 20

        package init() {}
    }

    private struct Growing {
        var number: Int
        var file: any SpoolFile
        var bytes: Int64 = 0
        var closedBytes: Int64
        /// A half record stands at its end, which nothing may be written behind.
        var isSpoiled = false
        var unsynced: [Unsynced] = []
        /// The name of a file has not been made to last yet.
        var hasNewName = false
    }

    /// A closed file that the disk may not have yet.
    private struct Unsynced {
        let number: Int
        let file: any SpoolFile
    }

    package let directory: String
    private let limits: Limits
    private let open: @Sendable (_ path: String) throws -> any SpoolFile
    private let ownership: AppendFile
    private let growing: Mutex<Growing>

    /// - Parameter open: opens or makes a file for appending.
    /// - Throws: `FileError.inUse` where another process has the folder.
    package init(
        directory: String, limits: Limits = Limits(),
        open: @escaping @Sendable (_ path: String) throws -> any SpoolFile = {
            try AppendFile(path: $0)
        }
    ) throws {
        self.directory = directory
        self.limits = limits
        self.open = open
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        ownership = try AppendFile(path: directory + "/owner.lock")
        try ownership.lock()
        try Self.takeBackKept(in: directory)
        let earlier = try Self.segments(in: directory)
        let closed = try earlier.reduce(Int64(0)) {
            try $0 + FileBytes.sizeBytes(Self.path(directory, $1))
        }
        let number = (earlier.last ?? 0) + 1
        growing = Mutex(
            Growing(
                number: number, file: try open(Self.path(directory, number)), closedBytes: closed))
        try FileBytes.syncFolder(directory)
    }

    /// Returns once the record is in the file.
    ///
    /// - Throws: `SpoolFull`, or `FileError` where the disk takes no more.
    package func append(_ decision: SpooledDecision) throws {
        let record = decision.encoded()
        guard record.count <= SpooledDecision.recordBytesLimit else { throw SpoolFull() }
        try growing.withLock { growing in
            guard growing.closedBytes + growing.bytes + Int64(record.count) <= limits.spoolBytes
            else { throw SpoolFull() }
            if growing.isSpoiled || growing.bytes + Int64(record.count) > limits.segmentBytes {
                try rotate(&growing)
            }
            do {
                try growing.file.append(record)
                growing.bytes += Int64(record.count)
            } catch {
                cutOff(record, of: &growing)
                throw error
            }
        }
    }

    /// Half a record would cost what is written behind it: it is cut off, or else the next record
    /// begins another file.
    private func cutOff(_ record: [UInt8], of growing: inout Growing) {
        do {
            try growing.file.truncate(toBytes: growing.bytes)
        } catch {
            growing.isSpoiled = true
            let size = try? FileBytes.sizeBytes(Self.path(directory, growing.number))
            growing.bytes = size ?? growing.bytes + Int64(record.count)
        }
    }

    /// Waits until everything appended before is on the disk, closed files first. Appending goes on
    /// meanwhile. Called from one thread at a time.
    package func sync() throws {
        let (closed, current, hasNewName) = growing.withLock { growing in
            defer { growing.hasNewName = false }
            return (growing.unsynced, growing.file, growing.hasNewName)
        }
        do {
            for one in closed where isUnsynced(one.number) {
                try one.file.sync()
                one.file.close()
                growing.withLock { $0.unsynced.removeAll { $0.number == one.number } }
            }
            try current.sync()
            if hasNewName { try FileBytes.syncFolder(directory) }
        } catch {
            if hasNewName { growing.withLock { $0.hasNewName = true } }
            throw error
        }
    }

    private func isUnsynced(_ segment: Int) -> Bool {
        growing.withLock { growing in growing.unsynced.contains { $0.number == segment } }
    }

    /// On an answer's path, so it only opens a file; `sync` does the rest.
    private func rotate(_ growing: inout Growing) throws {
        let next = try open(Self.path(directory, growing.number + 1))
        growing.unsynced.append(Unsynced(number: growing.number, file: growing.file))
        if growing.unsynced.count > Self.unsyncedFilesLimit {
            growing.unsynced.removeFirst().file.close()
        }
        growing.closedBytes += growing.bytes
        growing.number += 1
        growing.file = next
        growing.bytes = 0
        growing.isSpoiled = false
        growing.hasNewName = true
    }

    /// The numbers of all files, oldest first, and the one that still grows.
    ///
    /// The folder is read first: a file made meanwhile is then not listed at all, rather than
    /// listed and taken for a closed one.
    package func segments() throws -> (all: [Int], growing: Int) {
        let all = try Self.segments(in: directory)
        return (all, growing.withLock { $0.number })
    }

    package func sizeBytes(_ segment: Int) throws -> Int64 {
        try FileBytes.sizeBytes(Self.path(directory, segment))
    }

    /// Whole records from `offset` on, as many as fit into one read.
    ///
    /// - Parameter isClosed: nothing is appended any more, so the end of the file is no record in
    ///   the making but what a crash or a full disk left.
    package func read(
        _ segment: Int, from offset: Int64, isClosed: Bool = false
    ) throws -> SpoolBatch {
        let bytes = try FileBytes.read(
            Self.path(directory, segment), from: offset, count: Self.readBytesLimit)
        return SpoolBatch(bytes, endsFile: isClosed && bytes.count < Self.readBytesLimit)
    }

    /// Forgets a closed file.
    package func remove(_ segment: Int) throws {
        let path = Self.path(directory, segment)
        let bytes = try FileBytes.sizeBytes(path)
        try FileManager.default.removeItem(atPath: path)
        growing.withLock { $0.closedBytes -= bytes }
    }

    /// Puts a closed file aside that holds records of another build. It goes on counting as part of
    /// the spool, and every start looks at it again: the one that can read it ships it.
    package func keep(_ segment: Int) throws {
        let path = Self.path(directory, segment)
        try FileManager.default.moveItem(atPath: path, toPath: path + Self.keptSuffix)
        try FileBytes.syncFolder(directory)
    }

    /// Writes down a decision that no table takes.
    ///
    /// - Returns: false where the file is at its limit, and the decision lost.
    package func setAside(_ decision: SpooledDecision) throws -> Bool {
        let record = decision.encoded()
        let file = try AppendFile(path: directory + "/rejected.spool-rejects")
        defer { file.close() }
        guard try file.sizeBytes() + Int64(record.count) <= limits.rejectsBytes else {
            return false
        }
        try file.append(record)
        try file.sync()
        return true
    }

    private static func takeBackKept(in directory: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory)
        where name.hasSuffix(suffix + keptSuffix) {
            let path = "\(directory)/\(name)"
            let earlier = String(path.dropLast(keptSuffix.utf8.count))
            guard !FileManager.default.fileExists(atPath: earlier) else { continue }
            try FileManager.default.moveItem(atPath: path, toPath: earlier)
        }
    }

    private static let suffix = ".spool"
    private static let keptSuffix = "-kept"
    private static let digits = 10

    private static func path(_ directory: String, _ segment: Int) -> String {
        let number = String(segment)
        let zeros = String(repeating: "0", count: max(0, digits - number.utf8.count))
        return "\(directory)/\(zeros)\(number)\(suffix)"
    }

    private static func segments(in directory: String) throws -> [Int] {
        try FileManager.default.contentsOfDirectory(atPath: directory)
            .compactMap { name in
                // Only names that we give: another file, such as a copy somebody made, is not ours.
                let number = Int(name.prefix(digits))
                return number.flatMap { path(directory, $0) == "\(directory)/\(name)" ? $0 : nil }
            }
            .sorted()
    }
}

/// What the spool asks of a file that grows.
package protocol SpoolFile: Sendable {
    /// One write. Where it throws, a part of the record may stand in the file.
    func append(_ record: [UInt8]) throws
    func truncate(toBytes size: Int64) throws
    func sync() throws
    func close()
}

extension AppendFile: SpoolFile {}

/// The spool has reached its limit, or the record is larger than any decision is.
package struct SpoolFull: Error, CustomStringConvertible {
    package let description =
        "the spool takes no more; find out why decisions do not reach PostgreSQL"
}
