import Signing
import Testing

@Suite struct TrustAnchorsTests {
    static let leafValidity: ClosedRange<Int64> = 1_735_689_600...1_767_225_599
    static let inside: Int64 = 1_750_000_000

    static func chain(
        _ change: (inout CertificateAuthority.Flaws) -> Void = { _ in }
    ) throws -> IssuedChain {
        var flaws = CertificateAuthority.Flaws()
        change(&flaws)
        return try CertificateAuthority.appleLike(
            name: "Test", leafValidity: leafValidity, flaws: flaws)
    }

    static func code(
        _ x5c: [[UInt8]], root: [UInt8], at time: Int64 = inside,
        rules: TrustAnchors.PathRules = .strict
    ) throws -> ChainError.Code? {
        let anchors = TrustAnchors(roots: [try Certificate(der: root)], rules: rules)
        return chainCode { _ = try anchors.verify(x5c: x5c, at: time) }
    }

    @Test func `a chain shaped like Apple's is verified and gives its leaf`() throws {
        let chain = try Self.chain()
        let anchors = TrustAnchors(roots: [try Certificate(der: chain.root)])
        let leaf = try anchors.verify(x5c: chain.x5c, at: Self.inside)
        #expect(leaf.der == chain.leaf)
        #expect(leaf.publicKey == chain.leafKey.publicKey)
        #expect(leaf.subjectCommonName == "Test Store Signing")
        #expect(leaf.notBefore == Self.leafValidity.lowerBound)
        #expect(leaf.notAfter == Self.leafValidity.upperBound)
        #expect(leaf.hasExtension(TrustAnchors.leafMarker))
        #expect(!leaf.hasExtension(TrustAnchors.intermediateMarker))
        #expect(try Certificate(der: chain.root).publicKey == nil, "Apple's root is P-384")
    }

