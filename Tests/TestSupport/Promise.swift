internal import FoundationEssentials
internal import Glibc

/// What a test found out about a promise of `docs/promises.md`. `deploy/test` puts it there once
/// every test has passed; a test that is run alone writes nothing.
package enum Promise {
    /// - Parameters:
    ///   - id: the promise's, as in the first column.
    ///   - result: what was counted, in a few words.
    package static func kept(_ id: String, _ result: String) throws {
        let environment = ProcessInfo.processInfo.environment
        guard let folder = environment["HOLDFAST_PROMISES_DIRECTORY"] else { return }
        try Data(result.utf8).write(to: URL(filePath: "\(folder)/\(id)"))
    }
}
