import AppStore
import Signing
import TestSupport
import Testing

/// A hundred thousand forged or mangled requests: none is believed, none ends the process, each is
/// refused by the name of its fault, and none costs a genuine request its answer.
@Suite struct ForgedInputTests {
    private static let workers = 4
    private static let ofEachKind = 480

    private static func code(
        _ forgery: Forgery, _ verifier: SignedDataVerifier
    ) -> VerificationError.Code? {
        var isBelieved = false
        do {
            _ = try verifier.realtimeRequest(
                body: forgery.body,
                to: SignedDataVerifier.RealtimePlace(
                    appAppleId: forgery.appAppleId, environment: forgery.environment),
                nowMilliseconds: forgery.now
            ) { _, isGenuine in isBelieved = isGenuine() }
        } catch { return isBelieved ? nil : error.code }
        return nil
    }

    private static func expect(
        _ forgery: Forgery, _ verifier: SignedDataVerifier, _ what: @autoclosure () -> String
    ) {
        // `#expect` for each of so many would take longer than what it looks at.
        if let code = code(forgery, verifier), forgery.codes.contains(code) { return }
        let found = code(forgery, verifier)
        let text = String(decoding: forgery.body.prefix(6_000), as: UTF8.self)
        Issue.record("\(what()): \(String(describing: found)), not \(forgery.codes): \(text)")
    }

    /// Every bit of a good body turned, and every shorter body and JWS.
    private static func sweep(
        _ cast: Forger.Cast, _ verifier: SignedDataVerifier, worker: Int
    ) throws -> Int {
        let jws = try cast.good.chain.sign(Forger.fields())
        let good = Store.body(jws: jws)
        var count = 0
        let codes = Set(Forger.anyMangled)
        for position in stride(from: worker, to: good.count, by: workers) {
            for bit in 0..<8 {
                var body = good
                body[position] ^= 1 << bit
                expect(Forgery(body, codes: codes), verifier, "bit \(bit) of byte \(position)")
                count += 1
            }
            expect(
                Forgery(Array(good.prefix(position)), .bodyMalformed), verifier,
                "body of \(position) bytes")
            count += 1
            if position < jws.utf8.count {
                let cut = String(decoding: jws.utf8.prefix(position), as: UTF8.self)
                expect(Forgery(jws: cut, .jwsMalformed), verifier, "JWS of \(position) bytes")
                count += 1
            }
        }
        return count
    }

    private static func forge(
        _ cast: Forger.Cast, _ verifier: SignedDataVerifier, worker: Int
    ) throws -> Int {
        var count = try sweep(cast, verifier, worker: worker)
        for (place, kind) in Forger.Kind.allCases.enumerated() {
            var forger = Forger(cast, seed: UInt64(worker * 1_000 + place) &* 7_919 &+ 5)
            for turn in 0..<ofEachKind {
                expect(try forger.next(kind), verifier, "\(kind) \(turn) of worker \(worker)")
                count += 1
            }
        }
        return count
    }

    @Test func `of a hundred thousand forged requests none is believed`() async throws {
        let cast = try Forger.Cast()
        let clock = HandClock()
        let verifier = try cast.verifier(now: clock.now)
        #expect(refusal(try cast.good.body(), verifier) == nil)
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<Self.workers {
                group.addTask { @concurrent in try Self.forge(cast, verifier, worker: worker) }
            }
            return try await group.reduce(0, +)
        }
        #expect(count >= 100_000)
        // Not one of them came as far as the check that costs milliseconds.
        #expect(verifier.pathChecks == 1)
        #expect(verifier.rememberedChains.count == 1)
        #expect(refusal(try cast.good.body(), verifier) == nil)
        let kinds = Forger.Kind.allCases.count + 3
        try Promise.kept("forged-input", "\(count) requests of \(kinds) kinds, 0 believed")
    }

    /// What only a path check tells apart is bounded, and a new chain of Apple's gets its turn in
    /// the same second.
    @Test func `forged chains spend a part of the budget only`() throws {
        let cast = try Forger.Cast()
        let verifier = try cast.verifier(now: HandClock().now)
        #expect(refusal(try cast.good.body(), verifier) == nil)
        let chains = [cast.spliced] + (try (0..<40).map { _ in try Self.spliced(cast) })
        for turn in 0..<2_000 {
            let forgery = Forgery(
                jws: try chains[turn % chains.count].sign(Forger.fields()), .chainIssuerMismatch,
                .chainBudgetSpent)
            Self.expect(forgery, verifier, "spliced chain \(turn)")
        }
        // The good chain came first, to the same URL.
        #expect(
            verifier.pathChecks == SignedDataVerifier.Limits().uncachedChainsPerSecondOfOneURL)
        #expect(refusal(try cast.good.body(), verifier) == nil)
        let sandbox = Store.fields(["environment": "\"Sandbox\""])
        let next = Store.body(jws: try cast.next.chain.sign(Store.json(sandbox)))
        #expect(refusal(next, verifier, environment: "Sandbox") == nil)
        #expect(refusal(try cast.next.body(), verifier) == nil)
    }

    private static func spliced(_ cast: Forger.Cast) throws -> IssuedChain {
        let stranger = try Store()
        return IssuedChain(
            root: cast.good.chain.root, intermediate: stranger.chain.intermediate,
            leaf: stranger.chain.leaf, leafKey: stranger.chain.leafKey)
    }

    @Test func `bodies of ten million bytes are refused unread`() throws {
        let verifier = try Store().verifier()
        for filling in [0x20, 0x5B, 0x7B, 0x22, 0x30, 0x00, 0xFF, 0x5C] as [UInt8] {
            let body = [UInt8](repeating: filling, count: 10_000_000)
            #expect(refusal(body, verifier) == .bodyMalformed)
        }
    }
}
