internal import FoundationEssentials
package import Retention
package import RetentionStore
internal import Service
internal import Synchronization

/// The snapshots in use, on this responder's own disk, for a start without the database.
///
///     poll ──> note(taken in, live apps, time) ──> memory
///                                                    │ flush, on a loop of its own
///                                                    ▼
///              TENANT_APP_Production.snapshot   one file an app and environment
///              looked-at                        when the database was last asked
///
/// A file is the snapshot as it came, with the digest it came with: keys in it stay sealed, and a
/// reader makes the same checks as for one out of the database. `looked-at` moves on only when
/// all that the look brought is on the disk, so that what is old is never taken for new.
package final class SnapshotFiles: Sendable {
    /// How often `looked-at` is written while nothing changes: what a restart may think too old.
    package static let stampInterval: Duration = .seconds(10)
    /// A look that lies further ahead than this was dated by a clock that was wrong.
    static let futureLimitMilliseconds: Int64 = 60_000

    private static let suffix = ".snapshot"
    private static let stampName = "looked-at"
    private static let stampBytesLimit = 32

    private struct State {
        var unwritten: [AppPlace: SnapshotBody] = [:]
        var live: Set<AppPlace> = []
        /// `nil` until the database was asked: the disk is left alone then.
        var lookedAt: Instant?
        /// What the folder is known to hold, by whose file.
        var cleaned: Set<AppPlace>?
        var stampedAt: ContinuousClock.Instant?
    }

    package let directory: String
    private let now: @Sendable () -> Instant
    private let ownership: AppendFile
    private let state = Mutex(State())
    /// How old what is here was when this process began, and when that was.
    private let atStart: (age: Duration?, uptime: ContinuousClock.Instant)

    /// - Parameter now: real time.
    /// - Throws: `FileError.inUse` where another process has the folder.
    package init(
        directory: String,
        now: @escaping @Sendable () -> Instant = { Instant(milliseconds: Clock.system.now()) }
    ) throws {
        self.directory = directory
        self.now = now
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        ownership = try AppendFile(path: directory + "/owner.lock")
        try ownership.lock()
        atStart = (Self.age(in: directory, at: now()), .now)
    }

    // MARK: Writing

    /// When a look at the database began, for `note`.
    func moment() -> Instant { now() }

    /// Remembers what a look at the database brought; `flush` writes it.
    func note(_ taken: [SnapshotBody], live: [SnapshotHead], lookedAt: Instant) {
        state.withLock { state in
            state.live = Set(live.map(\.place))
            state.unwritten = state.unwritten.filter { state.live.contains($0.key) }
            for stored in taken { state.unwritten[stored.head.place] = stored }
            state.lookedAt = lookedAt
        }
    }

    /// Brings the disk up to what was noted. Called from one thread at a time.
    ///
    /// - Throws: where the disk takes no more; what is left is tried again the next time.
    package func flush() throws {
        let seen = state.withLock { $0 }
        guard let lookedAt = seen.lookedAt else { return }
        var failure: (any Error)?
        for (place, stored) in seen.unwritten {
            do {
                try write(stored)
                state.withLock { state in
                    if state.unwritten[place] == stored { state.unwritten[place] = nil }
                }
            } catch {
                failure = error
            }
        }
        if seen.cleaned != seen.live {
            try removeOthers(than: seen.live)
            state.withLock { $0.cleaned = seen.live }
        }
        if let failure { throw failure }
        try stamp(lookedAt, isDue: !seen.unwritten.isEmpty || seen.cleaned != seen.live)
    }

    private func write(_ stored: SnapshotBody) throws {
        let path = path(stored.head)
        let bytes = SnapshotFileForm.head(of: stored) + stored.body
        // After a start all are taken in anew, and most of them are here.
        if (try? FileBytes.readAll(path, bytesLimit: bytes.count)) == bytes { return }
        try FileBytes.replace(path, with: bytes)
    }

    private func removeOthers(than live: Set<AppPlace>) throws {
        let kept = Set(live.map(Self.name))
        for name in try FileManager.default.contentsOfDirectory(atPath: directory)
        where isOurs(name) && !kept.contains(name) {
            try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
        }
        try FileBytes.syncFolder(directory)
    }

    private func stamp(_ lookedAt: Instant, isDue: Bool) throws {
        let last = state.withLock { $0.stampedAt }
        let isOld = last.map { $0.duration(to: .now) >= Self.stampInterval } ?? true
        guard isDue || isOld else { return }
        try FileBytes.replace(
            "\(directory)/\(Self.stampName)", with: Array("\(lookedAt.milliseconds)\n".utf8))
        state.withLock { $0.stampedAt = .now }
    }

    // MARK: Reading

    package struct Found: Sendable {
        package var snapshots: [SnapshotBody] = []
        /// Files that cannot be read, and why.
        package var refused: [(file: String, reason: String)] = []
        /// How long ago the database was last asked; `nil` where that cannot be told.
        package var age: Duration?
    }

    /// All that is on the disk. What is in a snapshot is not checked yet.
    package func read() throws -> Found {
        var found = Found()
        for name in try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        where name.hasSuffix(Self.suffix) {
            do {
                if let stored = try stored(in: name) {
                    found.snapshots.append(stored)
                } else {
                    found.refused.append((name, "undecodable"))
                }
            } catch {
                found.refused.append((name, error.code.rawValue))
            }
        }
        found.age = Self.age(in: directory, at: now())
        return found
    }

    /// What is there of this app from before the start, under whatever number; not checked yet.
    /// `nil` once it is too old to be said in full: whoever serves it takes it for new.
    func find(_ head: SnapshotHead) -> SnapshotBody? {
        guard let age = atStart.age, age + (.now - atStart.uptime) <= ServingMode.fullLimit else {
            return nil
        }
        return try? stored(in: Self.name(head.place))
    }

    private func stored(in name: String) throws(FileError) -> SnapshotBody? {
        let bytes = try FileBytes.readAll(
            "\(directory)/\(name)", bytesLimit: SnapshotFileForm.headBytes + Snapshot.bytesLimit)
        guard let stored = SnapshotFileForm.stored(in: bytes), Self.name(stored.head.place) == name
        else { return nil }
        return stored
    }

    private static func age(in directory: String, at now: Instant) -> Duration? {
        let path = "\(directory)/\(stampName)"
        guard let bytes = try? FileBytes.readAll(path, bytesLimit: stampBytesLimit),
            bytes.last == UInt8(ascii: "\n"),
            let lookedAt = Int64(String(decoding: bytes.dropLast(), as: UTF8.self)), lookedAt > 0
        else { return nil }
        let (age, isOver) = now.milliseconds.subtractingReportingOverflow(lookedAt)
        guard !isOver, age >= -futureLimitMilliseconds else { return nil }
        return .milliseconds(max(0, age))
    }

    // MARK: Names

    private func isOurs(_ name: String) -> Bool {
        name.hasSuffix(Self.suffix) || name.hasSuffix(Self.suffix + FileBytes.newSuffix)
    }

    private func path(_ head: SnapshotHead) -> String { "\(directory)/\(Self.name(head.place))" }

    private static func name(_ place: AppPlace) -> String {
        let (tenant, app) = (place.tenant.uuid.uuidString, place.key.app.uuid.uuidString)
        return "\(tenant)_\(app)_\(place.key.environment.rawValue)\(suffix)".lowercased()
    }
}

