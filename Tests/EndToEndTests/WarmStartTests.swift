import AppStore
import Foundation
import Operator
import Service
import Signing
import TestSupport
import Testing

/// The real responder with a state folder: what an earlier one left, good and damaged.
@Suite(.database) struct WarmStartTests {
    private struct Left {
        let folder: TemporaryFolder
        let state: String
        let header: [UInt8]

        /// A folder with the root of a chain, and the file of a responder that had verified it.
        init() throws {
            folder = try TemporaryFolder()
            state = folder.path + "/state"
            let now = Clock.system.now() / 1_000
            let chain = try CertificateAuthority.appleLike(
                name: "Left", leafValidity: now - 86_400...now + 86_400)
            header = Base64URL.encodedBytes(chain.jwsHeader)
            try Data(chain.root).write(to: URL(filePath: folder.path + "/root.der"))
            try FileManager.default.createDirectory(
                atPath: state, withIntermediateDirectories: true)
            try write(CheckedLines.verifiedChains.encode([header]))
        }

        func write(_ bytes: [UInt8]) throws {
            try Data(bytes).write(to: URL(filePath: state + "/verified-chains"))
        }

        var headers: [[UInt8]]? {
            FileManager.default.contents(atPath: state + "/verified-chains")
                .flatMap { CheckedLines.verifiedChains.decode([UInt8]($0)) }
        }

        func start() throws -> Running {
            _ = try Programs.run("holdfast", ["platform-key", folder.path])
            return try Running(
                "realtime-responder", [],
                environment: [
                    "HOLDFAST_DATABASE_URL": Database.current().url(role: "holdfast_responder"),
                    "HOLDFAST_RESPONDER_PORT": "0", "HOLDFAST_RESPONDER_ADMIN_PORT": "0",
                    "HOLDFAST_SPOOL_DIRECTORY": folder.path + "/spool",
                    "HOLDFAST_STATE_DIRECTORY": state,
                    "HOLDFAST_FURTHER_TRUST_ROOT_FILE": folder.path + "/root.der",
                    "HOLDFAST_PLATFORM_PRIVATE_KEY_FILE": folder.path + "/platform-private.pem",
                ])
        }
    }

    private func end(_ responder: Running) {
        responder.process.send(.terminate)
        #expect(responder.process.wait(for: .seconds(30)) == .exited(0))
    }

    @Test func `a responder starts with the chains of the last one, and hands them on`() throws {
        let left = try Left()
        let responder = try left.start()
        try responder.awaitReady()
        #expect(responder.text.contains("\"event\":\"chains_warmed\",\"count\":1"))
        // Asked about as well, and nobody to ask: the chain names no address.
        #expect(!responder.text.contains("revocation_unknown"))
        end(responder)
        #expect(left.headers == [left.header])
        let refused = left.state + "/refused-certificates"
        #expect(FileManager.default.fileExists(atPath: refused), "both are written")
    }

    @Test func `a damaged file keeps no responder from starting, and is written anew`() throws {
        let left = try Left()
        try left.write(Array(CheckedLines.verifiedChains.encode([left.header]).dropLast(9)))
        let responder = try left.start()
        try responder.awaitReady()
        #expect(responder.text.contains("\"event\":\"trust_file_refused\""))
        #expect(!responder.text.contains("chains_warmed"))
        end(responder)
        #expect(left.headers == [])
    }
}
