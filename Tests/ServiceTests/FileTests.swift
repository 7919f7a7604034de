// The files that records are appended to.

import Dispatch
import Foundation
import Service
import Testing

@Suite struct `An append file` {
    @Test func `keeps whole records of many threads, for its owner only`() throws {
        let folder = try TemporaryFolder()
        let file = try AppendFile(path: folder.path + "/spool")
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for _ in 0..<50 {
                let record = [UInt8](repeating: UInt8(thread), count: 100)
                #expect(throws: Never.self) { try file.append(record) }
            }
        }
        try file.sync()
        #expect(try file.sizeBytes() == 40_000)
        let bytes = try FileBytes.read(file.path, from: 0, count: 100_000)
        for start in stride(from: 0, to: 40_000, by: 100) {
            #expect(Set(bytes[start..<start + 100]).count == 1)
        }
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        try FileBytes.syncFolder(folder.path)
    }

    @Test func `a file is replaced whole or not at all, for its owner only`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/state"
        try FileBytes.replace(path, with: Array("first".utf8))
        // What a killed process left of its try.
        try Data("half of somethi".utf8).write(to: URL(filePath: path + FileBytes.newSuffix))
        try FileBytes.replace(path, with: Array("2nd".utf8))
        #expect(try FileBytes.readAll(path, bytesLimit: 10) == Array("2nd".utf8))
        #expect(!FileManager.default.fileExists(atPath: path + FileBytes.newSuffix))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try FileManager.default.createDirectory(
            atPath: folder.path + "/taken/by", withIntermediateDirectories: true)
        #expect(throws: FileError.self) {
            try FileBytes.replace(folder.path + "/taken", with: [1])
        }
        #expect(throws: FileError.self) {
            try FileBytes.replace(folder.path + "/none/file", with: [1])
        }
    }

    @Test func `goes on where it ended, can be cut, and says when it is closed`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/spool"
        try AppendFile(path: path).append(Array("first".utf8))
        let file = try AppendFile(path: path)
        try file.append(Array("second".utf8))
        #expect(try FileBytes.read(path, from: 5, count: 3) == Array("sec".utf8))
        #expect(try FileBytes.read(path, from: 100, count: 3) == [])
        try file.truncate(toBytes: 5)
        #expect(try FileBytes.readAll(path, bytesLimit: 5) == Array("first".utf8))
        file.close()
        file.close()
        let error = try #require(throws: FileError.self) { try file.append([1]) }
        #expect(error.code == .closed)
    }

    @Test func `names what is wrong with a path`() throws {
        let folder = try TemporaryFolder()
        let big = try folder.write("big", "123456", mode: 0o600)
        let cases: [(FileError.Code, () throws -> Void)] = [
            (.notFound, { _ = try AppendFile(path: folder.path + "/no/such") }),
            (.notFound, { _ = try AppendFile(path: "") }),
            (.notFound, { _ = try AppendFile(path: big + "\0x") }),
            (.notAFile, { _ = try AppendFile(path: folder.path) }),
            (.notAFile, { _ = try FileBytes.read("/dev/zero", from: 0, count: 1) }),
            (.notAFile, { _ = try FileBytes.read(folder.path, from: 0, count: 1) }),
            (.tooLarge, { _ = try FileBytes.readAll(big, bytesLimit: 5) }),
        ]
        for (code, body) in cases {
            let error = try #require(throws: FileError.self) { try body() }
            #expect(error.code == code, "\(error)")
        }
    }
}

@Suite struct `A file that is replaced` {
    @Test func `is old or new to who reads it meanwhile, and its owner's only`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/state"
        @Sendable func content(_ number: Int) -> [UInt8] {
            [UInt8](repeating: UInt8(number), count: 20_000 + number * 1_000)
        }
        try FileBytes.replace(path, with: content(0))
        DispatchQueue.concurrentPerform(iterations: 2) { role in
            for number in 0..<40 {
                #expect(throws: Never.self) {
                    if role == 0 {
                        try FileBytes.replace(path, with: content(number))
                    } else {
                        let bytes = try FileBytes.readAll(path, bytesLimit: 100_000)
                        #expect(bytes == content(Int(bytes.first ?? 99)))
                    }
                }
            }
        }
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["state"])
        try FileBytes.replace(path, with: [])
        #expect(try FileBytes.readAll(path, bytesLimit: 1) == [])
    }

    @Test func `follows no link that lies where it writes`() throws {
        let folder = try TemporaryFolder()
        let other = try folder.write("other", "kept", mode: 0o600)
        let path = folder.path + "/state"
        try FileManager.default.createSymbolicLink(
            atPath: path + ".new", withDestinationPath: other)
        try FileBytes.replace(path, with: [1])
        #expect(try FileBytes.readAll(path, bytesLimit: 10) == [1])
        #expect(try FileBytes.readAll(other, bytesLimit: 10) == Array("kept".utf8))
        #expect(throws: FileError.self) {
            try FileBytes.replace(folder.path + "/no/such", with: [1])
        }
    }
}
