internal import FoundationEssentials
internal import Service
internal import Synchronization

/// Where decisions wait for PostgreSQL: files that only grow, in a folder of this process alone.
///
///     append ──> 0000000007.spool (growing)     shipper reads from the oldest on,
///                0000000006.spool (closed)  ──> removes a closed one once all of it is committed
///
/// A record is in the file when `append` returns, so a kill loses nothing; `sync`, once a second,
/// bounds what a power failure takes. After a restart what was not removed is shipped again: the
/// table's key makes a second copy of a record disappear. A new start opens a new file and never
/// writes behind a half record of the last one.
package final class DecisionSpool: Sendable {
    /// What one `read` takes in at most.
    package static let readBytesLimit = 256 << 10

    package struct Limits: Sendable {
        /// A file is closed at this size; what is shipped can be removed then.
        package var segmentBytes: Int64 = 1 << 20
        /// Some four million decisions: an hour of an outage at a thousand a second. Beyond it new
        /// ones are lost, and counted, rather than the disk filled.
        package var spoolBytes: Int64 = 1 << 30

        package init() {}
    }

    private struct Growing {
        var number: Int
        var file: AppendFile
        var bytes: Int64
        var closedBytes: Int64
    }

    package let directory: String
    private let limits: Limits
    private let ownership: AppendFile
    private let growing: Mutex<Growing>

    /// - Throws: `FileError.inUse` where another process has the folder.
    package init(directory: String, limits: Limits = Limits()) throws {
        self.directory = directory
        self.limits = limits
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        ownership = try AppendFile(path: directory + "/owner.lock")
        try ownership.lock()
        let earlier = try Self.segments(in: directory)
        let closed = try earlier.reduce(Int64(0)) {
            try $0 + FileBytes.sizeBytes(Self.path(directory, $1))
        }
        let number = (earlier.last ?? 0) + 1
        growing = Mutex(
            Growing(
                number: number, file: try AppendFile(path: Self.path(directory, number)), bytes: 0,
                closedBytes: closed))
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
            if growing.bytes + Int64(record.count) > limits.segmentBytes {
                try rotate(&growing)
            }
            do {
                try growing.file.append(record)
                growing.bytes += Int64(record.count)
            } catch {
                // Half a record would hide every whole one after it.
                try growing.file.truncate(toBytes: growing.bytes)
                throw error
            }
        }
    }

    package func sync() throws {
        try growing.withLock { $0.file }.sync()
    }

    private func rotate(_ growing: inout Growing) throws {
        let next = try AppendFile(path: Self.path(directory, growing.number + 1))
        try growing.file.sync()
        growing.file.close()
        growing = Growing(
            number: growing.number + 1, file: next, bytes: 0,
            closedBytes: growing.closedBytes + growing.bytes)
        try FileBytes.syncFolder(directory)
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

    private static let suffix = ".spool"
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

/// The spool has reached its limit, or the record is larger than any decision is.
package struct SpoolFull: Error, CustomStringConvertible {
    package let description =
        "the spool takes no more; find out why decisions do not reach PostgreSQL"
}

/// What one read of a spool file holds.
package struct SpoolBatch {
    package private(set) var decisions: [SpooledDecision] = []
    /// All that need not be read again, counted from where the read began.
    package private(set) var consumedBytes: Int64 = 0
    /// Bytes that are no whole record; they are stepped over.
    package private(set) var damagedBytes: Int64 = 0
    /// The read ended in the middle of what may be a record.
    package private(set) var hasRest = false

    /// A damaged length says nothing about where the next record begins, so after a record whose
    /// checksum is wrong the next whole one is looked for, byte by byte: a rotten byte costs its
    /// own record and no other.
    ///
    /// - Parameter endsFile: nothing follows, so what is cut at the end is damaged.
    package init(_ bytes: [UInt8], endsFile: Bool = false) {
        var position = 0
        while position < bytes.count {
            let end: Int
            switch Self.piece(of: bytes, at: position) {
            case .cut where !endsFile:
                hasRest = true
                return
            case .whole(let body):
                end = position + SpooledDecision.headBytes + body.count
                if let decision = SpooledDecision(body: body) {
                    decisions.append(decision)
                } else {
                    damagedBytes += Int64(end - position)
                }
            case .damaged, .cut:
                end = Self.nextRecord(in: bytes, after: position, endsFile: endsFile)
                damagedBytes += Int64(end - position)
            }
            consumedBytes += Int64(end - position)
            position = end
        }
    }

    private enum Piece {
        case whole([UInt8])
        case damaged
        /// May go on behind the end of what was read.
        case cut
    }

    private static func piece(of bytes: [UInt8], at position: Int) -> Piece {
        let start = position + SpooledDecision.headBytes
        guard start <= bytes.count else { return .cut }
        let length = Int(number(in: bytes, at: position))
        guard length > 0, length <= SpooledDecision.recordBytesLimit else { return .damaged }
        guard length <= bytes.count - start else { return .cut }
        let body = Array(bytes[start..<start + length])
        return CRC32.checksum(body) == number(in: bytes, at: position + 4) ? .whole(body) : .damaged
    }

    /// Where the next whole record begins; without one, the first place from which a record may go
    /// on behind the end.
    private static func nextRecord(
        in bytes: [UInt8], after position: Int, endsFile: Bool
    ) -> Int {
        var mayBeCut: Int?
        for place in position + 1..<bytes.count {
            switch piece(of: bytes, at: place) {
            case .whole(let body) where SpooledDecision(body: body) != nil: return place
            case .cut where !endsFile: mayBeCut = mayBeCut ?? place
            case .whole, .damaged, .cut: continue
            }
        }
        return mayBeCut ?? bytes.count
    }

    private static func number(in bytes: [UInt8], at position: Int) -> UInt32 {
        bytes[position..<position + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
