/// Why a file is refused: all that could be found out, so that one upload tells everything.
package struct PNGRefusal: Error, Equatable, CustomStringConvertible {
    /// Never empty; in the order of the file.
    package let faults: [PNGFault]
    /// What the file says of itself, where that could be read.
    package let header: PNGHeader?

    init(_ faults: [PNGFault], header: PNGHeader? = nil) {
        self.faults = faults
        self.header = header
    }

    package var description: String {
        faults.map { "\($0.code): \($0.message)" }.joined(separator: "; ")
    }
}

/// One thing that is wrong with a file, with a code for machines and a sentence for people.
package enum PNGFault: Error, Hashable, Sendable {
    case empty
    /// `found` names what the bytes are, as far as their beginning tells.
    case notPNG(found: String)
    case truncated
    case badChecksum(chunk: String)
    case badChunk(chunk: String, problem: String)
    case tooManyBytes(count: Int, limit: Int)
    case tooWide(pixels: Int, limit: Int)
    case tooHigh(pixels: Int, limit: Int)
    case tooManyDecodedBytes(count: Int, limit: Int)
    case tooManyChunks(limit: Int)
    case tooMuchMetadata(bytes: Int, limit: Int)
    case animated
    case trailingBytes(count: Int)
    /// Structure and checksums are right, the pixels are not.
    case undecodable(String)
    /// Of `flatten` alone.
    case transparentPixels

    package var code: String {
        switch self {
        case .empty: "empty"
        case .notPNG: "notPNG"
        case .truncated: "truncated"
        case .badChecksum: "badChecksum"
        case .badChunk: "badChunk"
        case .tooManyBytes: "tooManyBytes"
        case .tooWide: "tooWide"
        case .tooHigh: "tooHigh"
        case .tooManyDecodedBytes: "tooManyDecodedBytes"
        case .tooManyChunks: "tooManyChunks"
        case .tooMuchMetadata: "tooMuchMetadata"
        case .animated: "animated"
        case .trailingBytes: "trailingBytes"
        case .undecodable: "undecodable"
        case .transparentPixels: "transparentPixels"
        }
    }

    package var message: String {
        switch self {
        case .empty: "no bytes at all; send the content of a PNG file"
        case .notPNG(let found):
            "the bytes are \(found), not PNG; export the picture as PNG, "
                + "since renaming a file does not convert it"
        case .truncated:
            "the file ends before its IEND chunk; it was cut short, send the whole of it"
        case .badChecksum(let chunk):
            "the checksum of chunk \(chunk) does not match; the file was damaged, "
                + "send or export it again"
        case .badChunk(let chunk, let problem):
            "chunk \(chunk) \(problem); export the picture again"
        case .tooManyBytes(let count, let limit):
            "\(count) bytes, at most \(limit) are taken; export with stronger compression"
        case .tooWide(let pixels, let limit):
            "\(pixels) pixels wide, at most \(limit) are taken; make the picture narrower"
        case .tooHigh(let pixels, let limit):
            "\(pixels) pixels high, at most \(limit) are taken; make the picture lower"
        case .tooManyDecodedBytes(let count, let limit):
            "\(count) bytes when decoded, at most \(limit) are taken; "
                + "make the picture smaller or export it with 8 bits a sample"
        case .tooManyChunks(let limit):
            "more than \(limit) chunks; export the picture again with larger ones"
        case .tooMuchMetadata(let bytes, let limit):
            "\(bytes) bytes of text, profiles and other metadata, at most \(limit) are taken; "
                + "export without metadata"
        case .animated: "the PNG is animated; export one frame as a plain PNG"
        case .trailingBytes(let count):
            "\(count) bytes follow the end of the picture; remove them or export it again"
        case .undecodable(let problem):
            "the pixels cannot be decoded (\(problem)); export the picture again"
        case .transparentPixels:
            "some pixels are transparent; put the picture on a background "
                + "and export it without alpha"
        }
    }
}
