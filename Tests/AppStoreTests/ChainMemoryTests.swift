import AppStore
import Signing
import Testing

/// What the verifier remembers of chains: renewed, handed on to the next start, refused.
@Suite struct ChainMemoryTests {
    private static let payload = Store.json(Store.fields())
    private static let nowSeconds = Store.now / 1_000

    private static func bogus(under store: Store) throws -> IssuedChain {
        let stranger = try Store()
        return IssuedChain(
            root: store.chain.root, intermediate: stranger.chain.intermediate,
            leaf: stranger.chain.leaf, leafKey: stranger.chain.leafKey)
    }

    private static func warmRefusal(
        _ header: [UInt8], _ verifier: SignedDataVerifier, at seconds: Int64 = nowSeconds
    ) -> VerificationError.Code? {
        do { try verifier.warm(header, at: seconds) } catch { return error.code }
        return nil
    }

    /// The one header of a verifier that has verified one chain.
    private static func header(_ store: Store) throws -> [UInt8] {
        Base64URL.encodedBytes(store.chain.jwsHeader)
    }

    @Test func `a chain read back needs no path check and no budget`() throws {
        let store = try Store()
        let first = try store.verifier()
        let jws = try store.chain.sign(Self.payload)
        #expect(refusal(jws, first) == nil)
        #expect(first.pathChecks == 1)
        #expect(first.rememberedChains.map(\.header) == [try Self.header(store)])

        var limits = SignedDataVerifier.Limits()
        limits.uncachedChainsPerSecond = 0
        let second = try store.verifier(limits: limits)
        #expect(refusal(jws, second) == .chainBudgetSpent)
        for chain in first.rememberedChains {
            #expect(Self.warmRefusal(chain.header, second) == nil)
        }
        #expect(refusal(jws, second) == nil)
        #expect(second.pathChecks == 0)
    }

    @Test func `what is read back is believed no more than what a stranger sends`() throws {
        let store = try Store()
        let verifier = try store.verifier()
        let good = try Self.header(store)
        for (header, code) in [
            ([], VerificationError.Code.headerMalformed), (Array("=".utf8), .jwsMalformed),
            (Array(good.prefix(good.count / 8 * 4)), .headerMalformed),
            (Base64URL.encodedBytes(Array("{}".utf8)), .algorithmRefused),
            (Base64URL.encodedBytes(try Store().chain.jwsHeader), .chainUnknownRoot),
            (Base64URL.encodedBytes(try Self.bogus(under: store).jwsHeader), .chainIssuerMismatch),
        ] {
            #expect(Self.warmRefusal(header, verifier) == code)
        }
        let end = Store.leafValidity.upperBound
        #expect(Self.warmRefusal(good, verifier, at: end + 1) == .chainNotValidAtSigning)
        #expect(verifier.rememberedChains.isEmpty)
        verifier.refuse(certificate: SHA256.digest(store.chain.intermediate))
        #expect(Self.warmRefusal(good, verifier) == .chainRevoked)
        #expect(verifier.rememberedChains.isEmpty)
    }

