import Foundation
import Responder
import Service
import TestSupport
import Testing

/// What a rotten byte, a crash or a stranger's file costs: its own record, and no other.
@Suite struct SpoolDamageTests {
    private let records = (0..<40).map { Samples.spooled(Samples.decisions[$0 % 7]) }

    private var neighbours: [SpooledDecision] { [records[0]] + records[2...] }

    private func file(spoiling spoil: (inout [UInt8]) -> Void) -> [UInt8] {
        var middle = records[1].encoded()
        spoil(&middle)
        return records[0].encoded() + middle + records[2...].flatMap { $0.encoded() }
    }

    @Test func `any bit of a record may flip, its neighbours are read`() {
        let count = records[1].encoded().count
        for index in 0..<count {
            let bytes = file { $0[index] ^= 1 << UInt8(index % 8) }
            let batch = SpoolBatch(bytes, endsFile: true)
            #expect(batch.decisions == neighbours, "\(index)")
            #expect(batch.damagedBytes == Int64(count))
            #expect(batch.consumedBytes == Int64(bytes.count) && !batch.hasRest)
        }
    }

    @Test func `a length that claims anything costs no neighbour`() {
        for length in [UInt32(0), 1, 8, 255, 1_000, 4_096, 4_097, 1 << 16, .max] {
            let head = stride(from: 24, through: 0, by: -8).map {
                UInt8(truncatingIfNeeded: length >> UInt32($0))
            }
            let bytes = file { $0.replaceSubrange(0..<4, with: head) }
            #expect(SpoolBatch(bytes, endsFile: true).decisions == neighbours, "\(length)")
        }
    }

    @Test func `zeros that a power failure leaves cost no neighbour`() {
        for count in [1, 7, 8, 13, 4_096, 20_000] {
            let bytes = file { $0 = [UInt8](repeating: 0, count: count) }
            let batch = SpoolBatch(bytes, endsFile: true)
            #expect(batch.decisions == neighbours, "\(count)")
            #expect(batch.damagedBytes == Int64(count))
        }
    }

    @Test func `a damaged length at the end of a closed file leaves nothing waiting`() {
        var last = records[1].encoded()
        last[2] = 15
        let bytes = records[0].encoded() + last + records[2].encoded()
        let batch = SpoolBatch(bytes, endsFile: true)
        #expect(batch.decisions == [records[0], records[2]])
        #expect(batch.consumedBytes == Int64(bytes.count) && !batch.hasRest)
    }

    /// Read piece by piece, as a file is that goes on growing meanwhile.
    @Test func `damage in a growing file is passed once more has been written`() {
        var spoiled = records[1].encoded()
        spoiled[9] ^= 0xff
        let whole = records[0].encoded() + spoiled + records[2...].flatMap { $0.encoded() }
        var offset = 0
        var found: [SpooledDecision] = []
        for end in stride(from: 0, through: whole.count, by: 17) {
            let batch = SpoolBatch(Array(whole[min(offset, end)..<end]))
            found += batch.decisions
            offset += Int(batch.consumedBytes)
        }
        found += SpoolBatch(Array(whole[offset...]), endsFile: true).decisions
        #expect(found == neighbours)
    }

    @Test func `a file that is not ours is left alone`() throws {
        let folder = try SpoolFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true)
        let strangers = [
            "5.spool", "+000000005.spool", "0000000005.spool.old", "0000000005 (copy).spool",
            "99999999999999999999.spool", "-1.spool", ".spool", "notes",
        ]
        for name in strangers {
            try Data("x".utf8).write(to: URL(filePath: "\(folder.path)/\(name)"))
        }
        let spool = try DecisionSpool(directory: folder.path)
        try spool.append(records[0])
        #expect(try spool.segments().all == [1])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names).isSuperset(of: strangers))
    }

    @Test func `records of any other form are no damage, and this build's beside them are read`() {
        for version in [UInt8(0), SpooledDecision.version + 1, 9, 255] {
            for tail in [0, 1, 300] {
                var foreign = Array(records[1].encoded().dropFirst(SpooledDecision.headBytes))
                foreign[0] = version
                foreign += [UInt8](repeating: 7, count: tail)
                let bytes = file { $0 = SpoolSamples.framed(foreign) }
                let batch = SpoolBatch(bytes, endsFile: true)
                #expect(batch.decisions == neighbours, "\(version)")
                #expect(batch.unreadRecords == 1)
                #expect(batch.damagedBytes == 0 && !batch.hasRest)
            }
        }
        // Of this version, but with what only a later build can mean.
        let longer = Array(records[1].encoded().dropFirst(SpooledDecision.headBytes)) + [0]
        let batch = SpoolBatch(file { $0 = SpoolSamples.framed(longer) }, endsFile: true)
        #expect(batch.unreadRecords == 1 && batch.decisions == neighbours)
    }

    @Test func `behind damage the next record of another form is found too`() {
        let foreign = SpoolSamples.encoded(records[1], version: SpooledDecision.version + 1)
        let bytes = file { $0 = [1, 2, 3] + foreign }
        let batch = SpoolBatch(bytes, endsFile: true)
        #expect(batch.decisions == neighbours)
        #expect(batch.unreadRecords == 1 && batch.damagedBytes == 3)
    }
}

/// Records as another build would write them.
enum SpoolSamples {
    /// `body` with its length and checksum before it.
    static func framed(_ body: [UInt8]) -> [UInt8] {
        let checksum = body.reduce(~UInt32(0)) { value, byte in
            (0..<8).reduce(value ^ UInt32(byte)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1
            }
        }
        return [UInt32(body.count), ~checksum].flatMap { number in
            stride(from: 24, through: 0, by: -8).map {
                UInt8(truncatingIfNeeded: number >> UInt32($0))
            }
        } + body
    }

    /// The same decision under another version number.
    static func encoded(_ decision: SpooledDecision, version: UInt8) -> [UInt8] {
        var body = Array(decision.encoded().dropFirst(SpooledDecision.headBytes))
        body[0] = version
        return framed(body)
    }
}
