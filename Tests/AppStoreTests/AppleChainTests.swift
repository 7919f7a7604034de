import AppStore
import Signing
import Testing

/// The real chain of the App Store; a clean clone checks it too.
@Suite struct AppleChainTests {
    /// 2025-11-01, the instant Apple's own tests use.
    static let instant: Int64 = 1_761_962_975

    static func x5c() throws -> [[UInt8]] {
        let parts = try ["store-signing-leaf-2027.pem", "AppleWWDRCA-G6.pem"].map {
            try Certificate(pem: Files.beside("AppleChain/\($0)")).der
        }
        return try parts + [AppleRoot.certificate().der]
    }

    static func code(
        _ x5c: [[UInt8]], _ anchors: TrustAnchors, at time: Int64 = instant
    ) -> ChainError.Code? {
        do { _ = try anchors.verify(x5c: x5c, at: time) } catch { return error.code }
        return nil
    }

    @Test func `the product carries Apple Root CA - G3 itself`() throws {
        let root = try AppleRoot.certificate()
        let digits = Array("0123456789abcdef".utf8)
        let fingerprint = root.sha256.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        #expect(String(decoding: fingerprint, as: UTF8.self) == AppleRoot.sha256)
        #expect(root.subjectCommonName == "Apple Root CA - G3")
        #expect(try AppleRoot.anchors().roots.map(\.der) == [root.der])
    }

    @Test func `Apple's chain is verified under the built-in root`() throws {
        let leaf = try AppleRoot.anchors().verify(x5c: Self.x5c(), at: Self.instant)
        #expect(
            leaf.subjectCommonName
                == "Prod ECC Mac App Store and iTunes Store Receipt Signing")
        #expect(leaf.publicKey != nil)
    }

    @Test func `Apple's chain is refused under any other root`() throws {
        let validity: ClosedRange<Int64> = 1_735_689_600...1_798_761_600
        let other = try CertificateAuthority.appleLike(name: "Other", leafValidity: validity)
        let anchors = TrustAnchors(roots: [try Certificate(der: other.root)])
        #expect(Self.code(try Self.x5c(), anchors) == .unknownRoot)
        #expect(Self.code(try Self.x5c(), TrustAnchors(roots: [])) == .unknownRoot)
        let spliced = try Array(Self.x5c().prefix(2)) + [other.root]
        #expect(Self.code(spliced, anchors) == .issuerMismatch)
    }

    @Test func `a further root is trusted beside Apple's, which stays trusted`() throws {
        let validity: ClosedRange<Int64> = 1_735_689_600...1_798_761_600
        let other = try CertificateAuthority.appleLike(name: "Other", leafValidity: validity)
        let anchors = try AppleRoot.anchors(further: [Certificate(der: other.root)])
        #expect(Self.code(try Self.x5c(), anchors) == nil)
        #expect(Self.code(other.x5c, anchors) == nil)
        #expect(Self.code(other.x5c, try AppleRoot.anchors()) == .unknownRoot)
    }

    @Test func `Apple's chain is refused outside its leaf's life`() throws {
        let leaf = try Certificate(der: Self.x5c()[0])
        let anchors = try AppleRoot.anchors()
        for time in [0, leaf.notBefore - 1, leaf.notAfter + 1, 4_000_000_000] {
            #expect(Self.code(try Self.x5c(), anchors, at: time) == .notValidAtThatTime)
        }
        #expect(Self.code(try Self.x5c(), anchors, at: leaf.notBefore) == nil)
        #expect(Self.code(try Self.x5c(), anchors, at: leaf.notAfter - 1) == nil)
    }

    @Test func `no bit of Apple's leaf or intermediate may differ`() throws {
        let anchors = try AppleRoot.anchors()
        for certificate in [0, 1] {
            let good = try Self.x5c()
            for position in stride(from: 0, to: good[certificate].count, by: 61) {
                var x5c = good
                x5c[certificate][position] ^= 1 << (position % 8)
                #expect(Self.code(x5c, anchors) != nil, "byte \(position) of \(certificate)")
            }
        }
    }
}
