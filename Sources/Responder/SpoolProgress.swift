internal import Retention

/// A place in the spool, between two records.
struct SpoolPosition: Comparable {
    var segment = 0
    var offset: Int64 = 0

    static func < (one: SpoolPosition, other: SpoolPosition) -> Bool {
        (one.segment, one.offset) < (other.segment, other.offset)
    }
}

/// How far the shipper has come.
///
///     0000000004.spool   0000000005.spool   0000000006.spool
///           ^ held: tenant A                      ^ at: all others are shipped up to here
///     └── needed as long as A is held ──────┘
struct SpoolProgress {
    struct Hold {
        /// All of the tenant's before it is shipped.
        var at: SpoolPosition
        var reason: String
    }

    var at = SpoolPosition()
    private(set) var held: [TenantID: Hold] = [:]
    /// Records that only another build can read, by file.
    var unreadRecords: [Int: Int] = [:]

    /// Where the oldest record is that may not be shipped.
    var oldest: SpoolPosition { min(at, held.values.map(\.at).min() ?? at) }

    /// - Returns: whether the reason is new.
    mutating func hold(_ tenant: TenantID, at: SpoolPosition, reason: String) -> Bool {
        defer { held[tenant] = Hold(at: at, reason: reason) }
        return held[tenant]?.reason != reason
    }

    mutating func release(_ tenant: TenantID) {
        held[tenant] = nil
    }
}
