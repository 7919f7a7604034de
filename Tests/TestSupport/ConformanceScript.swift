import Foundation
internal import Operator
internal import Testing

/// A check of `Tests/Conformance`, run to its end.
package struct ConformanceScript {
    /// nil outside `deploy/test`, which alone installs what the scripts import.
    package static let python =
        ProcessInfo.processInfo.environment["HOLDFAST_CONFORMANCE_PYTHON"]

    private let script: String
    private let folder: String
    private let limit: Duration

    /// - Parameters:
    ///   - script: its name.
    ///   - folder: where what it says is written.
    package init(_ script: String, folder: String, limit: Duration) {
        self.script = script
        self.folder = folder
        self.limit = limit
    }

    /// Fails the test where the script does not exit with 0.
    ///
    /// - Returns: the last line of what it said.
    @discardableResult
    package func run(_ arguments: [String]) throws -> String {
        let name = arguments.first ?? "all"
        let output = folder + "/\(name).out"
        var plan = ChildProcess.Plan(
            try #require(Self.python),
            [PackageRoot.path + "/Tests/Conformance/" + script] + arguments)
        plan.output = .file(output)
        let end = try ChildProcess.start(plan).wait(for: limit)
        let text = String(
            decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
        try #require(end == .exited(0), "\(name): \(text.suffix(12_000))")
        return text.split(separator: "\n").last.map(String.init) ?? ""
    }
}
