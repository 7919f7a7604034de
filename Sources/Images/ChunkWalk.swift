/// Where everything stands in a PNG whose structure and checksums are right.
struct PNGStructure {
    let header: PNGHeader
    let chunks: [Chunk]
    /// Of a palette; 0 without one.
    let paletteCount: Int
    /// The content of tRNS.
    let transparency: [UInt8]?

    func chunks(of type: ChunkType) -> [Chunk] { chunks.filter { $0.type == type } }
}

/// Reads the bytes once, from the signature to the end. Nothing is inflated, and nothing is
/// allocated but a place for each chunk.
struct ChunkWalk {
    /// More tell nothing new: the file is rubbish.
    private static let faultsLimit = 16

    private let bytes: [UInt8]
    private let limits: PNGLimits
    private var faults: [PNGFault] = []
    private var header: PNGHeader?
    private var chunks: [Chunk] = []
    private var seen: Set<ChunkType> = []
    private var paletteCount = 0
    private var transparency: [UInt8]?
    private var metadataBytes = 0

    static func structure(
        of bytes: [UInt8], limits: PNGLimits
    ) throws(PNGRefusal) -> PNGStructure {
        var walk = ChunkWalk(bytes: bytes, limits: limits)
        walk.walk()
        guard walk.faults.isEmpty, let header = walk.header else {
            throw PNGRefusal(walk.faults, header: walk.header)
        }
        return PNGStructure(
            header: header, chunks: walk.chunks, paletteCount: walk.paletteCount,
            transparency: walk.transparency)
    }

