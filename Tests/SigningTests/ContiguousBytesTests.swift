import Signing
import Testing

@Suite("Scans of many bytes at a time") struct ContiguousBytesTests {
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x80).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    @Test func `a run of plain text ends at each other byte, wherever it stands`() {
        for length in 0...20 {
            for place in 0..<max(length, 1) {
                for byte in UInt8.min...UInt8.max {
                    var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: length)
                    if place < length { bytes[place] = byte }
                    let end = bytes.firstIndex { !Self.isPlain($0) } ?? length
                    #expect(endOfPlainText(in: bytes, from: 0) == end)
                }
            }
        }
    }

    @Test func `a run may begin anywhere`() {
        let bytes = Array("\"abcdefghijk\\lmnopqrstuvwxyz\"".utf8)
        for start in bytes.indices {
            let end = bytes[start...].firstIndex { !Self.isPlain($0) } ?? bytes.count
            #expect(endOfPlainText(in: bytes, from: start) == end)
        }
        #expect(endOfPlainText(in: bytes, from: bytes.count) == bytes.count)
    }

    @Test func `slices are the same byte for byte, wherever they lie`() {
        let bytes = Array("abcabcabd".utf8)
        #expect(sameBytes(bytes[0..<3], bytes[3..<6]))
        #expect(!sameBytes(bytes[0..<3], bytes[6..<9]))
        #expect(!sameBytes(bytes[0..<3], bytes[3..<5]))
        #expect(sameBytes(bytes[0..<0], [][...]))
    }

    @Test func `one key verifies and signs on many threads at once`() async throws {
        let key = try PrivateKey.generate()
        let found = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for turn in 0..<40 {
                        let message = Array("\(number) \(turn)".utf8)
                        var signature = try key.sign(message)
                        guard key.publicKey.isValid(signature, for: message) else { return false }
                        signature[turn % 64] ^= 1
                        // A refusal must not spoil what the next check uses.
                        guard !key.publicKey.isValid(signature, for: message) else { return false }
                    }
                    return true
                }
            }
            return try await group.reduce(true) { $0 && $1 }
        }
        #expect(found)
    }
}
