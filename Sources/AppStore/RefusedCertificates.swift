internal import Synchronization

/// Certificates that their issuer has revoked, by the SHA-256 of their DER. Bounded: with more the
/// oldest is forgotten, long after it has ended.
final class RefusedCertificates: Sendable {
    static let countLimit = 1_000

    private struct State {
        var fingerprints: [[UInt8]] = []
        var generation = 0
    }

    private let state = Mutex(State())

    /// Whether it was not refused before.
    func insert(_ sha256: [UInt8]) -> Bool {
        state.withLock { state in
            guard !state.fingerprints.contains(sha256) else { return false }
            if state.fingerprints.count >= Self.countLimit { state.fingerprints.removeFirst() }
            state.fingerprints.append(sha256)
            state.generation += 1
            return true
        }
    }

    func contains(_ sha256: [UInt8]) -> Bool {
        state.withLock { $0.fingerprints.contains(sha256) }
    }

    var all: [[UInt8]] { state.withLock { $0.fingerprints } }

    /// Rises with each certificate.
    var generation: Int { state.withLock { $0.generation } }
}