    @Test func `each missing or wrong part has a code of its own`() throws {
        let good = try Self.chain()
        let noLeafMarker = try Self.chain { $0.leafMarker = false }
        let noIntermediateMarker = try Self.chain { $0.intermediateMarker = false }
        let p384 = try Self.chain { $0.leafOnP384 = true }
        #expect(
            try Self.code(noLeafMarker.x5c, root: noLeafMarker.root) == .leafMarkerMissing)
        #expect(
            try Self.code(noIntermediateMarker.x5c, root: noIntermediateMarker.root)
                == .intermediateMarkerMissing)
        #expect(try Self.code(p384.x5c, root: p384.root) == .leafKeyNotP256)
        let impostor = try Self.chain()
        #expect(try Self.code(impostor.x5c, root: good.root) == .unknownRoot)
        for length in [0, 1, 2] {
            let short = Array(good.x5c.prefix(length))
            #expect(try Self.code(short, root: good.root) == .wrongLength)
        }
        #expect(try Self.code(good.x5c + [good.root], root: good.root) == .wrongLength)
    }

    @Test func `a chain that a stranger put under our root's bytes is refused`() throws {
        let good = try Self.chain()
        let stranger = try CertificateAuthority.appleLike(
            name: "Stranger", leafValidity: Self.leafValidity)
        let impostor = try Self.chain()
        let spliced = [stranger.leaf, stranger.intermediate, good.root]
        #expect(try Self.code(spliced, root: good.root) == .issuerMismatch)
        // Same names, other keys: the key identifiers already tell them apart.
        let renamed = [impostor.leaf, impostor.intermediate, good.root]
        #expect(try Self.code(renamed, root: good.root) == .issuerMismatch)
        let halfway = [impostor.leaf, good.intermediate, good.root]
        #expect(try Self.code(halfway, root: good.root) == .issuerMismatch)
        let swapped = [good.intermediate, good.leaf, good.root]
        #expect(try Self.code(swapped, root: good.root) == .intermediateMarkerMissing)
    }

    @Test func `a leaf signed by another key and a non-authority intermediate are refused`()
        throws
    {
        let forged = try Self.chain { $0.leafSignature = false }
        #expect(try Self.code(forged.x5c, root: forged.root) == .badSignature)
        let noAuthority = try Self.chain { $0.intermediateIsAuthority = false }
        #expect(try Self.code(noAuthority.x5c, root: noAuthority.root) != nil)
    }

    @Test func `a certificate with a flipped signature bit is refused`() throws {
        let chain = try Self.chain()
        var leaf = chain.leaf
        leaf[leaf.count - 1] ^= 1
        let code = try Self.code([leaf, chain.intermediate, chain.root], root: chain.root)
        #expect(code == .badSignature)
        var intermediate = chain.intermediate
        intermediate[intermediate.count - 1] ^= 1
        #expect(
            try Self.code([chain.leaf, intermediate, chain.root], root: chain.root)
                == .badSignature)
    }

    @Test func `the chain holds at the seconds of all three certificates and at no other`()
        throws
    {
        let chain = try Self.chain()
        let first = Self.leafValidity.lowerBound
        let last = Self.leafValidity.upperBound
        #expect(try Self.code(chain.x5c, root: chain.root, at: first) == nil)
        #expect(try Self.code(chain.x5c, root: chain.root, at: last - 1) == nil)
        for time in [first - 1, last + 1, 0, -1, Int64.max, Int64.min] {
            #expect(
                try Self.code(chain.x5c, root: chain.root, at: time) == .notValidAtThatTime)
        }
        let early = try CertificateAuthority.appleLike(
            name: "Early", leafValidity: Self.leafValidity,
            intermediateValidity: 1_600_000_000...(Self.inside - 1))
        #expect(try Self.code(early.x5c, root: early.root) == .notValidAtThatTime)
        let lateRoot = try CertificateAuthority.appleLike(
            name: "Late", leafValidity: Self.leafValidity,
            rootValidity: (Self.inside + 1)...(Self.inside + 9))
        #expect(try Self.code(lateRoot.x5c, root: lateRoot.root) == .notValidAtThatTime)
    }

    @Test func `a certificate is consumed to its last byte`() throws {
        let chain = try Self.chain()
        for der in [chain.leaf + [0], Array(chain.leaf.dropLast()), [], [0x30, 0x80, 0, 0]] {
            #expect(signingCode { _ = try Certificate(der: der) } == .certificateMalformed)
            #expect(
                try Self.code([der, chain.intermediate, chain.root], root: chain.root)
                    == .malformedCertificate)
        }
        for count in stride(from: 0, to: chain.leaf.count, by: 7) {
            let cut = Array(chain.leaf.prefix(count))
            #expect(signingCode { _ = try Certificate(der: cut) } == .certificateMalformed)
        }
        let again = try Certificate(pem: Certificate(der: chain.leaf).pem())
        #expect(again.der == chain.leaf)
    }

    @Test func `a lone certificate as Xcode signs with is never a chain`() throws {
        let xcode = try CertificateAuthority.xcodeLike(
            name: "StoreKit Testing in Xcode", validity: Self.leafValidity)
        #expect(xcode.x5c.count == 1)
        #expect(try Self.code(xcode.x5c, root: xcode.root) == .wrongLength)
        let tripled = [xcode.leaf, xcode.leaf, xcode.leaf]
        #expect(try Self.code(tripled, root: xcode.root) == .intermediateMarkerMissing)
    }

    @Test(.enabled(if: Vectors.arePresent, Vectors.absence))
    func `of Apple's test chains only root, intermediate and leaf are accepted`() throws {
        let root = try Vectors.certificate("test-chain/root.pem").der
        let time: Int64 = 1_761_962_975
        func code(
            _ leaf: String, _ intermediate: String, _ rules: TrustAnchors.PathRules = .lenient
        ) throws -> ChainError.Code? {
            let x5c = try [leaf, intermediate].map {
                try Vectors.certificate("test-chain/\($0).pem").der
            }
            return try Self.code(x5c + [root], root: root, at: time, rules: rules)
        }
        #expect(try code("leaf", "intermediate") == nil)
        #expect(try code("leaf-wrong-oid", "intermediate") == .leafMarkerMissing)
        #expect(
            try code("leaf-under-wrong-oid-intermediate", "intermediate-wrong-oid")
                == .intermediateMarkerMissing)
        #expect(try code("leaf", "intermediate-wrong-oid") == .intermediateMarkerMissing)
        #expect(try code("leaf", "intermediate", .strict) == .pathRefused)
    }
}
