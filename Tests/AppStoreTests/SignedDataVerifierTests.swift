import AppStore
import Signing
import Synchronization
import Testing

@Suite struct SignedDataVerifierTests {
    private static let payload = Store.json(Store.fields())

    @Test func `each flaw of a chain has its own code`() throws {
        func code(_ change: (inout CertificateAuthority.Flaws) -> Void) throws
            -> VerificationError.Code?
        {
            var flaws = CertificateAuthority.Flaws()
            change(&flaws)
            let store = try Store(flaws: flaws)
            return refusal(try store.chain.sign(Self.payload), try store.verifier())
        }
        #expect(try code { _ in } == nil)
        #expect(try code { $0.leafMarker = false } == .chainLeafMarkerMissing)
        #expect(try code { $0.intermediateMarker = false } == .chainIntermediateMarkerMissing)
        #expect(try code { $0.leafOnP384 = true } == .chainLeafKeyRefused)
        #expect(try code { $0.leafSignature = false } == .chainBadSignature)
        let store = try Store()
        let impostor = try Store()
        let jws = try impostor.chain.sign(Self.payload)
        #expect(refusal(jws, try store.verifier()) == .chainUnknownRoot)
        let spliced = IssuedChain(
            root: store.chain.root, intermediate: impostor.chain.intermediate,
            leaf: impostor.chain.leaf, leafKey: impostor.chain.leafKey)
        #expect(
            refusal(try spliced.sign(Self.payload), try store.verifier()) == .chainIssuerMismatch)
    }

    @Test func `another key's signature under a genuine header is refused, cached or not`() throws {
        let store = try Store()
        let stolen = IssuedChain(
            root: store.chain.root, intermediate: store.chain.intermediate, leaf: store.chain.leaf,
            leafKey: try PrivateKey.generate())
        let verifier = try store.verifier()
        #expect(refusal(try stolen.sign(Self.payload), verifier) == .badSignature)
        #expect(refusal(try store.chain.sign(Self.payload), verifier) == nil)
        #expect(refusal(try stolen.sign(Self.payload), verifier) == .badSignature)
    }

    @Test func `a known header is believed only for dates inside its chain's life`() throws {
        let store = try Store()
        let verifier = try store.verifier()
        func code(_ milliseconds: Int64) throws -> VerificationError.Code? {
            let fields = Store.fields(["signedDate": "\(milliseconds)"])
            return refusal(try store.chain.sign(Store.json(fields)), verifier)
        }
        let life = Store.leafValidity
        #expect(try code(Store.now) == nil)
        #expect(try code(life.lowerBound * 1_000) == nil)
        #expect(try code(life.lowerBound * 1_000 - 1) == .chainNotValidAtSigning)
        #expect(try code(life.upperBound * 1_000 - 1) == nil)
        #expect(try code(life.upperBound * 1_000 + 1_000) == .chainNotValidAtSigning)
        #expect(try code(0) == .chainNotValidAtSigning)
    }

    @Test func `a cached chain ends with its intermediate too`() throws {
        let chain = try CertificateAuthority.appleLike(
            name: "Short", leafValidity: Store.leafValidity,
            intermediateValidity: 1_740_000_000...1_755_000_000)
        let anchors = TrustAnchors(roots: [try Certificate(der: chain.root)])
        let verifier = SignedDataVerifier(anchors: anchors)
        func code(_ milliseconds: Int64) throws -> VerificationError.Code? {
            let fields = Store.fields(["signedDate": "\(milliseconds)"])
            return refusal(try chain.sign(Store.json(fields)), verifier)
        }
        #expect(try code(1_750_000_000_000) == nil)
        #expect(try code(1_755_000_001_000) == .chainNotValidAtSigning)
        #expect(try code(1_739_999_999_000) == .chainNotValidAtSigning)
    }

    @Test func `beyond the budget unknown chains are put off, known ones are answered`() throws {
        let clock = HandClock()
        let store = try Store()
        var limits = SignedDataVerifier.Limits()
        limits.uncachedChainsPerSecond = 3
        let verifier = try store.verifier(limits: limits, now: clock.now)
        let known = try store.chain.sign(Self.payload)
        #expect(refusal(known, verifier) == nil)
        // Two more of the three: chains of a stranger under our root's bytes.
        for _ in 0..<2 {
            #expect(refusal(try Self.bogus(under: store), verifier) == .chainIssuerMismatch)
        }
        let bogus = try Self.bogus(under: store)
        #expect(refusal(bogus, verifier) == .chainBudgetSpent)
        #expect(VerificationError.Code.allCases.contains(.chainBudgetSpent))
        #expect(refusal(known, verifier) == nil)
        // What is refused cheaply takes nothing of the budget.
        clock.advance(by: .seconds(1))
        for _ in 0..<10 {
            #expect(refusal(try Store().chain.sign(Self.payload), verifier) == .chainUnknownRoot)
        }
        #expect(refusal(bogus, verifier) == .chainIssuerMismatch)
    }

    @Test func `a genuine header with something added takes nothing of the budget`() throws {
        let store = try Store()
        var limits = SignedDataVerifier.Limits()
        limits.uncachedChainsPerSecond = 1
        let verifier = try store.verifier(limits: limits, now: HandClock().now)
        let stranger = try PrivateKey.generate()
        for count in 1...5 {
            let header = store.chain.jwsHeader + [UInt8](repeating: 0x20, count: count)
            let jws = try CompactJWS.sign(header: header, payload: Self.payload, with: stranger)
            #expect(refusal(jws, verifier) == .badSignature)
        }
        #expect(refusal(try store.chain.sign(Self.payload), verifier) == nil)
    }

    @Test func `a remembered chain is verified anew after its lifetime`() throws {
        let clock = HandClock()
        let store = try Store()
        var limits = SignedDataVerifier.Limits()
        limits.cachedChainLifetime = .seconds(60)
        let verifier = try store.verifier(limits: limits, now: clock.now)
        let jws = try store.chain.sign(Self.payload)
        for (seconds, checks) in [(0, 1), (59, 1), (2, 2), (59, 2), (2, 3)] {
            clock.advance(by: .seconds(seconds))
            #expect(refusal(jws, verifier) == nil)
            #expect(verifier.pathChecks == checks)
        }
        #expect(verifier.rememberedChains.count == 1)
    }

    @Test func `the number of remembered chains is bounded, the oldest goes first`() throws {
        let clock = HandClock()
        let store = try Store()
        var limits = SignedDataVerifier.Limits()
        limits.cachedChains = 2
        limits.uncachedChainsPerSecond = 1
        let verifier = try store.verifier(limits: limits, now: clock.now)
        func variant(_ blanks: Int) throws -> String {
            let header = store.chain.jwsHeader + [UInt8](repeating: 0x20, count: blanks)
            return try CompactJWS.sign(
                header: header, payload: Self.payload, with: store.chain.leafKey)
        }
        let variants = try (0..<3).map(variant)
        for jws in variants {
            #expect(refusal(jws, verifier) == nil)
            clock.advance(by: .seconds(1))
        }
        #expect(refusal(try Self.bogus(under: store), verifier) == .chainIssuerMismatch)
        #expect(refusal(variants[2], verifier) == nil)
        #expect(refusal(variants[1], verifier) == nil)
        #expect(refusal(variants[0], verifier) == .chainBudgetSpent)
    }

    @Test func `many threads with one new chain verify it once and are all answered`() async throws
    {
        let store = try Store()
        var limits = SignedDataVerifier.Limits()
        limits.uncachedChainsPerSecond = 1
        let verifier = try store.verifier(limits: limits, now: HandClock().now)
        let jws = try store.chain.sign(Self.payload)
        let codes = await withTaskGroup(of: VerificationError.Code?.self) { group in
            for _ in 0..<32 { group.addTask { @concurrent in refusal(jws, verifier) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count == 32)
        #expect(codes.allSatisfy { $0 == nil })
    }

    @Test func `an app transaction is judged at its creation date`() throws {
        let store = try Store()
        let payload = Array(
            "{\"receiptType\":\"Sandbox\",\"receiptCreationDate\":\(Store.now)}".utf8)
        let verified = try store.verifier().verify(Array(store.chain.sign(payload).utf8))
        #expect(verified.bytes == payload)
        #expect(verified.signedDateMilliseconds == Store.now)
    }

    private static func bogus(under store: Store) throws -> String {
        let stranger = try Store()
        let chain = IssuedChain(
            root: store.chain.root, intermediate: stranger.chain.intermediate,
            leaf: stranger.chain.leaf, leafKey: stranger.chain.leafKey)
        return try chain.sign(payload)
    }
}
