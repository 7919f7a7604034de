package import AppStore
internal import FoundationEssentials
package import Service
internal import Signing
internal import Synchronization

/// What a restart should not have to find out again: the headers whose chain was verified, so that
/// the first request needs no path check, and the certificates that were revoked.
///
/// Neither file is believed: a chain is verified anew, before the first request, and a file that is
/// damaged, foreign or too old is left aside, said in the log, and written anew.
package final class TrustFiles: Sendable {
    /// In the folder of this process.
    package static let chainsName = "verified-chains"
    package static let refusedName = "refused-certificates"

    private let directory: String
    private let verifier: SignedDataVerifier
    private let log: Log
    /// The verifier's generation that the files hold; nil before they were written.
    private let written = Mutex<Int?>(nil)

    /// Makes the folder if it is absent.
    package init(directory: String, verifier: SignedDataVerifier, log: Log) throws {
        self.directory = directory
        self.verifier = verifier
        self.log = log
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    /// Before the first request.
    /// - Parameter nowMilliseconds: a chain that has ended by then is left aside.
    package func read(nowMilliseconds: Int64) {
        // First: a chain with a revoked certificate is not to be remembered.
        for line in lines(.refusedCertificates, Self.refusedName) {
            guard let sha256 = HexadecimalText.bytes(line), sha256.count == SHA256.digestBytes
            else { continue }
            verifier.refuse(certificate: sha256)
        }
        var warmed = 0
        for header in lines(.verifiedChains, Self.chainsName) {
            do {
                try verifier.warm(header, at: nowMilliseconds / 1_000)
                warmed += 1
            } catch {
                log.info("chain_not_warmed", [("reason", .string(error.code.rawValue))])
            }
        }
        if warmed > 0 { log.info("chains_warmed", [("count", LogValue(warmed))]) }
    }

    /// Writes what has changed since the last time; nothing otherwise. Never on the path of a
    /// request.
    package func write() throws {
        // Read first: what changes while it is written is written the next time.
        let generation = verifier.generation
        guard written.withLock({ $0 }) != generation else { return }
        let refused = verifier.refusedCertificates.map { Array(HexadecimalText.of($0).utf8) }
        try replace(Self.refusedName, CheckedLines.refusedCertificates.encode(refused))
        let headers = verifier.rememberedChains.map(\.header)
        try replace(Self.chainsName, CheckedLines.verifiedChains.encode(headers))
        written.withLock { $0 = generation }
    }

    private func lines(_ form: CheckedLines, _ name: String) -> [[UInt8]] {
        do throws(FileError) {
            let bytes = try FileBytes.readAll(
                path(name), bytesLimit: CheckedLines.bytesLimit)
            if let lines = form.decode(bytes) { return lines }
            refuse(name, "is damaged, or not of this build's form")
        } catch {
            if error.code != .notFound { refuse(name, error.message) }
        }
        return []
    }

    private func refuse(_ name: String, _ error: String) {
        log.warning("trust_file_refused", [("file", .string(name)), ("error", .string(error))])
    }

    private func replace(_ name: String, _ bytes: [UInt8]) throws {
        try FileBytes.replace(path(name), with: bytes)
    }

    private func path(_ name: String) -> String { directory + "/" + name }
}