/// The form of a file, all numbers in network order:
///
///     "holdfast snapshot 1\n" │ tenant, app 16+16 │ environment u8 │ number i64 │ sha256 32 │ body
///                                                                        └── of the body ──┘
enum SnapshotFileForm {
    private static let mark = Array("holdfast snapshot 1\n".utf8)
    private static let digestBytes = 32
    static let headBytes = mark.count + 16 + 16 + 1 + 8 + digestBytes

    static func head(of stored: SnapshotBody) -> [UInt8] {
        var writer = CompactWriter()
        writer.append(stored.head.tenant.uuid)
        writer.append(stored.head.key.app.uuid)
        writer.append(UInt8(stored.head.key.environment == .production ? 1 : 0))
        writer.append(stored.head.number)
        return mark + writer.bytes + stored.sha256
    }

    static func stored(in bytes: [UInt8]) -> SnapshotBody? {
        guard bytes.count > headBytes, bytes.starts(with: mark) else { return nil }
        var reader = CompactReader(Array(bytes[mark.count..<headBytes - digestBytes]))
        guard let tenant = reader.uuid(), let app = reader.uuid(),
            let environment = reader.byte(), environment <= 1, let number = reader.integer()
        else { return nil }
        return SnapshotBody(
            head: SnapshotHead(
                tenant: TenantID(tenant),
                key: AppEnvironment(
                    app: AppID(app), environment: environment == 1 ? .production : .sandbox),
                number: number),
            body: Array(bytes[headBytes...]),
            sha256: Array(bytes[headBytes - digestBytes..<headBytes]))
    }
}