    @Test(arguments: [true, false])
    func `a revoked certificate is refused from then on, remembered or not`(
        _ ofLeaf: Bool
    ) throws {
        let store = try Store()
        let verifier = try store.verifier()
        let jws = try store.chain.sign(Self.payload)
        #expect(refusal(jws, verifier) == nil)
        let before = verifier.generation
        verifier.refuse(
            certificate: SHA256.digest(ofLeaf ? store.chain.leaf : store.chain.intermediate))
        #expect(verifier.generation > before)
        #expect(verifier.rememberedChains.isEmpty)
        for _ in 0..<3 { #expect(refusal(jws, verifier) == .chainRevoked) }
        // Under another spelling of the header too, and without a path check.
        let header = store.chain.jwsHeader + Array(" ".utf8)
        let other = try CompactJWS.sign(
            header: header, payload: Self.payload, with: store.chain.leafKey)
        #expect(refusal(other, verifier) == .chainRevoked)
        #expect(verifier.pathChecks == 1)
        #expect(verifier.rememberedChains.isEmpty)
        let settled = verifier.generation
        #expect(refusal(jws, verifier) == .chainRevoked)
        #expect(verifier.generation == settled, "a refused request changes nothing to be written")
    }

    @Test func `a certificate refused in the middle of verifications is in no memory afterwards`()
        async throws
    {
        for _ in 0..<20 {
            let store = try Store()
            let verifier = try store.verifier()
            let jws = try store.chain.sign(Self.payload)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { @concurrent in
                        for _ in 0..<20 { _ = refusal(jws, verifier) }
                    }
                }
                group.addTask { @concurrent in
                    verifier.refuse(certificate: SHA256.digest(store.chain.leaf))
                }
            }
            #expect(verifier.rememberedChains.isEmpty)
            #expect(refusal(jws, verifier) == .chainRevoked)
        }
    }

    @Test func `the number of refused certificates is bounded`() throws {
        let verifier = try Store().verifier()
        for number in 0..<1_100 {
            verifier.refuse(certificate: SHA256.digest(Array("\(number)".utf8)))
        }
        #expect(verifier.refusedCertificates.count == 1_000)
        #expect(verifier.refusedCertificates.last == SHA256.digest(Array("1099".utf8)))
    }

    /// A chain of a stranger under our root's bytes costs a path check; Apple's own must get its.
    @Test func `a flood of bogus chains keeps no known chain from being verified anew`() throws {
        let clock = HandClock()
        let store = try Store()
        var limits = SignedDataVerifier.Limits()
        limits.uncachedChainsPerSecond = 2
        limits.cachedChainLifetime = .seconds(60)
        let verifier = try store.verifier(limits: limits, now: clock.now)
        let jws = try store.chain.sign(Self.payload)
        #expect(refusal(jws, verifier) == nil)
        clock.advance(by: .seconds(61))
        let bogus = try Self.bogus(under: store).sign(Self.payload)
        #expect(refusal(bogus, verifier) == .chainIssuerMismatch)
        #expect(refusal(bogus, verifier) == .chainIssuerMismatch)
        #expect(refusal(bogus, verifier) == .chainBudgetSpent)
        let checks = verifier.pathChecks
        #expect(refusal(jws, verifier) == nil)
        #expect(verifier.pathChecks == checks + 1, "verified anew, past the budget")
        #expect(refusal(jws, verifier) == nil)
        #expect(verifier.pathChecks == checks + 1)
    }

    @Test func `a flood at one URL leaves the budget of all others`() throws {
        let store = try Store()
        let verifier = try store.verifier(now: HandClock().now)
        let bogus = Store.body(jws: try Self.bogus(under: store).sign(Self.payload))
        var codes: [VerificationError.Code?: Int] = [:]
        for _ in 0..<1_000 { codes[refusal(bogus, verifier), default: 0] += 1 }
        #expect(codes == [.chainIssuerMismatch: 5, .chainBudgetSpent: 995])
        // The same app's other environment, or another app, in the same second.
        let fields = Store.fields(["environment": "\"Sandbox\""])
        #expect(refusal(try store.body(fields), verifier, environment: "Sandbox") == nil)
        #expect(refusal(try store.body(), verifier) == nil, "and now it is known at the first too")
    }

    @Test func `a small file of lines is read back whole or not at all`() throws {
        let form = CheckedLines.verifiedChains
        let lines = [Array("one".utf8), [], Array("three".utf8)]
        let good = form.encode(lines)
        #expect(form.decode(good) == lines)
        #expect(form.decode(form.encode([])) == [])
        #expect(CheckedLines.refusedCertificates.decode(good) == nil)
        #expect(form.decode([]) == nil)
        for count in 0..<good.count { #expect(form.decode(Array(good.prefix(count))) == nil) }
        for position in good.indices {
            for bit in 0..<8 {
                var bytes = good
                bytes[position] ^= 1 << bit
                #expect(form.decode(bytes) == nil)
            }
        }
        #expect(form.decode(good + good) == nil)
        let huge = [UInt8](repeating: UInt8(ascii: "a"), count: CheckedLines.bytesLimit)
        #expect(form.decode(form.encode([huge])) == nil)
    }
}
