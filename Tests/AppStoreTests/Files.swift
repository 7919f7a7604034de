import Foundation
import Testing

/// Files beside the tests: Apple's three public certificates, and the vectors beside the package.
enum Files {
    private static let here = URL(filePath: #filePath).deletingLastPathComponent()

    static let vectors = here.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "../shared/vectors").standardizedFileURL
    static let vectorsArePresent = FileManager.default.fileExists(atPath: vectors.path)
    static let absence: Comment = "../shared/vectors is not beside this clone: no vectors to check"

    static let conformanceFolder =
        ProcessInfo.processInfo.environment["HOLDFAST_CONFORMANCE_DIRECTORY"]

    static func beside(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: here.appending(path: name)))
    }

    static func vector(_ path: String) throws -> [UInt8] {
        try Array(Data(contentsOf: vectors.appending(path: path)))
    }
}