    private init(bytes: [UInt8], limits: PNGLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    private mutating func walk() {
        guard !bytes.isEmpty else { return note(.empty) }
        guard bytes.starts(with: PNG.signature) else {
            let isCut = PNG.signature.starts(with: bytes)
            return note(isCut ? .truncated : .notPNG(found: ForeignFormat.name(of: bytes)))
        }
        let isTooLarge = bytes.count > limits.bytes
        if isTooLarge { note(.tooManyBytes(count: bytes.count, limit: limits.bytes)) }
        var place = PNG.signature.count
        while !seen.contains(.end) {
            guard faults.count < Self.faultsLimit, let chunk = chunk(at: place) else { return }
            check(chunk)
            // Nothing more of a file that is too large, or that does not begin as a picture.
            guard header != nil, !isTooLarge else { return }
            place = chunk.whole.upperBound
        }
        if place < bytes.count { note(.trailingBytes(count: bytes.count - place)) }
    }

    /// The chunk there, whole; nil, with a fault noted, where there is none.
    private mutating func chunk(at place: Int) -> Chunk? {
        guard chunks.count < limits.chunkCount else {
            note(.tooManyChunks(limit: limits.chunkCount))
            return nil
        }
        guard bytes.count - place >= 8 else {
            note(.truncated)
            return nil
        }
        let length = Int(bytes[place...].bigEndian(at: 0))
        let type = ChunkType(value: bytes[place...].bigEndian(at: 4))
        guard type.isWellFormed else {
            note(.badChunk(chunk: type.name, problem: "has no name of four letters"))
            return nil
        }
        guard length <= Chunk.dataBytesLimit else {
            note(.badChunk(chunk: type.name, problem: "claims the impossible \(length) bytes"))
            return nil
        }
        guard length <= bytes.count - place - Chunk.frameBytes else {
            note(.truncated)
            return nil
        }
        return Chunk(type: type, data: (place + 8)..<(place + 8 + length))
    }

    private mutating func check(_ chunk: Chunk) {
        let written = bytes[chunk.data.upperBound...].bigEndian(at: 0)
        if Checksum.crc32(bytes, chunk.checked) != written {
            note(.badChecksum(chunk: chunk.type.name))
        }
        if let problem = problem(of: chunk) {
            note(.badChunk(chunk: chunk.type.name, problem: problem))
        }
        chunks.append(chunk)
        seen.insert(chunk.type)
    }

    /// Takes in what the chunk says; answers what is wrong with it, or with where it stands.
    private mutating func problem(of chunk: Chunk) -> String? {
        guard !chunks.isEmpty else { return headerProblem(chunk) }
        switch chunk.type {
        case .header: return "comes twice"
        case .palette: return paletteProblem(chunk)
        case .transparency: return transparencyProblem(chunk)
        case .pixels:
            if header?.colorType == .palette, paletteCount == 0 { return "comes without a palette" }
            let isTorn = seen.contains(.pixels) && chunks.last?.type != .pixels
            return isTorn ? "comes again after other chunks" : nil
        case .end:
            if !seen.contains(.pixels) { return "comes without a picture before it" }
            return chunk.data.isEmpty ? nil : "has \(chunk.data.count) bytes, not 0"
        default:
            if chunk.type.isCritical { return "is required to show the picture and unknown here" }
            countMetadata(chunk)
            return nil
        }
    }

    private mutating func countMetadata(_ chunk: Chunk) {
        if ChunkType.animation.contains(chunk.type) {
            header?.isAnimated = true
            note(.animated)
        }
        let isWithin = metadataBytes <= limits.metadataBytes
        metadataBytes += chunk.data.count
        if isWithin, metadataBytes > limits.metadataBytes {
            note(.tooMuchMetadata(bytes: metadataBytes, limit: limits.metadataBytes))
        }
    }

    private mutating func headerProblem(_ chunk: Chunk) -> String? {
        guard chunk.type == .header else { return "comes first, where IHDR must" }
        switch PNGHeader.read(bytes[chunk.data]) {
        case .failure(let problem): return problem.text
        case .success(let header):
            self.header = header
            if header.width > limits.width {
                note(.tooWide(pixels: header.width, limit: limits.width))
            }
            if header.height > limits.height {
                note(.tooHigh(pixels: header.height, limit: limits.height))
            }
            let decoded = PixelLayout(header).decodedBytes
            if header.width <= limits.width, header.height <= limits.height,
                decoded > limits.decodedBytes
            {
                note(.tooManyDecodedBytes(count: decoded, limit: limits.decodedBytes))
            }
            return nil
        }
    }

    private mutating func paletteProblem(_ chunk: Chunk) -> String? {
        guard let header else { return nil }
        if seen.contains(.palette) { return "comes twice" }
        if seen.contains(.pixels) { return "comes after the pixels" }
        if seen.contains(.transparency) { return "comes after tRNS" }
        let count = chunk.data.count / 3
        let limit = header.colorType == .palette ? 1 << header.bitDepth : 256
        guard chunk.data.count % 3 == 0, 1...limit ~= count else {
            return "has \(chunk.data.count) bytes, not three for each of 1 to \(limit) colours"
        }
        switch header.colorType {
        case .greyscale, .greyscaleAlpha: return "stands in a picture without colours"
        case .rgb, .rgbAlpha: return nil
        case .palette:
            paletteCount = count
            return nil
        }
    }

    /// Readers differ in what they make of a wrong tRNS, so it is refused: whether a pixel is
    /// transparent must not be a matter of who looks.
    private mutating func transparencyProblem(_ chunk: Chunk) -> String? {
        guard let header else { return nil }
        self.header?.hasAlphaChannel = true
        if seen.contains(.transparency) { return "comes twice" }
        if seen.contains(.pixels) { return "comes after the pixels" }
        let count = chunk.data.count
        let isRight =
            switch header.colorType {
            case .greyscale: count == 2
            case .rgb: count == 6
            case .palette: 1...max(1, paletteCount) ~= count && paletteCount > 0
            case .greyscaleAlpha, .rgbAlpha: false
            }
        guard isRight else { return "has \(count) bytes, which do not fit the picture" }
        transparency = Array(bytes[chunk.data])
        return nil
    }

    private mutating func note(_ fault: PNGFault) {
        if !faults.contains(fault) { faults.append(fault) }
    }
}
