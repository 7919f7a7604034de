package import FoundationEssentials

/// What an identifier names, and the prefix it shows outside (`msg_…`).
package protocol IdentifierKind: Sendable {
    static var prefix: String { get }
}

/// The identifier of one kind of thing: a UUIDv7 in tables, a prefix and 26 Crockford characters
/// outside. The kind is part of the type, so a message cannot be handed in where an app is asked.
package struct Identifier<Kind: IdentifierKind>: Hashable, Sendable {
    package let uuid: UUID

    package init(_ uuid: UUID) {
        self.uuid = uuid
    }

    /// A new identifier whose order follows `now` to the millisecond.
    package static func make(
        at now: Instant, using random: inout some RandomNumberGenerator
    ) -> Identifier {
        Identifier(UUID.version7(at: now, using: &random))
    }

    /// In the order of `now`, then of `count`; see `UUID.version7(at:count:)`.
    package init(at now: Instant, count: UInt64) {
        uuid = UUID.version7(at: now, count: count)
    }

    /// Reads the outside form; `nil` for another kind's prefix, a foreign character or a value
    /// over 128 bits.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        let prefix = Array("\(Kind.prefix)_".utf8)
        guard bytes.starts(with: prefix),
            let uuid = Crockford.uuid(bytes.dropFirst(prefix.count))
        else { return nil }
        self.uuid = uuid
    }
}

extension Identifier: CustomStringConvertible {
    package var description: String { "\(Kind.prefix)_\(Crockford.text(uuid))" }
}

extension Identifier: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let identifier = Identifier(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "expected \(Kind.prefix)_ and 26 Crockford characters")
        }
        self = identifier
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

package enum TenantKind: IdentifierKind { package static let prefix = "ten" }
package enum ClientKind: IdentifierKind { package static let prefix = "cli" }
package enum AppKind: IdentifierKind { package static let prefix = "app" }
package enum CredentialKind: IdentifierKind { package static let prefix = "cred" }
package enum EndpointKind: IdentifierKind { package static let prefix = "ep" }
package enum ImageKind: IdentifierKind { package static let prefix = "img" }
package enum MessageIdentifierKind: IdentifierKind { package static let prefix = "msg" }
package enum RuleKind: IdentifierKind { package static let prefix = "rule" }
package enum ExperimentKind: IdentifierKind { package static let prefix = "exp" }
package enum APIKeyKind: IdentifierKind { package static let prefix = "key" }
package enum AuditEventKind: IdentifierKind { package static let prefix = "aud" }
package enum JobKind: IdentifierKind { package static let prefix = "job" }
package enum PublicationKind: IdentifierKind { package static let prefix = "pub" }
package enum SyncRunKind: IdentifierKind { package static let prefix = "run" }
package enum AppleCallKind: IdentifierKind { package static let prefix = "call" }
package enum PerformanceTestKind: IdentifierKind { package static let prefix = "test" }

package typealias TenantID = Identifier<TenantKind>
package typealias ClientID = Identifier<ClientKind>
package typealias AppID = Identifier<AppKind>
package typealias CredentialID = Identifier<CredentialKind>
package typealias EndpointID = Identifier<EndpointKind>
package typealias ImageID = Identifier<ImageKind>
package typealias MessageID = Identifier<MessageIdentifierKind>
package typealias RuleID = Identifier<RuleKind>
package typealias ExperimentID = Identifier<ExperimentKind>
package typealias APIKeyID = Identifier<APIKeyKind>
package typealias AuditEventID = Identifier<AuditEventKind>
package typealias JobID = Identifier<JobKind>
package typealias PublicationID = Identifier<PublicationKind>
package typealias SyncRunID = Identifier<SyncRunKind>
package typealias AppleCallID = Identifier<AppleCallKind>
package typealias PerformanceTestID = Identifier<PerformanceTestKind>

extension UUID {
    /// The sixteen bytes in network order.
    package var bytes: [UInt8] {
        let u = uuid
        return [
            u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7,
            u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15,
        ]
    }

    /// `nil` unless there are exactly sixteen bytes.
    package init?(bytes b: some Collection<UInt8>) {
        guard b.count == 16 else { return nil }
        let b = Array(b)
        self.init(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7],
                b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
    }

    /// RFC 9562 version 4: random bits. `UUID()` opens the system's random file for each.
    package static func version4() -> UUID {
        var random = SystemRandomNumberGenerator()
        return tagged(high: random.next(), low: random.next(), version: 4)
    }

    /// RFC 9562 version 7: 48 bits of milliseconds, then random bits.
    package static func version7(
        at now: Instant, using random: inout some RandomNumberGenerator
    ) -> UUID {
        let milliseconds = UInt64(max(0, now.milliseconds)) & 0xffff_ffff_ffff
        let high = milliseconds << 16 | UInt64.random(in: 0...0xffff, using: &random)
        return tagged(high: high, low: random.next(), version: 7)
    }

    /// Bits of the count in an identifier of version 7; twenty-two by chance are left.
    package static let countBits: UInt64 = 52

    /// RFC 9562 version 7 with a count where the random bits begin (section 6.2).
    package static func version7(at now: Instant, count: UInt64) -> UUID {
        let milliseconds = UInt64(max(0, now.milliseconds)) & 0xffff_ffff_ffff
        let lowBits = countBits - 12
        let low = count & (1 << lowBits - 1)
        return tagged(
            high: milliseconds << 16 | (count >> lowBits) & 0xfff,
            low: low << (62 - lowBits) | UInt64.random(in: 0..<1 << (62 - lowBits)), version: 7)
    }

    /// RFC 9562 version 8 of the first sixteen bytes of a digest: the same content always has the
    /// same identifier. `nil` for fewer than sixteen bytes.
    package static func version8(digest: [UInt8]) -> UUID? {
        guard digest.count >= 16 else { return nil }
        let words = [digest[0..<8], digest[8..<16]].map {
            $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        return tagged(high: words[0], low: words[1], version: 8)
    }

    private static func tagged(high: UInt64, low: UInt64, version: UInt64) -> UUID {
        let high = high & ~0xf000 | version << 12
        let low = low & ~(0b11 << 62) | 0b10 << 62
        let words = (high.bigEndian, low.bigEndian)
        return UUID(uuid: unsafe unsafeBitCast(words, to: uuid_t.self))
    }
}

/// Crockford's base 32 for 128 bits: 26 characters, no I, L, O or U, upper case.
enum Crockford {
    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let digitCount = 26

    static func text(_ uuid: UUID) -> String {
        var low = UInt128(0)
        for byte in uuid.bytes { low = low << 8 | UInt128(byte) }
        var characters = [UInt8](repeating: 0, count: digitCount)
        for position in stride(from: digitCount - 1, through: 0, by: -1) {
            characters[position] = digits[Int(low & 31)]
            low >>= 5
        }
        return String(decoding: characters, as: UTF8.self)
    }

    static func uuid(_ text: some Collection<UInt8>) -> UUID? {
        guard text.count == digitCount, let first = text.first,
            let leading = digits.firstIndex(of: first), leading < 8  // 26 x 5 bits are two too many
        else { return nil }
        var value = UInt128(0)
        for character in text {
            guard let digit = digits.firstIndex(of: character) else { return nil }
            value = value << 5 | UInt128(digit)
        }
        let bytes = stride(from: 120, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: value >> UInt128($0))
        }
        return UUID(bytes: bytes)
    }
}
