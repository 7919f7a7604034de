import Foundation
import Testing

/// `Tests/ServiceFixture` as a process of its own, with its log lines read as they come.
final class Fixture {
    /// A process that hangs is ended after this long, so that the test fails instead of waiting.
    private static let lifeSecondsLimit = 30.0

    private let process = Process()
    private let errors = Pipe()
    private var unread = Data()
    private(set) var lines: [[String: Any]] = []

    init(_ environment: [String: String]) throws {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let places = Self.folders(above: tests).map { $0.appendingPathComponent("service-fixture") }
        let built = places.first { FileManager.default.isExecutableFile(atPath: $0.path) }
        let program = try #require(built, "build the fixture first: swift build --build-tests")
        process.executableURL = program
        process.environment = environment
        process.standardError = errors
        try process.run()
        let process = ProcessEnd(process.processIdentifier)
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.lifeSecondsLimit) {
            process.forceIfRunning()
        }
        end = process
    }

    private let end: ProcessEnd

    /// The test may run inside the build folder or under the toolchain's own test program.
    private static func folders(above executable: String) -> [URL] {
        [executable, CommandLine.arguments[0]].map {
            URL(fileURLWithPath: $0).deletingLastPathComponent()
        }
            + CommandLine.arguments.filter { $0.hasSuffix(".xctest") }.map {
                URL(fileURLWithPath: $0).deletingLastPathComponent()
            }
    }

    /// Reads up to the first line of that event.
    func line(of event: String) throws -> [String: Any] {
        while let line = try nextLine() {
            if line["event"] as? String == event { return line }
        }
        throw MissingLine(event: event)
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Reads the rest and waits for the end.
    func exitCode() -> Int32 {
        while (try? nextLine()) != nil {}
        process.waitUntilExit()
        end.isOver()
        return process.terminationStatus
    }

    private func nextLine() throws -> [String: Any]? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let object = try JSONSerialization.jsonObject(with: unread[..<end])
                unread = Data(unread[(end + 1)...])
                let line = try #require(object as? [String: Any])
                lines.append(line)
                return line
            }
            let more = errors.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            unread += more
        }
    }
}

struct MissingLine: Error {
    let event: String
}
