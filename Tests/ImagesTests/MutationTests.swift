import Images
import TestSupport
import Testing

/// Small files with one byte changed: refused, or still the same picture; never a crash. With its
/// checksum mended, a change reaches what lies behind: headers, palettes, compressed data.
@Suite struct MutationTests {
    private static let pictures: [Picture] = {
        var palette = Picture.opaque(color: 3, depth: 4)
        palette.transparency = [255, 10]
        var grey = Picture.opaque(color: 0, depth: 8)
        grey.transparency = [0, 3]
        var alpha = Picture.opaque(color: 6, depth: 8, isInterlaced: true)
        alpha.ancillary = [("gAMA", [0, 0, 0xB1, 0x8F]), ("tEXt", Array("a\0b".utf8))]
        return [palette, grey, alpha]
    }()

    @Test(arguments: 0..<3, [true, false])
    func `each byte of a file, changed`(_ which: Int, _ isCompressed: Bool) {
        let picture = Self.pictures[which]
        let good = picture.encoded(deflated: isCompressed ? deflated(picture.scanlines) : nil)
        let facts = Inspection(good)
        #expect(facts.facts != nil)
        var mended = 0
        for place in good.indices {
            for change: UInt8 in [0x01, 0x20, 0x80, 0xFF] {
                var bytes = good
                bytes[place] ^= change
                let inspection = Inspection(bytes)
                #expect(!inspection.faults.isEmpty, "\(place) ^ \(change): a checksum missed it")
                let repaired = PNGBytes.withChecksums(bytes)
                if repaired == good { continue }
                // A changed sample, palette or transparency is another picture, as whole as this.
                if let other = Inspection(repaired).facts {
                    mended += 1
                    #expect(other.width * other.height > 0)
                    _ = try? PNG.flatten(repaired)
                }
            }
        }
        #expect(mended > 0)
    }

    /// Cut, doubled, swapped and overwritten at random, from a fixed seed.
    @Test(arguments: 0..<3)
    func `files mangled in many places harm nothing`(_ which: Int) {
        let picture = Self.pictures[which]
        let good = picture.encoded(deflated: deflated(picture.scanlines))
        var random = SeededNumbers(seed: UInt64(which) + 1)
        var refused = 0
        for _ in 0..<3_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let place = Int.random(in: 8..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                default:
                    bytes.swapAt(place, Int.random(in: 8..<bytes.count, using: &random))
                }
            }
            if case .faults = Inspection(PNGBytes.withChecksums(bytes)) { refused += 1 }
        }
        #expect(refused > 1_000)
    }
}
