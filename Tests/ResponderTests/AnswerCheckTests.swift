import Foundation
import TestSupport
import Testing

/// Answers over real HTTP, judged by a checker in another language against a ground truth that it
/// made up itself. `deploy/test` names the Python that has what it needs.
@Suite(.database) struct AnswerCheckTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let answers =
        environment["HOLDFAST_ANSWERS"].flatMap { Int($0) } ?? 100_000
    private static let seed =
        environment["HOLDFAST_ANSWERS_SEED"].flatMap { Int($0) } ?? 20_261_130
    private static let recordsOfEachPlace: Int32 = 1_000
    private static let limit: Duration = .seconds(1_800)
    /// Where world and log stay for whoever looks for a fault.
    private static let keptFolder = environment["HOLDFAST_ANSWERS_DIRECTORY"]

    private let folder: String

    init() throws {
        folder =
            Self.keptFolder
            ?? FileManager.default.temporaryDirectory.path + "/holdfast-answers-\(UUID())"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    @Test(
        .enabled(
            if: ConformanceScript.python != nil,
            "HOLDFAST_CONFORMANCE_PYTHON is not set: deploy/test does that"))
    func `a checker that made the world up finds no wrong answer in it`() throws {
        defer {
            if Self.keptFolder == nil { try? FileManager.default.removeItem(atPath: folder) }
        }
        try run("world", folder, "--seed", "\(Self.seed)")
        let world = try JSONDecoder().decode(
            AnswerWorld.self, from: try Data(contentsOf: file("world.json")))
        let stage = try AnswerStage(world)
        try JSONEncoder().encode(stage.places).write(to: file("places.json"))
        let checked = try run("check", folder, stage.origin, "--count", "\(Self.answers)")
        let (records, count) = try stage.records(ofEachPlace: Self.recordsOfEachPlace)
        #expect(count * 10 >= Self.answers)
        try Data(records.utf8).write(to: file("records.jsonl"))
        let compared = try run("records", folder)
        let planted = try run("selftest", folder)
        try Promise.kept(
            "answers-right", "\(checked); \(compared); \(planted); seed \(Self.seed)")
    }

    private func file(_ name: String) -> URL { URL(filePath: "\(folder)/\(name)") }

    /// - Returns: the last line of what it said.
    @discardableResult
    private func run(_ arguments: String...) throws -> String {
        try ConformanceScript("decisions.py", folder: folder, limit: Self.limit).run(arguments)
    }
}
