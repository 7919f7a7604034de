internal import RetentionStore

/// The words of one record.
enum Record {
    static let hash = 0
    static let tenant = 1
    static let app = 3
    static let identifier = 5
    static let meta = 7
    /// Of a profile; of an entry that says "nothing", when it ends.
    static let asOf = 8
    static let lastOffer = 9
    static let counters = 10
    static let cell = 11
    static let words = 12

    /// No instant: no offer was given yet.
    static let never = Int64.min

    static func start(_ number: UInt32) -> Int { (Int(number) - 1) * words }

    static func number(_ start: Int) -> UInt32 { UInt32(truncatingIfNeeded: start / words + 1) }
}

/// What is known of a record beside its values, in one word; 0 where there is none.
struct Meta {
    private static let there: UInt64 = 1 << 63
    private static let used: UInt64 = 1 << 62
    private static let sandbox: UInt64 = 1 << 61
    private static let absent: UInt64 = 1 << 60
    private static let profile: UInt64 = 1 << 59

    private(set) var bits: UInt64

    init(_ bits: UInt64) { self.bits = bits }

    init(identifierBytes: Int, isSandbox: Bool, isUsedLately: Bool) {
        bits = Self.there | UInt64(identifierBytes)
        if isSandbox { bits |= Self.sandbox }
        if isUsedLately { bits |= Self.used }
    }

    mutating func setAbsent() { bits |= Self.absent }

    mutating func setBody(_ count: Int) { bits |= Self.profile | UInt64(count) << 16 }

    var isThere: Bool { bits & Self.there != 0 }
    var isUsedLately: Bool { bits & Self.used != 0 }
    var isSandbox: Bool { bits & Self.sandbox != 0 }
    var isAbsent: Bool { bits & Self.absent != 0 }
    var hasProfile: Bool { bits & Self.profile != 0 }
    var identifierBytes: Int { Int(bits & 0xff) }
    var bodyBytes: Int { Int(bits >> 16 & 0xffff) }
    var usedLately: Meta { Meta(bits | Self.used) }
    var notUsedLately: Meta { Meta(bits & ~Self.used) }
}

extension ProfileKey {
    /// What of an identifier stands in the record itself.
    static let identifierHeadBytes = 2 * wordBytes

    var identifierTailBytes: Int { max(0, identifierBytes - Self.identifierHeadBytes) }
}

extension ProfileReading {
    var bodyBytes: Int {
        if case .found(let profile?, _) = self { return profile.body.count }
        return 0
    }
}
