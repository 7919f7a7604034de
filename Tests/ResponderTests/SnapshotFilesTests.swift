import Foundation
import Operator
import Postgres
import Responder
import Retention
import RetentionStore
import Service
import Signing
import TestSupport
import Testing

/// Snapshots on the disk: what a start without the database has.
@Suite(.database) struct SnapshotFilesTests {
    private let clocks = Clocks()
    private let folder: SpoolFolder

    init() throws {
        folder = try SpoolFolder()
    }

    private func cold(_ stage: Stage, reaches database: Bool = false) throws -> ColdStage {
        try ColdStage(
            stage, folder: folder, wall: clocks.wall, uptime: clocks.uptime, reaches: database)
    }

    /// What a responder leaves that read the database.
    private func fill(_ stage: Stage) throws {
        let warm = try cold(stage, reaches: true)
        try warm.feed.poll()
        try warm.files.flush()
    }

    private var directory: String { folder.path + "/snapshots" }

    private func snapshotFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory)
            .filter { $0.hasSuffix(".snapshot") }.sorted()
    }

    private func path(_ name: String) -> String { "\(directory)/\(name)" }

    /// The file of an app in production.
    private func file(of stage: Stage, _ place: Int) throws -> String {
        let app = stage.agency.keys[place].app.uuid.uuidString.lowercased()
        return try #require(
            snapshotFiles().first { $0.contains(app) && $0.contains("production") })
    }

    @Test func `without a database a start answers from the disk as before, offers too`() throws {
        let stage = try Stage()
        try fill(stage)
        let cold = try cold(stage)
        #expect(!cold.feed.hasSnapshots)
        #expect(cold.feed.restore())
        #expect(cold.feed.hasSnapshots)
        #expect(cold.apps.count == stage.apps.count)
        #expect(Set(cold.apps.heads) == Set(stage.apps.heads))
        #expect(try cold.kind(Asked(stage.app(news)), to: stage.app(news)) == "message")
        #expect(try cold.kind(Asked(stage.app(kids)), to: stage.app(kids)) == "promotionalOffer")
        #expect(cold.conditions.age.mode == .full)
    }

    @Test func `files are this user's alone, and keys in them stay sealed`() throws {
        let stage = try Stage()
        try fill(stage)
        let names = try snapshotFiles()
        #expect(names.count == stage.apps.count)
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        // Whoever has the files alone can sign nothing.
        let stranger = try Stage(opensWith: try PrivateKey.generate())
        let blind = try ColdStage(
            stranger, folder: try SpoolFolder(), wall: clocks.wall, uptime: clocks.uptime)
        for name in names {
            try FileManager.default.copyItem(
                atPath: path(name), toPath: "\(blind.files.directory)/\(name)")
        }
        #expect(blind.feed.restore())
        #expect(blind.metrics.keyRefused.value() > 0)
    }

    @Test func `a damaged file is refused and told, the others serve`() throws {
        let stage = try Stage()
        try fill(stage)
        let name = try file(of: stage, 0)
        let whole = try FileBytes.readAll(path(name), bytesLimit: 1 << 20)
        let head = 93
        var (flipped, renumbered, foreign) = (whole, whole, whole)
        flipped[whole.count - 10] ^= 1
        renumbered[60] ^= 1
        foreign[25] ^= 1
        let damages: [(bytes: [UInt8], reason: String)] = [
            (flipped, "checksumMismatch"), (Array(whole.dropLast(1)), "checksumMismatch"),
            (whole + [0], "checksumMismatch"), (renumbered, "otherIdentity"),
            (foreign, "undecodable"), ([], "undecodable"),
            (Array(whole.prefix(head)), "undecodable"),
            (Array(whole.prefix(10)), "undecodable"), (Array("{}".utf8), "undecodable"),
        ]
        for (bytes, reason) in damages {
            try FileBytes.replace(path(name), with: bytes)
            let cold = try cold(stage)
            #expect(cold.feed.restore())
            #expect(cold.apps.count == stage.apps.count - 1, "\(reason)")
            #expect(cold.metrics.snapshotRefused.value(reason) == 1, "\(reason)")
            #expect(cold.lines.count(of: "snapshot_file_refused") == 1)
            #expect(try cold.kind(Asked(stage.app(news)), to: stage.app(news)) == "404")
            #expect(try cold.kind(Asked(stage.app(kids)), to: stage.app(kids)) != "404")
        }
    }

    @Test func `one app's file under another's name is refused`() throws {
        let stage = try Stage()
        try fill(stage)
        let (mine, other) = (try file(of: stage, 0), try file(of: stage, 2))
        try FileBytes.replace(
            path(mine), with: try FileBytes.readAll(path(other), bytesLimit: 1 << 20))
        let cold = try cold(stage)
        #expect(cold.feed.restore())
        #expect(cold.metrics.snapshotRefused.value("undecodable") == 1)
        #expect(cold.apps.count == stage.apps.count - 1)
    }

    @Test func `a damaged file is mended by the next start with a database`() throws {
        let stage = try Stage()
        try fill(stage)
        let name = try file(of: stage, 0)
        let whole = try FileBytes.readAll(path(name), bytesLimit: 1 << 20)
        var damaged = whole
        damaged[whole.count - 10] ^= 1
        try FileBytes.replace(path(name), with: damaged)
        try fill(stage)
        #expect(try FileBytes.readAll(path(name), bytesLimit: 1 << 20) == whole)
    }

    @Test func `an app that is gone is gone from the disk`() throws {
        let stage = try Stage()
        try fill(stage)
        try Database.current().superuser.withConnection {
            try $0.execute(script: "update holdfast.app_environment set snapshot_number = 0")
        }
        // What a killed process left in the middle of writing goes too.
        try FileBytes.replace(path("half.snapshot.new"), with: [1])
        try fill(stage)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
                == ["looked-at", "owner.lock"])
        #expect(!(try cold(stage).feed.restore()))
    }

    @Test func `the database's list takes the disk's place, and an older number is refused`()
        throws
    {
        let stage = try Stage()
        let key = stage.agency.keys[0]
        let now = Instant(milliseconds: stage.clock.clock.now())
        try stage.store.transaction(stage.agency.scope, at: now) { transaction in
            let rule = Rule(id: RuleID(UUID()), name: "r", when: .always, treatment: .fallback)
            let version = try transaction.createRuleSet(RuleSet(rules: [rule]), of: key.app)
            try transaction.publishRuleSet(version: version, at: key)
        }
        try fill(stage)
        try Database.current().superuser.withConnection {
            try $0.execute(
                script: """
                    update holdfast.app_environment set snapshot_number = 1
                    where snapshot_number = 2
                    """)
        }
        let cold = try cold(stage, reaches: true)
        #expect(cold.feed.restore())
        try cold.feed.poll()
        #expect(cold.metrics.snapshotRefused.value("older") == 1)
        #expect(try cold.kind(Asked(stage.app(news)), to: stage.app(news)) == "503")
        #expect(cold.apps.count == stage.apps.count)
        // Once the database was read, the disk is not.
        #expect(cold.feed.restore())
        #expect(cold.apps.count == stage.apps.count)
    }

    @Test func `a start that reads the database takes its word, whatever the disk has`() throws {
        let stage = try Stage()
        let key = stage.agency.keys[0]
        try fill(stage)
        let name = try file(of: stage, 0)
        let first = try FileBytes.readAll(path(name), bytesLimit: 1 << 20)
        let now = Instant(milliseconds: stage.clock.clock.now())
        try stage.store.transaction(stage.agency.scope, at: now) { transaction in
            let version = try transaction.createRuleSet(RuleSet(rules: []), of: key.app)
            try transaction.publishRuleSet(version: version, at: key)
        }
        try fill(stage)
        try Database.current().superuser.withConnection {
            try $0.execute(
                script: """
                    update holdfast.app_environment set snapshot_number = 1
                    where snapshot_number = 2
                    """)
        }
        let restored = try cold(stage, reaches: true)
        try restored.feed.poll()
        try restored.files.flush()
        #expect(restored.metrics.snapshotRefused.value("older") == 0)
        #expect(try FileBytes.readAll(path(name), bytesLimit: 1 << 20) == first)
    }

    @Test func `an app whose newest snapshot is corrupt is answered from the disk's`() throws {
        let stage = try Stage()
        try fill(stage)
        try Database.current().superuser.withConnection {
            try $0.execute(
                script: "update holdfast.snapshot set body = set_byte(body, 100, 0)")
        }
        let cold = try cold(stage, reaches: true)
        try cold.feed.poll()
        #expect(cold.metrics.snapshotRefused.value("checksumMismatch") > 0)
        #expect(cold.apps.count == stage.apps.count)
        #expect(try cold.kind(Asked(stage.app(news)), to: stage.app(news)) == "message")
    }

    @Test func `a disk that takes nothing leaves its age as it was`() throws {
        let stage = try Stage()
        try fill(stage)
        clocks.advance(.seconds(3_000))
        do {
            let warm = try cold(stage, reaches: true)
            try warm.feed.poll()
            let name = try file(of: stage, 0)
            try FileManager.default.removeItem(atPath: path(name))
            // A folder where the file should be: nothing can take its place.
            try FileManager.default.createDirectory(
                atPath: path(name) + "/in the way", withIntermediateDirectories: true)
            #expect(throws: FileError.self) { try warm.files.flush() }
            try FileManager.default.removeItem(atPath: path(name))
        }
        let cold = try cold(stage)
        #expect(cold.feed.restore())
        #expect(cold.conditions.age.age == .seconds(3_000))
        #expect(cold.conditions.age.mode == .noBudgetedOffers)
    }

    @Test func `two responders do not share a folder`() throws {
        let stage = try Stage()
        let first = try cold(stage)
        let error = #expect(throws: FileError.self) { try cold(stage) }
        #expect(error?.code == .inUse)
        withExtendedLifetime(first) {}
    }
}
