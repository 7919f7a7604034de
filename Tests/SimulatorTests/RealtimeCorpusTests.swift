import Foundation
import Service
import Signing
import Simulator
import Testing

@Suite("A corpus of signed requests") struct RealtimeCorpusTests {
    private static let now: Int64 = 1_800_000_000_000

    private struct Folder: ~Copyable {
        let path = FileManager.default.temporaryDirectory.path + "/holdfast-\(UUID())"
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private struct Body: Decodable {
        let signedPayload: String
    }

    private static func lines(_ path: String) throws -> [[UInt8]] {
        try FileBytes.readAll(path, bytesLimit: 64 << 20).split(separator: UInt8(ascii: "\n"))
            .map(Array.init)
    }

    @Test func `bodies are distinct, of Apple's size, and signed by the kept chain`() throws {
        let folder = Folder()
        let signer = try RequestSigner(
            keptIn: folder.path + "/authority", nowSeconds: Self.now / 1_000)
        var corpus = RealtimeCorpus(appAppleId: 7, productId: "monthly", count: 2_500)
        corpus.userLocales = ["en-US", "ja"]
        let path = folder.path + "/bodies"
        try corpus.write(to: path, signedBy: signer, nowMilliseconds: Self.now)
        let lines = try Self.lines(path)
        #expect(lines.count == 2_500)
        #expect(lines.allSatisfy { (4_400...5_000).contains($0.count) })
        let leaf = try FileBytes.readAll(
            folder.path + "/authority/leaf-key.pem", bytesLimit: 4_096)
        let key = try PrivateKey(pem: leaf).publicKey
        var requests: [RealtimeRequest] = []
        for line in lines {
            let body = try JSONDecoder().decode(Body.self, from: Data(line))
            let jws = try CompactJWS(Array(body.signedPayload.utf8))
            #expect(jws.isSigned(by: key))
            requests.append(
                try JSONDecoder().decode(RealtimeRequest.self, from: Data(jws.payload)))
        }
        #expect(Set(requests.map(\.originalTransactionId)).count == 2_500)
        #expect(Set(requests.map(\.requestIdentifier)).count == 2_500)
        #expect(Set(requests.map(\.userLocale)) == ["en-US", "ja"])
        #expect(requests.allSatisfy { $0.signedDate == Self.now && $0.appAppleId == 7 })
    }

    @Test func `subscribers take turns where there are fewer than requests`() throws {
        let folder = Folder()
        let signer = try RequestSigner(
            keptIn: folder.path + "/authority", nowSeconds: Self.now / 1_000)
        var corpus = RealtimeCorpus(appAppleId: 7, productId: "monthly", count: 30)
        corpus.subscribers = 4
        let path = folder.path + "/bodies"
        try corpus.write(to: path, signedBy: signer, nowMilliseconds: Self.now)
        let subscribers = try Self.lines(path).map { line in
            let body = try JSONDecoder().decode(Body.self, from: Data(line))
            let jws = try CompactJWS(Array(body.signedPayload.utf8))
            return try JSONDecoder().decode(RealtimeRequest.self, from: Data(jws.payload))
                .originalTransactionId
        }
        #expect(Set(subscribers).count == 4)
    }

    @Test func `a kept chain is the same the next time, readable by its owner alone`() throws {
        let folder = Folder()
        let first = try RequestSigner(keptIn: folder.path, nowSeconds: Self.now / 1_000)
        let second = try RequestSigner(keptIn: folder.path, nowSeconds: Self.now / 1_000 + 99)
        #expect(first.rootCertificate == second.rootCertificate)
        #expect(try !FileBytes.isReadableByAll(folder.path + "/leaf-key.pem"))
    }
}
