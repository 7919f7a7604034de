import Foundation
import Responder
import Service
import Synchronization
import TestSupport
import Testing

/// What a disk that is slow or full does to the spool, and what it must not do to an answer.
@Suite struct SpoolDiskTests {
    private let folder: SpoolFolder
    private let disk = FaultyDisk()

    init() throws {
        folder = try SpoolFolder()
    }

    private func spool(recordsInFile: Int) throws -> DecisionSpool {
        var limits = DecisionSpool.Limits()
        limits.segmentBytes = Int64(recordsInFile * record().encoded().count)
        return try DecisionSpool(directory: folder.path, limits: limits) { [disk] in
            FaultyFile(file: try AppendFile(path: $0), disk: disk)
        }
    }

    private func record() -> SpooledDecision { Samples.spooled(Samples.decisions[0]) }

    /// All files in their order, each read to its end as a closed one.
    private func found(_ spool: DecisionSpool) throws -> [SpooledDecision] {
        try spool.segments().all.flatMap {
            try spool.read($0, from: 0, isClosed: true).decisions
        }
    }

    @Test func `no append waits for the disk, whatever file it closes`() throws {
        let spool = try spool(recordsInFile: 2)
        for _ in 0..<11 { try spool.append(record()) }
        #expect(try spool.segments().all.count == 6)
        #expect(disk.synced.isEmpty)
        try spool.sync()
        #expect(disk.synced == [1, 2, 3, 4, 5, 6])
        #expect(disk.closed == [1, 2, 3, 4, 5])
        try spool.sync()
        #expect(disk.synced == [1, 2, 3, 4, 5, 6, 6])
    }

    @Test func `a file whose sync fails is synced the next time`() throws {
        let spool = try spool(recordsInFile: 1)
        for _ in 0..<3 { try spool.append(record()) }
        disk.refuse(.sync)
        #expect(throws: DiskFault.self) { try spool.sync() }
        #expect(disk.closed.isEmpty)
        disk.refuse(nil)
        try spool.sync()
        #expect(disk.synced == [1, 2, 3])
    }

    @Test func `while a sync hangs, appends go on and open files stay few`() throws {
        let spool = try spool(recordsInFile: 1)
        try spool.append(record())
        disk.holdSync()
        let syncing = ParallelWork { try spool.sync() }
        #expect(becomesTrue { disk.isSyncing })
        // Released before anything is expected, so that a wait fails this test and hangs no other.
        let record = record()
        let appending = ParallelWork { for _ in 0..<200 { try spool.append(record) } }
        let appended = Result { try appending.value(within: .seconds(30)) }
        let openFiles = disk.opened.count - disk.closed.count
        disk.releaseSync()
        try appended.get()
        #expect(openFiles < 80)
        try syncing.value()
        #expect(try found(spool).count == 201)
    }

    /// A full disk takes a part of a record, and may refuse to cut it off again.
    @Test(arguments: [false, true])
    func `a half record costs itself alone, cut off or not`(truncates: Bool) throws {
        let spool = try spool(recordsInFile: 1_000)
        let records = (0..<6).map { _ in record() }
        try spool.append(records[0])
        for round in 1...2 {
            disk.refuse(truncates ? .append : .appendAndTruncate)
            for _ in 0..<2 {
                #expect(throws: DiskFault.self) { try spool.append(record()) }
            }
            disk.refuse(nil)
            try spool.append(records[round])
        }
        for record in records[3...] { try spool.append(record) }
        #expect(try found(spool) == records)
        let segments = try spool.segments()
        // Each refused append spoils the file that the one before began.
        #expect(segments.all.count == (truncates ? 1 : 5))
        for segment in segments.all where segment < segments.growing { try spool.remove(segment) }
    }

    @Test func `room taken by a half record is given back with its file`() throws {
        var limits = DecisionSpool.Limits()
        limits.spoolBytes = Int64(record().encoded().count * 3)
        let disk = disk
        let spool = try DecisionSpool(directory: folder.path, limits: limits) {
            FaultyFile(file: try AppendFile(path: $0), disk: disk)
        }
        for _ in 0..<50 {
            disk.refuse(.appendAndTruncate)
            #expect(throws: DiskFault.self) { try spool.append(record()) }
            disk.refuse(nil)
            try spool.append(record())
            try spool.remove(try #require(spool.segments().all.first))
        }
        #expect(try spool.segments().all == [spool.segments().growing])
    }
}

struct DiskFault: Error {}

/// What one disk was asked, and what it refuses.
final class FaultyDisk: Sendable {
    enum Refusal {
        case append, appendAndTruncate, sync
    }

    private struct State {
        var refusal: Refusal?
        var isHeld = false
        var isSyncing = false
        var opened: [Int] = []
        var synced: [Int] = []
        var closed: [Int] = []
    }

    private let state = Mutex(State())
    private let released = DispatchSemaphore(value: 0)

    var opened: [Int] { state.withLock { $0.opened } }
    var synced: [Int] { state.withLock { $0.synced } }
    var closed: [Int] { state.withLock { $0.closed } }
    var isSyncing: Bool { state.withLock { $0.isSyncing } }

    func refuse(_ refusal: Refusal?) { state.withLock { $0.refusal = refusal } }

    func holdSync() { state.withLock { $0.isHeld = true } }

    func releaseSync() {
        state.withLock { $0.isHeld = false }
        released.signal()
    }

    fileprivate func isRefused(_ refusals: Refusal...) -> Bool {
        state.withLock { state in state.refusal.map { refusals.contains($0) } ?? false }
    }

    fileprivate func opens(_ number: Int) { state.withLock { $0.opened.append(number) } }

    fileprivate func closes(_ number: Int) { state.withLock { $0.closed.append(number) } }

    fileprivate func syncs(_ number: Int) {
        let waits = state.withLock { state in
            state.isSyncing = true
            state.synced.append(number)
            return state.isHeld
        }
        if waits { released.wait() }
    }
}

/// A real file on that disk.
private final class FaultyFile: SpoolFile {
    private let file: AppendFile
    private let disk: FaultyDisk
    private let number: Int

    init(file: AppendFile, disk: FaultyDisk) {
        self.file = file
        self.disk = disk
        number = Int(file.path.suffix(16).prefix(10)) ?? 0
        disk.opens(number)
    }

    func append(_ record: [UInt8]) throws {
        if disk.isRefused(.append, .appendAndTruncate) {
            try file.append(Array(record.prefix(record.count / 2)))
            throw DiskFault()
        }
        try file.append(record)
    }

    func truncate(toBytes size: Int64) throws {
        if disk.isRefused(.appendAndTruncate) { throw DiskFault() }
        try file.truncate(toBytes: size)
    }

    func sync() throws {
        if disk.isRefused(.sync) { throw DiskFault() }
        disk.syncs(number)
    }

    func close() {
        disk.closes(number)
        file.close()
    }
}
