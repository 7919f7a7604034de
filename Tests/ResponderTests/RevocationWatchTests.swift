import AppStore
import Responder
import Service
import Signing
import Synchronization
import Testing

/// When the issuer is asked again, and what its answers change.
@Suite struct RevocationWatchTests {
    /// A watch over one remembered chain, with an issuer and a time of the test's own.
    private final class Watched: Sendable {
        let chain: IssuedChain
        let verifier: SignedDataVerifier
        let lines = LogLines()
        let metrics = ResponderMetrics(Metrics())
        private let instant = Mutex(ContinuousClock.now)
        private let verdict = Mutex<RevocationVerdict>(.good)
        private let asked = Mutex(0)
        private let watch = Mutex<RevocationWatch?>(nil)

        init() throws {
            let now = Clock.system.now() / 1_000
            chain = try CertificateAuthority.appleLike(
                name: "Watched", leafValidity: now - 86_400...now + 86_400)
            verifier = SignedDataVerifier(
                anchors: TrustAnchors(roots: [try Certificate(der: chain.root)]))
            try verifier.warm(Base64URL.encodedBytes(chain.jwsHeader), at: now)
            let made = RevocationWatch(
                verifier: verifier,
                check: { [weak self] _, _, _, _ in self?.answer() ?? .good },
                clock: Clock.system,
                now: { [weak self] in self?.instant.withLock { $0 } ?? .now },
                log: Log(service: "test", sink: lines.append), metrics: metrics)
            watch.withLock { $0 = made }
        }

        private func answer() -> RevocationVerdict {
            asked.withLock { $0 += 1 }
            return verdict.withLock { $0 }
        }

        func says(_ new: RevocationVerdict) { verdict.withLock { $0 = new } }

        /// How often the issuer is asked in one run after so long.
        func run(after wait: Duration = .zero, unless isStopping: Bool = false) -> Int {
            instant.withLock { $0 += wait }
            let before = asked.withLock { $0 }
            watch.withLock { $0 }?.run { isStopping }
            return asked.withLock { $0 } - before
        }
    }

    @Test func `a new chain is asked about at once, then twice a day`() throws {
        let watched = try Watched()
        #expect(watched.run() == 2)
        #expect(watched.run() == 0)
        #expect(watched.run(after: .seconds(12 * 3_600 - 1)) == 0)
        #expect(watched.run(after: .seconds(1)) == 2)
        #expect(watched.run() == 0)
    }

    @Test func `without a verdict it is asked again, ever more seldom, and told once`() throws {
        let watched = try Watched()
        watched.says(.unknown("nobody there"))
        #expect(watched.run() == 2)
        var waits: [Int] = []
        for _ in 0..<9 {
            var seconds = 0
            while watched.run(after: .seconds(30)) == 0, seconds < 10_000 { seconds += 30 }
            waits.append(seconds + 30)
        }
        #expect(waits == [60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600])
        #expect(watched.lines.count(of: "revocation_unknown") == 2, "one for each certificate")
        #expect(watched.metrics.revocationUnknown.series([]).value == 2)
        #expect(watched.verifier.rememberedChains.count == 1, "the last verdict stands")
        watched.says(.good)
        #expect(watched.run(after: .seconds(3_600)) == 2)
        #expect(watched.lines.count(of: "revocation_known") == 2)
        #expect(watched.metrics.revocationUnknown.series([]).value == 0)
        watched.says(.unknown("away again"))
        #expect(watched.run(after: .seconds(12 * 3_600)) == 2)
        #expect(watched.lines.count(of: "revocation_unknown") == 4)
        #expect(watched.run(after: .seconds(60)) == 2, "the pauses begin anew")
    }

    @Test func `revoked is for good, whatever is said later`() throws {
        let watched = try Watched()
        watched.says(.revoked)
        #expect(watched.run() > 0)
        #expect(watched.verifier.rememberedChains.isEmpty)
        #expect(
            watched.verifier.refusedCertificates.contains(SHA256.digest(watched.chain.leaf)))
        #expect(watched.metrics.certificatesRefused.series([]).value >= 1)
        watched.says(.good)
        #expect(watched.run(after: .seconds(24 * 3_600)) == 0)
        let header = Base64URL.encodedBytes(watched.chain.jwsHeader)
        #expect(throws: VerificationError.self) {
            try watched.verifier.warm(header, at: Clock.system.now() / 1_000)
        }
    }

    @Test func `told to end it asks nobody`() throws {
        let watched = try Watched()
        #expect(watched.run(unless: true) == 0)
        #expect(watched.verifier.rememberedChains.count == 1)
    }
}
