/// The four letters that name a chunk. The case of each is a property.
struct ChunkType: Hashable {
    let value: UInt32

    init(value: UInt32) { self.value = value }

    private init(_ name: StaticString) {
        value = name.withUTF8Buffer { unsafe $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    static let header = ChunkType("IHDR")
    static let palette = ChunkType("PLTE")
    static let pixels = ChunkType("IDAT")
    static let end = ChunkType("IEND")
    static let transparency = ChunkType("tRNS")
    static let animation: Set = [ChunkType("acTL"), ChunkType("fcTL"), ChunkType("fdAT")]
    /// Say how colours are meant. They hold for the same samples with or without alpha.
    static let colour: Set = [
        ChunkType("cHRM"), ChunkType("cICP"), ChunkType("gAMA"), ChunkType("iCCP"),
        ChunkType("sRGB"), ChunkType("mDCV"), ChunkType("cLLI"),
    ]

    private var letters: [UInt8] {
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }

    var isWellFormed: Bool {
        letters.allSatisfy { 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 }
    }

    /// Without it the picture cannot be shown.
    var isCritical: Bool { value & 0x2000_0000 == 0 }

    /// Stays true when critical chunks change, says its author.
    var isSafeToCopy: Bool { value & 0x20 != 0 }

    /// What is no name is shown in hexadecimal: it may come from a hostile file.
    var name: String {
        guard isWellFormed else {
            let digits = String(value, radix: 16)
            return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
        }
        return String(decoding: letters, as: UTF8.self)
    }
}

/// Where a chunk stands in the file.
struct Chunk {
    /// Length and type before the data, checksum after it.
    static let frameBytes = 12
    /// A length of PNG has 31 bits.
    static let dataBytesLimit = Int(Int32.max)

    let type: ChunkType
    let data: Range<Int>

    var whole: Range<Int> { (data.lowerBound - 8)..<(data.upperBound + 4) }
    /// What the checksum is of.
    var checked: Range<Int> { (data.lowerBound - 4)..<data.upperBound }
}
