import Images
import TestSupport
import Testing

/// What is no whole, plain PNG is refused for what it is.
@Suite struct RefusalTests {
    private static let good = Picture().encoded()

    private static func file(_ chunks: [(String, [UInt8])]) -> [UInt8] {
        PNGBytes.signature + chunks.flatMap { PNGBytes.chunk($0.0, $0.1) }
    }

    private static let header = ("IHDR", Picture().header)
    private static let pixels = ("IDAT", PNGBytes.stored(Picture().scanlines))
    private static let end = ("IEND", [UInt8]())
    private static let paletteHeader = (
        "IHDR", Picture(width: 1, height: 1, depth: 1, color: 3).header
    )
    private static let onePixel = ("IDAT", PNGBytes.stored([0, 0]))

    static let foreign: [(String, [UInt8])] = [
        ("JPEG", [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF".utf8)),
        ("GIF", Array("GIF89a".utf8)),
        ("WebP", Array("RIFF\0\0\0\0WEBPVP8 ".utf8)),
        ("HEIC", [0, 0, 0, 24] + Array("ftypheic".utf8)),
        ("AVIF", [0, 0, 0, 24] + Array("ftypavif".utf8)),
        ("TIFF", [0x4D, 0x4D, 0, 0x2A]),
        ("BMP", Array("BM123".utf8)),
        ("PDF", Array("%PDF-1.7".utf8)),
        ("HTML", Array(" \n<!-- page -->\n<!DOCTYPE HTML><html>".utf8)),
        ("HTML", Array("<html><body>404</body></html>".utf8)),
        ("SVG", Array("<?xml version=\"1.0\"?><svg/>".utf8)),
        ("XML", Array("<?xml version=\"1.0\"?><Error/>".utf8)),
        ("JSON", Array("{\"error\":1}".utf8)),
        (
            "multipart form data",
            Array("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n".utf8) + good
        ),
        ("a PNG in base64", Array("iVBORw0KGgoAAAANSUhEUg".utf8)),
        ("a PNG that was transferred as text", [0x89, 0x50, 0x4E, 0x47, 0x0A, 0x1A, 0x0A, 0]),
        ("a PNG that was transferred as text", [0xEF, 0xBF, 0xBD] + good.dropFirst()),
        ("of no known picture format", [1, 2, 3]),
        ("of no known picture format", Array("hello".utf8)),
    ]

    @Test(arguments: foreign)
    func `what is no PNG is called by its name`(_ name: String, _ bytes: [UInt8]) {
        #expect(Inspection(bytes).faults == [.notPNG(found: name)])
    }

    @Test func `no bytes are refused as that`() {
        #expect(Inspection([]).faults == [.empty])
    }

    @Test(arguments: [Picture(), .opaque(color: 3, depth: 4), .opaque(color: 6, depth: 16)])
    func `every prefix of a good file is truncated`(_ picture: Picture) {
        let bytes = picture.encoded()
        #expect(Inspection(bytes).facts != nil)
        for count in 1..<bytes.count {
            #expect(Inspection(Array(bytes.prefix(count))).faults == [.truncated], "\(count)")
        }
    }

    @Test func `a file without its end is truncated`() {
        #expect(Inspection(Self.file([Self.header, Self.pixels])).faults == [.truncated])
    }

    @Test(arguments: [1, 10_240])
    func `bytes after the end are counted`(_ count: Int) {
        let bytes = Self.good + [UInt8](repeating: 7, count: count)
        #expect(Inspection(bytes).faults == [.trailingBytes(count: count)])
        #expect(Inspection(Self.good + Self.good).codes == ["trailingBytes"])
    }

    @Test(arguments: ["acTL", "fcTL", "fdAT"])
    func `animation is refused, of one frame too`(_ name: String) {
        let control = (name, [UInt8](repeating: 0, count: 8))
        #expect(
            Inspection(Self.file([Self.header, control, Self.pixels, Self.end])).faults
                == [.animated])
        #expect(
            Inspection(Self.file([Self.header, Self.pixels, control, control, Self.end])).faults
                == [.animated])
    }

    static let misplaced: [(String, [(String, [UInt8])])] = [
        ("IDAT first", [pixels, header, end]),
        ("two IHDR", [header, header, pixels, end]),
        ("IHDR of 12 bytes", [("IHDR", Array(header.1.dropLast())), pixels, end]),
        ("no IDAT", [header, end]),
        ("IDAT in two places", [header, pixels, ("tEXt", [0]), pixels, end]),
        ("IEND with content", [header, pixels, ("IEND", [0])]),
        ("an unknown critical chunk", [header, ("ABCD", []), pixels, end]),
        ("a name of digits", [header, ("12CD", []), pixels, end]),
        ("no palette", [paletteHeader, onePixel, end]),
        ("a palette of 4 bytes", [paletteHeader, ("PLTE", [0, 0, 0, 0]), onePixel, end]),
        ("an empty palette", [paletteHeader, ("PLTE", []), onePixel, end]),
        (
            "a palette of 3 for one bit",
            [paletteHeader, ("PLTE", [UInt8](repeating: 0, count: 9)), onePixel, end]
        ),
        ("two palettes", [header, ("PLTE", [0, 0, 0]), ("PLTE", [0, 0, 0]), pixels, end]),
        ("a late palette", [header, pixels, ("PLTE", [0, 0, 0]), end]),
        ("tRNS before PLTE", [paletteHeader, ("tRNS", [0]), ("PLTE", [0, 0, 0]), onePixel, end]),
        (
            "tRNS longer than PLTE",
            [paletteHeader, ("PLTE", [0, 0, 0]), ("tRNS", [0, 0]), onePixel, end]
        ),
        (
            "tRNS before PLTE in RGB",
            [header, ("tRNS", [0, 0, 0, 0, 0, 0]), ("PLTE", [0, 0, 0]), pixels, end]
        ),
        ("tRNS of 5 bytes", [header, ("tRNS", [0, 0, 0, 0, 0]), pixels, end]),
        ("an empty tRNS", [header, ("tRNS", []), pixels, end]),
        ("a late tRNS", [header, pixels, ("tRNS", [0, 0, 0, 0, 0, 0]), end]),
        (
            "tRNS beside alpha",
            [
                ("IHDR", Picture(width: 1, height: 1, depth: 8, color: 6).header),
                ("tRNS", [0, 0, 0, 0, 0, 0]), ("IDAT", PNGBytes.stored([0, 0, 0, 0, 0])), end,
            ]
        ),
    ]

