internal import FoundationEssentials

/// Where the package and the data for its tests lie, found from this file's own place.
package enum PackageRoot {
    package static let path: String = parent(of: #filePath, levels: 3)

    /// `../shared/vectors`, which a clone without the studies does not have.
    package static let vectors: String = parent(of: path, levels: 1) + "/shared/vectors"

    package static var hasVectors: Bool { FileManager.default.fileExists(atPath: vectors) }

    package static func bytes(of file: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: "\(path)/\(file)")))
    }

    private static func parent(of path: String, levels: Int) -> String {
        let parts = path.split(separator: "/").dropLast(levels)
        return "/" + parts.joined(separator: "/")
    }
}
