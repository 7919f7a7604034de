internal import FoundationEssentials
package import Retention
package import RetentionStore

/// A decision as it stands in the spool: its tenant, and the record for that tenant's table.
///
/// The form, all numbers in network order:
///
///     length u32 │ crc32 u32 │ version u8 │ tenant, app 16+16 │ environment u8 │ four i64 │ …
///     └── of what follows the checksum ──┘
package struct SpooledDecision: Equatable, Sendable {
    /// Raised with any change of the form, so that an earlier build keeps the file for a later one.
    /// What an earlier build wrote is read: it is shipped by whichever build comes after it.
    package static let version: UInt8 = 2
    private static let versions: ClosedRange<UInt8> = 1...version
    package static let headBytes = 8
    /// Of every version: what claims to be longer is damaged.
    package static let recordBytesLimit = 4_096
    /// The reader's locale comes from outside; what is longer is no locale and is cut.
    package static let localeBytesLimit = 64

    package let tenant: TenantID
    package let record: DecisionRecord

    /// The whole record with its length and checksum before it.
    package func encoded() -> [UInt8] {
        var writer = CompactWriter()
        writer.append(Self.version)
        writer.append(tenant.uuid)
        writer.append(record.key.app.uuid)
        writer.append(UInt8(record.key.environment == .production ? 1 : 0))
        writer.append(record.signedDate.milliseconds)
        writer.append(record.decidedAt.milliseconds)
        writer.append(record.snapshotNumber)
        writer.append(record.durationMicroseconds)
        writer.append(record.requestIdentifier)
        writer.append(record.originalTransactionId)
        writer.append(record.productId)
        writer.append(Self.cut(record.localeAsked))
        writer.append(record.decision)
        writer.append(record.basis) { $0.append($1) }
        var head = CompactWriter()
        head.append(UInt32(clamping: writer.bytes.count))
        head.append(CRC32.checksum(writer.bytes))
        return head.bytes + writer.bytes
    }

    /// The record in `body`, whose length and checksum were found right; `nil` for another form.
    package init?(body: [UInt8]) {
        var reader = CompactReader(body)
        guard let version = reader.byte(), Self.versions.contains(version),
            let tenant = reader.uuid(), let app = reader.uuid(),
            let environment = reader.byte(), let signedDate = reader.integer(),
            let decidedAt = reader.integer(), let snapshotNumber = reader.integer(),
            let duration = reader.integer(), let requestIdentifier = reader.uuid(),
            let transaction = reader.text(), let product = reader.text(),
            let locale = reader.text(), let decision = reader.decision(version: version),
            let basis = version == 1 ? .some(nil) : reader.optional({ $0.basis() }),
            reader.isAtEnd
        else { return nil }
        self.init(
            tenant: TenantID(tenant),
            record: DecisionRecord(
                key: AppEnvironment(
                    app: AppID(app), environment: environment == 1 ? .production : .sandbox),
                signedDate: Instant(milliseconds: signedDate),
                requestIdentifier: requestIdentifier,
                decidedAt: Instant(milliseconds: decidedAt), originalTransactionId: transaction,
                productId: product, localeAsked: locale, decision: decision,
                snapshotNumber: snapshotNumber, durationMicroseconds: duration, basis: basis))
    }

    package init(tenant: TenantID, record: DecisionRecord) {
        self.tenant = tenant
        self.record = record
    }

    /// At most `localeBytesLimit` bytes, whole characters, without NUL, which no text column takes.
    package static func cut(_ locale: String) -> String {
        let bytes = locale.utf8.prefix(localeBytesLimit).filter { $0 != 0 }
        var end = bytes.count
        while end > 0, String(validating: bytes[..<end], as: UTF8.self) == nil { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}

/// CRC-32 as in zlib and PNG: finds a torn or rotten record, not a forged one.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1
        }
    }

    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { value, byte in
            value >> 8 ^ table[Int((value ^ UInt32(byte)) & 0xff)]
        }
    }
}
