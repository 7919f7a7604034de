import AppStore
import Foundation
import Responder
import Service
import Signing
import TestSupport
import Testing

/// What a restart finds again, and what it does not believe.
@Suite struct TrustFilesTests {
    private static let now = Clock.system.now()

    /// A process with its folder, as far as trust goes.
    private struct Process {
        let verifier: SignedDataVerifier
        let files: TrustFiles
        let lines = LogLines()

        init(_ folder: SpoolFolder, trusting chains: [IssuedChain], at time: Int64 = now) throws {
            verifier = SignedDataVerifier(
                anchors: TrustAnchors(roots: try chains.map { try Certificate(der: $0.root) }))
            files = try TrustFiles(
                directory: folder.path, verifier: verifier,
                log: Log(service: "test", sink: lines.append))
            files.read(nowMilliseconds: time)
        }

        func serve(_ chain: IssuedChain) throws -> VerificationError.Code? {
            let payload = Array("{\"signedDate\":\(TrustFilesTests.now)}".utf8)
            do { _ = try verifier.verify(Array(chain.sign(payload).utf8)) } catch let error
                as VerificationError
            { return error.code }
            return nil
        }
    }

    private static func chain(
        _ name: String = "One", until end: Int64 = now / 1_000 + 86_400
    ) throws -> IssuedChain {
        try CertificateAuthority.appleLike(
            name: name, leafValidity: now / 1_000 - 86_400...end)
    }

    private static func path(_ folder: SpoolFolder, _ name: String) -> String {
        folder.path + "/" + name
    }

    @Test func `a restart starts warm`() throws {
        let folder = try SpoolFolder()
        let (one, two) = (try Self.chain(), try Self.chain("Two"))
        let first = try Process(folder, trusting: [one, two])
        #expect(try first.serve(one) == nil)
        #expect(try first.serve(two) == nil)
        try first.files.write()
        #expect(first.verifier.pathChecks == 2)

        let second = try Process(folder, trusting: [one, two])
        #expect(second.lines.count(of: "chains_warmed") == 1)
        #expect(second.verifier.rememberedChains.count == 2)
        #expect(try second.serve(one) == nil)
        #expect(try second.serve(two) == nil)
        #expect(second.verifier.pathChecks == 0)
        try Promise.kept("warm-start", "2 chains read back, 0 path checks for the first requests")
    }

    @Test func `nothing is written where nothing has changed`() throws {
        let folder = try SpoolFolder()
        let chain = try Self.chain()
        let process = try Process(folder, trusting: [chain])
        #expect(try process.serve(chain) == nil)
        try process.files.write()
        let path = Self.path(folder, TrustFiles.chainsName)
        try FileManager.default.removeItem(atPath: path)
        try process.files.write()
        #expect(!FileManager.default.fileExists(atPath: path))
        process.verifier.refuse(certificate: SHA256.digest([1]))
        try process.files.write()
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func `the files are for this user alone, and nothing lies beside them`() throws {
        let folder = try SpoolFolder()
        let process = try Process(folder, trusting: [])
        process.verifier.refuse(certificate: SHA256.digest([1]))
        try process.files.write()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == [TrustFiles.chainsName, TrustFiles.refusedName])
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: Self.path(folder, name))
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    @Test func `a restart does not forget what was revoked`() throws {
        let folder = try SpoolFolder()
        let chain = try Self.chain()
        let first = try Process(folder, trusting: [chain])
        #expect(try first.serve(chain) == nil)
        try first.files.write()
        let remembered = try Data(
            contentsOf: URL(filePath: Self.path(folder, TrustFiles.chainsName)))
        first.verifier.refuse(certificate: SHA256.digest(chain.intermediate))
        try first.files.write()
        // Even where the file of chains is one from before.
        try remembered.write(to: URL(filePath: Self.path(folder, TrustFiles.chainsName)))

        let second = try Process(folder, trusting: [chain])
        #expect(second.verifier.rememberedChains.isEmpty)
        #expect(second.lines.count(of: "chain_not_warmed") == 1)
        #expect(try second.serve(chain) == .chainRevoked)
    }

    @Test func `a chain that has ended, or of another root, is left aside`() throws {
        let folder = try SpoolFolder()
        let chain = try Self.chain()
        let first = try Process(folder, trusting: [chain])
        #expect(try first.serve(chain) == nil)
        try first.files.write()
        let later = try Process(folder, trusting: [chain], at: Self.now + 2 * 86_400_000)
        #expect(later.verifier.rememberedChains.isEmpty)
        #expect(later.lines.count(of: "chain_not_warmed") == 1)
        let elsewhere = try Process(folder, trusting: [try Self.chain("Two")])
        #expect(elsewhere.verifier.rememberedChains.isEmpty)
        #expect(elsewhere.lines.count(of: "chain_not_warmed") == 1)
    }

    @Test(arguments: [TrustFiles.chainsName, TrustFiles.refusedName])
    func `a damaged or foreign file is left aside, said, and written anew`(
        _ name: String
    ) throws {
        let folder = try SpoolFolder()
        let chain = try Self.chain()
        let first = try Process(folder, trusting: [chain])
        #expect(try first.serve(chain) == nil)
        first.verifier.refuse(certificate: SHA256.digest([1]))
        try first.files.write()
        let path = Self.path(folder, name)
        let good = try [UInt8](Data(contentsOf: URL(filePath: path)))
        var turned = good
        turned[good.count / 2] ^= 1
        let foreign = Array("something else\n".utf8)
        for bad in [turned, Array(good.dropLast(3)), [], foreign, good + good] {
            try Data(bad).write(to: URL(filePath: path))
            let process = try Process(folder, trusting: [chain])
            #expect(process.lines.count(of: "trust_file_refused") == 1)
            #expect(try process.serve(chain) == nil, "it is verified as without the file")
        }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
        let process = try Process(folder, trusting: [chain])
        #expect(process.lines.count(of: "trust_file_refused") == 1)
        #expect(throws: FileError.self) { try process.files.write() }
    }

    @Test func `a file that could not be written whole leaves the last one`() throws {
        let folder = try SpoolFolder()
        let process = try Process(folder, trusting: [])
        try process.files.write()
        let path = Self.path(folder, TrustFiles.refusedName)
        let before = try Data(contentsOf: URL(filePath: path))
        // Nothing can be opened for writing where a folder has the name.
        try FileManager.default.createDirectory(
            atPath: path + ".new", withIntermediateDirectories: false)
        process.verifier.refuse(certificate: SHA256.digest([1]))
        #expect(throws: FileError.self) { try process.files.write() }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        try FileManager.default.removeItem(atPath: path + ".new")
        try process.files.write()
        #expect(try Data(contentsOf: URL(filePath: path)) != before)
    }
}
