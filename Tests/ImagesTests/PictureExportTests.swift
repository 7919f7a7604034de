import Foundation
import Images
import Testing

private let conformanceFolder =
    ProcessInfo.processInfo.environment["HOLDFAST_CONFORMANCE_DIRECTORY"]

/// Writes what Pillow is then to judge (`Tests/Conformance/pictures.py`): pixels that only libspng
/// has seen prove little. `deploy/test` names the folder.
@Suite(
    .enabled(
        if: conformanceFolder != nil,
        "HOLDFAST_CONFORMANCE_DIRECTORY is not set: nothing to write for Pillow"))
struct PictureExportTests {
    /// Pillow compares tRNS with samples that it has already made 8 bits of, so other depths of
    /// grey and RGB are left to the tests here.
    private static var pictures: [Picture] {
        PNGFactsTests.kinds.map(\.picture).flatMap { opaque -> [Picture] in
            var one = opaque
            one.sample = { x, y, channel in
                x == 3 && y == 5 ? 1 : opaque.sample(x, y, channel)
            }
            switch opaque.color {
            case 0, 2:
                guard opaque.depth == 8 else { return [opaque] }
                one.transparency = [UInt8](repeating: 1, count: opaque.channels * 2)
                var unused = opaque
                unused.transparency = [UInt8](repeating: 255, count: opaque.channels * 2)
                for place in stride(from: 0, to: opaque.channels * 2, by: 2) {
                    one.transparency?[place] = 0
                    unused.transparency?[place] = 0
                }
                unused.sample = { x, y, channel in opaque.sample(x, y, channel) & 0x7F }
                return [opaque, one, unused]
            case 3:
                one.sample = { x, y, _ in x == 3 && y == 5 ? 1 : 0 }
                one.transparency = [255, 100]
                var unused = opaque
                unused.transparency = [255, 255]
                return [opaque, one, unused]
            default: return [opaque, one]
            }
        }
    }

    @Test func `pictures of every kind are written for an independent decoder`() throws {
        let folder = URL(filePath: try #require(conformanceFolder))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let rows = try Self.pictures.map { picture -> Data in
            let bytes = picture.encoded()
            let facts = try PNG.inspect(bytes)
            var row: [String: Any] = [
                "png": Data(bytes).base64EncodedString(), "width": facts.width,
                "height": facts.height, "bitDepth": facts.bitDepth,
                "colorType": Int(facts.colorType.rawValue), "isInterlaced": facts.isInterlaced,
                "hasAlphaChannel": facts.hasAlphaChannel,
                "hasTransparentPixel": facts.hasTransparentPixel,
            ]
            if !facts.hasTransparentPixel {
                row["flattened"] = Data(try PNG.flatten(bytes)).base64EncodedString()
            }
            let options: JSONSerialization.WritingOptions = [.sortedKeys]
            return try JSONSerialization.data(withJSONObject: row, options: options)
                + Data("\n".utf8)
        }
        #expect(rows.count > PNGFactsTests.kinds.count)
        try Data(rows.joined()).write(to: folder.appending(path: "pictures.jsonl"))
    }
}
