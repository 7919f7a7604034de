/// What one read of a spool file holds.
package struct SpoolBatch {
    package private(set) var decisions: [SpooledDecision] = []
    /// All that need not be read again, counted from where the read began.
    package private(set) var consumedBytes: Int64 = 0
    /// Whole records that this build cannot read: another one wrote them, before a roll-back.
    package private(set) var unreadRecords = 0
    /// Bytes that are no whole record; they are stepped over.
    package private(set) var damagedBytes: Int64 = 0
    /// The read ended in the middle of what may be a record.
    package private(set) var hasRest = false

    /// A damaged length says nothing about where the next record begins, so after a record whose
    /// checksum is wrong the next whole one is looked for, byte by byte: a rotten byte costs its
    /// own record and no other.
    ///
    /// - Parameter endsFile: nothing follows, so what is cut at the end is damaged.
    package init(_ bytes: [UInt8], endsFile: Bool = false) {
        var position = 0
        while position < bytes.count {
            let end: Int
            switch Self.piece(of: bytes, at: position) {
            case .cut where !endsFile:
                hasRest = true
                return
            case .whole(let body):
                end = position + SpooledDecision.headBytes + body.count
                if let decision = SpooledDecision(body: body) {
                    decisions.append(decision)
                } else {
                    unreadRecords += 1
                }
            case .damaged, .cut:
                end = Self.nextRecord(in: bytes, after: position, endsFile: endsFile)
                damagedBytes += Int64(end - position)
            }
            consumedBytes += Int64(end - position)
            position = end
        }
    }

    private enum Piece {
        case whole(ArraySlice<UInt8>)
        case damaged
        /// May go on behind the end of what was read.
        case cut
    }

    private static func piece(of bytes: [UInt8], at position: Int) -> Piece {
        let start = position + SpooledDecision.headBytes
        guard start <= bytes.count else { return .cut }
        let length = Int(number(in: bytes, at: position))
        guard length > 0, length <= SpooledDecision.recordBytesLimit else { return .damaged }
        guard length <= bytes.count - start else { return .cut }
        let body = bytes[start..<start + length]
        return CRC32.checksum(body) == number(in: bytes, at: position + 4) ? .whole(body) : .damaged
    }

    /// Where the next whole record begins; without one, the first place from which a record may go
    /// on behind the end.
    private static func nextRecord(
        in bytes: [UInt8], after position: Int, endsFile: Bool
    ) -> Int {
        var mayBeCut: Int?
        for place in position + 1..<bytes.count {
            switch piece(of: bytes, at: place) {
            case .whole: return place
            case .cut where !endsFile: mayBeCut = mayBeCut ?? place
            case .damaged, .cut: continue
            }
        }
        return mayBeCut ?? bytes.count
    }

    private static func number(in bytes: [UInt8], at position: Int) -> UInt32 {
        unsafe bytes.withUnsafeBytes { bytes in
            UInt32(
                bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
        }
    }
}
