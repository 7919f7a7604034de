import Foundation
import Operator
import TestSupport
import Testing

/// The real executables, as they stand beside the tests.
enum Programs {
    /// Long enough for a busy machine; a program that hangs fails its test then.
    static let endLimit: Duration = .seconds(300)

    static func path(_ name: String) throws -> String {
        let path = try folder() + "/" + name
        try #require(
            FileManager.default.isExecutableFile(atPath: path),
            "build the executables first: swift build --build-tests")
        return path
    }

    /// The folder of the test program, which is the build's own.
    static func folder() throws -> String {
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let candidates = [link] + CommandLine.arguments.filter { $0.contains(".xctest") }
        let folders = candidates.map { ($0 as NSString).deletingLastPathComponent }
        let found = folders.first {
            FileManager.default.isExecutableFile(atPath: $0 + "/realtime-responder")
        }
        return try #require(found, "no folder of executables beside \(candidates)")
    }

    /// Runs a program to its end.
    static func run(
        _ name: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> (end: ChildProcess.End, text: String) {
        let running = try Running(name, arguments, environment: environment)
        let end = try #require(running.process.wait(for: endLimit), "\(name) does not end")
        return (end, running.text)
    }
}

/// A program under way, its output in a file of its own.
final class Running: Sendable {
    let process: ChildProcess
    private let output: String

    init(_ name: String, _ arguments: [String], environment: [String: String]) throws {
        output = FileManager.default.temporaryDirectory.path + "/holdfast-\(UUID()).out"
        var plan = ChildProcess.Plan(try Programs.path(name), arguments)
        plan.environment.merge(environment) { _, ours in ours }
        plan.output = .file(output)
        process = try ChildProcess.start(plan)
    }

    deinit {
        process.terminate(.kill, within: .seconds(10))
        try? FileManager.default.removeItem(atPath: output)
    }

    var text: String {
        String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
    }

    private static let readyEvent = "\"event\":\"ready\""

    /// Waits until a service says that it is ready.
    func awaitReady() throws {
        try #require(becomesTrue { text.contains(Self.readyEvent) }, "not ready: \(text)")
    }

    /// The value of a field in the line that tells of readiness.
    func port(_ name: String) throws -> UInt16 {
        let line = try #require(
            text.split(separator: "\n").first { $0.contains(Self.readyEvent) })
        let fields = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return UInt16(try #require(fields?[name] as? Int))
    }
}
