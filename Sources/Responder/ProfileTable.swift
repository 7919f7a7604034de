package import RetentionStore
internal import Service
internal import Synchronization

/// Profiles and counters in this process's memory, bounded. What was not used lately makes room
/// for what is asked for (CLOCK).
///
/// An entry is found by a keyed hash and then compared by its whole key: whoever's hash collides
/// never gets another's profile. No entry is an object of its own; a look-up takes one short lock
/// among many.
package final class ProfileTable: Sendable {
    /// How long "nothing is kept of this subscriber" is believed. The feed corrects it sooner;
    /// this is for a feed that has lost its database.
    package static let absentLifetime: Duration = .seconds(30)
    private static let bytesPerMebibyte = 1 << 20
    private static let mebibytesPerShard = 4
    private static let shardsLimit = 256

    private final class Shard: Sendable {
        let state: Mutex<ProfileShard>

        init(bytes: Int) { state = Mutex(ProfileShard(bytes: bytes)) }
    }

    private let shards: [Shard]
    private let hash: @Sendable (ProfileKey) -> UInt64
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - mebibytes: the memory it may take; none for 0, and then it holds nothing.
    ///   - now: milliseconds on a clock that never goes back.
    package convenience init(
        mebibytes: Int, hash: @escaping @Sendable (ProfileKey) -> UInt64 = { $0.hashOfProcess },
        now: @escaping @Sendable () -> Int64 = Clock.uptime.now
    ) {
        let shards = max(1, mebibytes / Self.mebibytesPerShard)
        self.init(
            bytes: mebibytes * Self.bytesPerMebibyte, shards: min(shards, Self.shardsLimit),
            hash: hash, now: now)
    }

    package init(
        bytes: Int, shards: Int, hash: @escaping @Sendable (ProfileKey) -> UInt64,
        now: @escaping @Sendable () -> Int64 = Clock.uptime.now
    ) {
        self.shards = bytes == 0 ? [] : (0..<shards).map { _ in Shard(bytes: bytes / shards) }
        self.hash = hash
        self.now = now
    }

    /// What is remembered; nil where that is nothing, and the store must be asked.
    package func find(_ key: ProfileKey) -> ProfileReading? {
        let hash = hash(key)
        return shard(hash)?.state.withLock { $0.find(key, hash, now: now) } ?? nil
    }

    /// To be asked for before the store is read; see `put`.
    package func version(for key: ProfileKey) -> UInt64 {
        shard(hash(key))?.state.withLock { $0.version } ?? 0
    }

    /// Remembers what the store said. Not where the feed has told changes since `version`: what
    /// was read may be older than they are, and nobody would ever tell again. Asked for once is
    /// not "used lately": else those asked for once would drive out those asked for again.
    package func put(_ key: ProfileKey, _ reading: ProfileReading, since version: UInt64) {
        guard reading != .unavailable else { return }
        let hash = hash(key)
        shard(hash)?.state.withLock { shard in
            guard shard.version == version else { return }
            shard.put(key, hash, reading, isUsed: false, expiry: expiry)
        }
    }

    /// Remembers what nobody has asked for yet, while there is room and nothing is known.
    ///
    /// - Returns: false where there was no room.
    package func add(_ key: ProfileKey, _ reading: ProfileReading) -> Bool {
        let hash = hash(key)
        return shard(hash)?.state.withLock { shard in
            if shard.holds(key, hash) { return true }
            guard shard.hasRoom(key, reading) else { return false }
            shard.put(key, hash, reading, isUsed: false, expiry: expiry)
            return true
        } ?? false
    }

    /// Takes in a change that the feed tells: of what is remembered, and of what is not where
    /// there is room.
    package func change(_ key: ProfileKey, to reading: ProfileReading, mayAdd: Bool) {
        let hash = hash(key)
        shard(hash)?.state.withLock { shard in
            shard.noteChange()
            if case .found = reading {
                let isThere = shard.holds(key, hash)
                guard isThere || (mayAdd && shard.hasRoom(key, reading)) else { return }
                shard.put(key, hash, reading, isUsed: isThere, expiry: expiry)
            } else {
                shard.forget(key, hash)
            }
        }
    }

    package func removeAll() {
        for shard in shards { shard.state.withLock { $0.removeAll() } }
    }

    package var counts: ProfileTableCounts {
        shards.reduce(into: ProfileTableCounts()) { counts, shard in
            shard.state.withLock { shard in
                counts.entries += shard.count
                counts.entriesLimit += shard.recordLimit
                counts.bytes += shard.bytes
                counts.evictions &+= shard.evictions
            }
        }
    }

    private var expiry: Int64 { now() + Int64(Self.absentLifetime / .milliseconds(1)) }

    /// By the upper half of the hash; the lower one is the place within.
    private func shard(_ hash: UInt64) -> Shard? {
        guard !shards.isEmpty else { return nil }
        return shards[Int(hash >> 32) % shards.count]
    }
}

package struct ProfileTableCounts: Sendable {
    package var entries = 0
    /// However small they are.
    package var entriesLimit = 0
    /// In use.
    package var bytes = 0
    package var evictions: UInt64 = 0
}
