internal import FoundationEssentials
package import Retention
package import RetentionStore

/// A decision as it stands in the spool: its tenant, and the row for that tenant's table.
///
/// The form, all numbers in network order:
///
///     length u32 │ crc32 u32 │ version u8 │ tenant 16 │ the row's values, each behind its length
///     └── of what follows the checksum ──┘
///
/// The row is in the form in which the database takes it, so that shipping copies bytes: what is
/// done for a record there is done on the cores that answer.
package struct SpooledDecision: Equatable, Sendable {
    /// Raised with any change of the form, the row's included, so that an earlier build keeps the
    /// file for a later one. What an earlier build wrote is read: it is shipped by whichever build
    /// comes after it.
    package static let version: UInt8 = 3
    package static let headBytes = 8
    /// Of every version: what claims to be longer is damaged.
    package static let recordBytesLimit = 4_096
    /// The reader's locale comes from outside; what is longer is no locale and is cut.
    package static let localeBytesLimit = 64
    private static let tenantBytes = 16

    package let tenant: TenantID
    package let row: DecisionRow

    package init(tenant: TenantID, row: DecisionRow) {
        self.tenant = tenant
        self.row = row
    }

    package init(tenant: TenantID, record: DecisionRecord) {
        self.init(tenant: tenant, row: DecisionRow(record))
    }

    /// The whole record with its length and checksum before it.
    package func encoded() -> [UInt8] {
        let bodyBytes = 1 + Self.tenantBytes + row.values.count
        var writer = CompactWriter(reserving: Self.headBytes + bodyBytes)
        writer.append(UInt32(clamping: bodyBytes))
        writer.append(UInt32(0))
        writer.append(Self.version)
        writer.append(tenant.uuid)
        writer.append(plain: row.values)
        writer.write(CRC32.checksum(writer.bytes, from: Self.headBytes), at: 4)
        return writer.bytes
    }

    /// The record in `body`, whose length and checksum were found right; `nil` for another form.
    package init?(body: ArraySlice<UInt8>) {
        guard let version = body.first else { return nil }
        guard version == Self.version else {
            self.init(earlier: body, version: version)
            return
        }
        let tenant = UUID(bytes: body.dropFirst().prefix(Self.tenantBytes))
        let row = DecisionRow(values: body.dropFirst(1 + Self.tenantBytes))
        guard let tenant, let row else { return nil }
        self.init(tenant: TenantID(tenant), row: row)
    }

    package init?(body: [UInt8]) { self.init(body: body[...]) }

    /// At most `localeBytesLimit` bytes, whole characters, without NUL, which no text column takes.
    package static func cut(_ locale: String) -> String {
        if locale.utf8.count <= localeBytesLimit, !locale.utf8.contains(0) { return locale }
        let bytes = locale.utf8.prefix(localeBytesLimit).filter { $0 != 0 }
        var end = bytes.count
        while end > 0, String(validating: bytes[..<end], as: UTF8.self) == nil { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
