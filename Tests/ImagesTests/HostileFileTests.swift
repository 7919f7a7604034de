import Dispatch
import Images
import Synchronization
import TestSupport
import Testing

/// Files made to cost: each is refused in less than a second and in little memory.
@Suite struct HostileFileTests {
    private static let timeLimit = Duration.seconds(1)
    /// Other tests of the process run meanwhile. What is attempted here would take 80 GB and more.
    private static let memoryLimitBytes = 1 << 30
    /// As many as people may upload at one time and then some.
    private static let uploads = 20

    /// 69 bytes that declare 100000 x 100000 pixels.
    private static let declared = Picture(width: 100_000, height: 100_000, depth: 16, color: 6)
        .encoded(deflated: deflated([0]))

    /// Zeros, a thousand times smaller than they are: more than the largest picture that is taken.
    private static let zeros = deflated([UInt8](repeating: 0, count: 128 << 20))

    @Test func `a picture of gigabytes is refused by its header`() {
        let (inspection, time) = timed { Inspection(Self.declared) }
        #expect(inspection.codes == ["tooWide", "tooHigh"])
        #expect(time < Self.timeLimit)
        var limits = PNGLimits()
        limits.width = .max
        limits.height = .max
        #expect(Inspection(Self.declared, limits: limits).codes == ["tooManyDecodedBytes"])
        var largest = Picture(width: Int(Int32.max), height: Int(Int32.max), depth: 16, color: 6)
        #expect(
            Inspection(largest.encoded(deflated: []), limits: limits).codes
                == ["tooManyDecodedBytes"])
        largest.isInterlaced = true
        #expect(
            Inspection(largest.encoded(deflated: []), limits: limits).codes
                == ["tooManyDecodedBytes"])
    }

    @Test func `pixels that inflate beyond the picture are refused where it ends`() {
        let picture = Picture(width: 3840, height: 2160, depth: 16, color: 2)
        let bytes = picture.encoded(deflated: Self.zeros)
        let (inspection, time) = timed { Inspection(bytes) }
        #expect(inspection.faults == [.undecodable("the data goes on after the picture")])
        #expect(time < Self.timeLimit, "\(time)")
        let small = Picture().encoded(deflated: Self.zeros)
        #expect(Inspection(small).codes == ["undecodable"])
    }

    /// zlib's form can do 1,030 to one at most: what inflates to 4 GB has 4 MB.
    @Test(arguments: ["zTXt", "iTXt", "iCCP"])
    func `metadata is never inflated, and more than a megabyte of it is refused`(_ name: String) {
        let head: [UInt8] =
            name == "iTXt" ? Array("a\0\u{1}\0\0\0".utf8) : Array("a\0\0".utf8)
        var picture = Picture()
        // 7 x 128 MB: inflating them would take seconds.
        picture.ancillary = .init(repeating: (name, head + Self.zeros), count: 7)
        let (inspection, time) = timed { Inspection(picture.encoded()) }
        #expect(inspection.facts != nil)
        #expect(time < Self.timeLimit)
        let bomb = [UInt8](repeating: 0x55, count: 4 << 20)
        picture.ancillary = [(name, head + bomb)]
        #expect(Inspection(picture.encoded()).codes == ["tooMuchMetadata"])
        picture.ancillary = (0..<5).map { _ in (name, head + bomb.prefix(250_000)) }
        #expect(Inspection(picture.encoded()).codes == ["tooMuchMetadata"])
    }

    @Test(arguments: [0xFFFF_FFFF, 0x8000_0000, 0x7FFF_FFFF, 0x7FFF_FFF0])
    func `impossible lengths of chunks are refused`(_ length: Int) {
        let good = Picture().encoded()
        for (name, range) in PNGBytes.chunks(of: good) {
            var bytes = good
            let place = range.lowerBound..<(range.lowerBound + 4)
            bytes.replaceSubrange(place, with: PNGBytes.bigEndian(length))
            let codes = Inspection(bytes).codes
            #expect(codes == [length > Int(Int32.max) ? "badChunk" : "truncated"], "\(name)")
        }
    }

    @Test func `a file over the limit of bytes is not read beyond its header`() {
        var limits = PNGLimits()
        limits.bytes = 100
        limits.width = 3
        let bytes = Picture().encoded() + [UInt8](repeating: 0, count: 100)
        #expect(
            Inspection(bytes, limits: limits).faults == [
                .tooManyBytes(count: bytes.count, limit: 100), .tooWide(pixels: 4, limit: 3),
            ])
    }

    @Test func `a file of a million empty chunks is refused`() {
        let empty = PNGBytes.chunk("teSt", [])
        let header = PNGBytes.signature + PNGBytes.chunk("IHDR", Picture().header)
        let bytes = header + [[UInt8]](repeating: empty, count: 1_000_000).joined()
        let (inspection, time) = timed { Inspection(bytes) }
        #expect(inspection.faults == [.tooManyChunks(limit: PNGLimits().chunkCount)])
        #expect(time < Self.timeLimit)
    }

    @Test func `twenty hostile files at once cost no memory, and a good one passes beside them`() {
        let largest = Picture(width: 3840, height: 2160, depth: 16, color: 6)
        let files = [
            Self.declared,
            largest.encoded(deflated: Self.zeros),
            Picture().encoded(deflated: Self.zeros),
        ]
        let good = Picture().encoded()
        let facts = Inspection(good)
        let passed = Mutex(0)
        let before = peakMemoryBytes()
        DispatchQueue.concurrentPerform(iterations: Self.uploads * 2) { turn in
            if turn % 2 == 1 {
                if Inspection(good) == facts { passed.withLock { $0 += 1 } }
            } else if !Inspection(files[turn / 2 % files.count]).faults.isEmpty {
                passed.withLock { $0 += 1 }
            }
        }
        #expect(passed.withLock { $0 } == Self.uploads * 2)
        let grown = peakMemoryBytes() - before
        #expect(before > 0)
        #expect(grown < Self.memoryLimitBytes, "\(grown) bytes")
    }

    /// The largest picture that is taken.
    @Test(arguments: [false, true])
    func `the largest good picture is within the time too`(_ isInterlaced: Bool) {
        var picture = Picture(width: 3840, height: 2160, depth: 16, color: 6)
        picture.isInterlaced = isInterlaced
        let lines = Self.zeroLines(of: picture)
        let bytes = picture.encoded(deflated: deflated(lines))
        let (inspection, time) = timed { Inspection(bytes) }
        #expect(inspection.facts?.hasTransparentPixel == true)
        #expect(time < Self.timeLimit, "\(time)")
    }

    /// All scanlines of an RGBA picture of 16 bits, as zeros.
    private static func zeroLines(of picture: Picture) -> [UInt8] {
        // Passes of Adam7 share the pixels, but have 1.875 times the lines.
        let lines = picture.isInterlaced ? picture.height * 15 / 8 : picture.height
        return [UInt8](repeating: 0, count: picture.height * picture.width * 8 + lines)
    }
}