    @Test(arguments: misplaced)
    func `chunks that are wrong or stand wrong are named`(
        _ what: String, _ chunks: [(String, [UInt8])]
    ) {
        let codes = Inspection(Self.file(chunks)).codes
        #expect(!codes.isEmpty && Set(codes) == ["badChunk"], "\(what): \(codes)")
    }

    @Test func `impossible headers are refused`() {
        for place in [0, 4] {
            for value in [0, 0x8000_0000, 0xFFFF_FFFF] {
                var header = Picture().header
                header.replaceSubrange(place..<(place + 4), with: PNGBytes.bigEndian(value))
                let chunks = [("IHDR", header), Self.pixels, Self.end]
                #expect(Inspection(Self.file(chunks)).codes == ["badChunk"])
            }
        }
        let allowed: [UInt8: Set<UInt8>] = [
            0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16],
        ]
        for color in UInt8(0)...8 {
            for depth in UInt8(0)...17 where allowed[color]?.contains(depth) != true {
                var header = Picture().header
                header[8] = depth
                header[9] = color
                let chunks = [("IHDR", header), Self.pixels, Self.end]
                #expect(Inspection(Self.file(chunks)).codes == ["badChunk"])
            }
        }
        for place in 10...12 {
            var header = Picture().header
            header[place] = 2
            let chunks = [("IHDR", header), Self.pixels, Self.end]
            #expect(Inspection(Self.file(chunks)).codes == ["badChunk"])
        }
    }

    @Test func `compressed data must be one stream of exactly the picture's bytes`() {
        let lines = Picture().scanlines
        let stored = PNGBytes.stored(lines)
        var filter = lines
        filter[13] = 5
        var checksum = stored
        checksum[checksum.count - 1] ^= 1
        let wrong: [[UInt8]] = [
            PNGBytes.stored(Array(lines.dropLast())), PNGBytes.stored(lines + [0]),
            PNGBytes.stored(lines + lines), Array(stored.dropLast()), stored + [0], checksum,
            PNGBytes.stored(filter), [], [0x78], Array(stored.dropFirst()), deflated(lines + [1]),
        ]
        for data in wrong {
            let chunks = [Self.header, ("IDAT", data), Self.end]
            #expect(Inspection(Self.file(chunks)).codes == ["undecodable"])
        }
        #expect(
            Inspection(Self.file([Self.header, ("IDAT", deflated(lines)), Self.end])).facts != nil)
        let extra = [Self.header, Self.pixels, ("IDAT", [0]), Self.end]
        #expect(Inspection(Self.file(extra)).codes == ["undecodable"])
    }

    @Test func `a wrong checksum is told with its chunk, and so are others after it`() {
        var bytes = Self.good
        bytes[8 + 8 + 13] ^= 1
        #expect(Inspection(bytes).faults == [.badChecksum(chunk: "IHDR")])
        bytes[bytes.count - 1] ^= 1
        #expect(
            Inspection(bytes).faults
                == [.badChecksum(chunk: "IHDR"), .badChecksum(chunk: "IEND")])
    }

    @Test func `all faults come in one answer, with what the header says`() {
        var picture = Picture(width: 3841, height: 2161, depth: 8, color: 6)
        picture.ancillary = [
            ("acTL", [0, 0, 0, 1, 0, 0, 0, 0]), ("tEXt", [UInt8](repeating: 65, count: 2 << 20)),
        ]
        let refusal = #expect(throws: PNGRefusal.self) {
            try PNG.inspect(picture.encoded(deflated: []) + [0])
        }
        #expect(
            refusal?.faults.map(\.code) == [
                "tooWide", "tooHigh", "animated", "tooMuchMetadata", "trailingBytes",
            ])
        #expect(refusal?.header?.width == 3841 && refusal?.header?.height == 2161)
        #expect(refusal?.header?.hasAlphaChannel == true && refusal?.header?.isAnimated == true)
    }

    @Test func `every fault says what to do`() {
        let faults: [PNGFault] = [
            .empty, .notPNG(found: "JPEG"), .truncated, .badChecksum(chunk: "IDAT"),
            .badChunk(chunk: "PLTE", problem: "comes twice"), .tooManyBytes(count: 2, limit: 1),
            .tooWide(pixels: 2, limit: 1), .tooHigh(pixels: 2, limit: 1),
            .tooManyDecodedBytes(count: 2, limit: 1), .tooManyChunks(limit: 1),
            .tooMuchMetadata(bytes: 2, limit: 1), .animated, .trailingBytes(count: 1),
            .undecodable("filter"), .transparentPixels,
        ]
        #expect(Set(faults.map(\.code)).count == faults.count)
        let advice = /\b(send|export|make|remove|put)\b/
        for fault in faults { #expect(fault.message.contains(advice), "\(fault.code)") }
    }
}
