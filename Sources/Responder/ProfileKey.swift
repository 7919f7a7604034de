internal import FoundationEssentials
package import Retention
package import RetentionStore

/// Whose entry it is, as the table compares it: word by word, all of it. Tenant, app and
/// environment are part of it, so that equal identifiers of two agencies are two keys.
package struct ProfileKey: Sendable {
    /// An original transaction id has about 16 digits; one that is longer than this is not kept
    /// in memory.
    package static let identifierBytesLimit = 64
    static let wordBytes = 8
    private static let words = identifierBytesLimit / wordBytes

    let tenant: (UInt64, UInt64)
    let app: (UInt64, UInt64)
    let isSandbox: Bool
    let identifierBytes: Int
    /// Zero past the end, so that equal texts have equal words.
    let identifier: InlineArray<8, UInt64>

    /// Nil for an identifier that is too long for the table.
    package init?(tenant: TenantID, key: AppEnvironment, originalTransactionId: String) {
        var identifier = InlineArray<8, UInt64>(repeating: 0)
        var count = 0
        for byte in originalTransactionId.utf8 {
            guard count < Self.identifierBytesLimit else { return nil }
            let shift = UInt64(count % Self.wordBytes * 8)
            identifier[count / Self.wordBytes] |= UInt64(byte) << shift
            count += 1
        }
        self.tenant = Self.halves(tenant.uuid)
        app = Self.halves(key.app.uuid)
        isSandbox = key.environment == .sandbox
        identifierBytes = count
        self.identifier = identifier
    }

    package init?(_ subscriber: SubscriberKey) {
        self.init(
            tenant: subscriber.tenant, key: subscriber.key,
            originalTransactionId: subscriber.originalTransactionId)
    }

    /// With this process's random key: nobody outside can aim at one place of the table.
    package var hashOfProcess: UInt64 {
        var hasher = Hasher()
        hasher.combine(tenant.0)
        hasher.combine(tenant.1)
        hasher.combine(app.0)
        hasher.combine(app.1)
        hasher.combine(isSandbox ? identifierBytes | 1 << 8 : identifierBytes)
        for word in 0..<(identifierBytes + Self.wordBytes - 1) / Self.wordBytes {
            hasher.combine(identifier[word])
        }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// The byte at a place before `identifierBytes`.
    func identifierByte(_ place: Int) -> UInt8 {
        UInt8(
            truncatingIfNeeded: identifier[place / Self.wordBytes]
                >> UInt64(place % Self.wordBytes * 8))
    }

    private static func halves(_ uuid: UUID) -> (UInt64, UInt64) {
        let u = uuid.uuid
        return (
            word(u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7),
            word(u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15)
        )
    }

    private static func word(
        _ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, _ e: UInt8, _ f: UInt8, _ g: UInt8,
        _ h: UInt8
    ) -> UInt64 {
        let high = UInt64(a) << 56 | UInt64(b) << 48 | UInt64(c) << 40 | UInt64(d) << 32
        return high | UInt64(e) << 24 | UInt64(f) << 16 | UInt64(g) << 8 | UInt64(h)
    }
}
