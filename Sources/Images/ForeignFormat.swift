/// Names what bytes are that are no PNG: "JPEG" helps more than "bad signature".
enum ForeignFormat {
    /// What begins a file of each kind, as bytes that must stand at an offset.
    private static let openings: [(name: String, offset: Int, bytes: [UInt8])] = [
        ("JPEG", 0, [0xFF, 0xD8, 0xFF]),
        ("JPEG XL", 0, [0xFF, 0x0A]),
        ("JPEG XL", 4, Array("JXL ".utf8)),
        ("JPEG 2000", 4, Array("jP  ".utf8)),
        ("GIF", 0, Array("GIF8".utf8)),
        ("WebP", 8, Array("WEBP".utf8)),
        ("AVIF", 4, Array("ftypavi".utf8)),
        ("HEIC", 4, Array("ftyphei".utf8)),
        ("HEIC", 4, Array("ftypmif1".utf8)),
        ("MP4 or QuickTime", 4, Array("ftyp".utf8)),
        ("TIFF", 0, [0x49, 0x49, 0x2A, 0x00]),
        ("TIFF", 0, [0x4D, 0x4D, 0x00, 0x2A]),
        ("BMP", 0, Array("BM".utf8)),
        ("ICO", 0, [0x00, 0x00, 0x01, 0x00]),
        ("PSD", 0, Array("8BPS".utf8)),
        ("PDF", 0, Array("%PDF".utf8)),
        ("ZIP", 0, [0x50, 0x4B, 0x03, 0x04]),
        ("gzip", 0, [0x1F, 0x8B]),
        ("MNG", 0, Array("\u{8A}MNG".unicodeScalars.map { UInt8($0.value) })),
        // Line breaks or bytes above 127 were rewritten: a transfer as text.
        ("a PNG that was transferred as text", 1, Array("PNG".utf8)),
        ("a PNG that was transferred as text", 3, Array("PNG".utf8)),
        ("a PNG in base64", 0, Array("iVBORw0KGgo".utf8)),
        ("a data URL", 0, Array("data:".utf8)),
        ("JSON", 0, Array("{".utf8)),
    ]

    /// HTML may begin with comments and blanks; beyond this it is not looked for.
    private static let searchedBytes = 1024

    static func name(of bytes: [UInt8]) -> String {
        for (name, offset, opening) in openings
        where bytes.dropFirst(offset).starts(with: opening) {
            return name
        }
        return nameOfText(bytes.prefix(searchedBytes)) ?? "of no known picture format"
    }

    private static func nameOfText(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self).lowercased()
        if text.hasPrefix("--"), text.contains("content-disposition") {
            return "multipart form data"
        }
        guard text.drop(while: { $0.isWhitespace || $0 == "\u{FEFF}" }).hasPrefix("<") else {
            return nil
        }
        if text.contains("<svg") { return "SVG" }
        return text.contains("<html") || text.contains("<!doctype html") ? "HTML" : "XML"
    }
}
