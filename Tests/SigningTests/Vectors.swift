import Foundation
import Signing
import Testing

/// The data of `../shared/vectors`, beside the package; a clean clone may lack it.
enum Vectors {
    static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "../shared/vectors").standardizedFileURL

    static let arePresent = FileManager.default.fileExists(atPath: folder.path)
    static let absence: Comment = "../shared/vectors is not beside this clone: no vectors to check"

    static func bytes(_ path: String) throws -> [UInt8] {
        try Array(Data(contentsOf: folder.appending(path: path)))
    }

    static func certificate(_ path: String) throws -> Certificate {
        let bytes = try bytes(path)
        return path.hasSuffix(".der") ? try Certificate(der: bytes) : try Certificate(pem: bytes)
    }
}

/// The code of the error that `body` throws; nil when it throws none.
func chainCode(_ body: () throws -> Void) -> ChainError.Code? {
    do { try body() } catch let error as ChainError { return error.code } catch {}
    return nil
}

func signingCode(_ body: () throws -> Void) -> SigningError.Code? {
    do { try body() } catch let error as SigningError { return error.code } catch {}
    return nil
}
