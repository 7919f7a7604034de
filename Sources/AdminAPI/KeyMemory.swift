internal import Retention
internal import RetentionStore
internal import Synchronization

/// What this process remembers of keys: whose each was, so that a tenant over its limit costs no
/// database, and when each was last used. It never decides whether a key is good: the database is
/// asked at every request.
final class KeyMemory: Sendable {
    /// Keys remembered at once; past it all are forgotten, and asked for anew.
    private static let keysLimit = 10_000

    /// Then the database is asked again before anything is counted against the key's tenant: a key
    /// that is revoked meanwhile takes nothing from it for longer.
    private static let lifetime: Duration = .seconds(5)

    private struct Memory {
        var principals: [[UInt8]: (principal: Principal, seenAt: ContinuousClock.Instant)] = [:]
        var uses: [APIKeyID: (tenant: TenantID, at: Instant)] = [:]
    }

    private let memory = Mutex(Memory())

    /// The key as it was when the database last knew it, some seconds ago at most.
    func find(_ tokenHash: [UInt8]) -> Principal? {
        memory.withLock { memory in
            guard let known = memory.principals[tokenHash],
                ContinuousClock.now - known.seenAt < Self.lifetime
            else { return nil }
            return known.principal
        }
    }

    func note(_ tokenHash: [UInt8], _ principal: Principal, at now: Instant) {
        memory.withLock { memory in
            if memory.principals.count >= Self.keysLimit { memory.principals = [:] }
            memory.principals[tokenHash] = (principal, .now)
            memory.uses[principal.key] = (principal.tenant, now)
        }
    }

    func forget(_ tokenHash: [UInt8]) {
        memory.withLock { $0.principals[tokenHash] = nil }
    }

    /// Writes down the uses since the last time; they are kept where that fails.
    func flush(to store: RetentionStore) throws {
        let uses = memory.withLock { memory in
            defer { memory.uses = [:] }
            return memory.uses
        }
        guard !uses.isEmpty else { return }
        do {
            try store.noteKeyUse(
                .gatewayUpkeep, uses.map { (tenant: $0.value.tenant, key: $0.key, at: $0.value.at) }
            )
        } catch {
            memory.withLock { memory in
                memory.uses.merge(uses) { newer, _ in newer }
            }
            throw error
        }
    }
}
