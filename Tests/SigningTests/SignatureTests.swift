import Signing
import Testing

@Suite struct SignatureTests {
    private static let message = Array("header.payload".utf8)

    /// The order of P-256.
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25,
        0x51,
    ]

    /// SIG-02.
    @Test func `signatures have 64 bytes, those with leading zeros too`() throws {
        let key = try PrivateKey.generate()
        var leadingZeros = [0, 0]
        for count in 0..<20_000 where count < 2_000 || leadingZeros.contains(0) {
            let message = Array("\(count)".utf8)
            let signature = try key.sign(message)
            #expect(signature.count == 64)
            let isShort = [signature[0] == 0, signature[32] == 0]
            if count < 200 || isShort.contains(true) {
                #expect(key.publicKey.isValid(signature, for: message))
            }
            for half in 0...1 where isShort[half] { leadingZeros[half] += 1 }
        }
        #expect(!leadingZeros.contains(0))
    }

    @Test func `another message, key, length or bit makes a signature invalid`() throws {
        let key = try PrivateKey.generate()
        let signature = try key.sign(Self.message)
        #expect(key.publicKey.isValid(signature, for: Self.message))
        #expect(key.publicKey.isValid(signature, for: Self.message[...]))
        #expect(!key.publicKey.isValid(signature, for: Self.message + [0]))
        #expect(!(try PrivateKey.generate().publicKey.isValid(signature, for: Self.message)))
        for length in [0, 1, 63] {
            let cut = Array(signature.prefix(length))
            #expect(!key.publicKey.isValid(cut, for: Self.message))
        }
        #expect(!key.publicKey.isValid(signature + [0], for: Self.message))
        #expect(!key.publicKey.isValid(signature + signature, for: Self.message))
        for bit in 0..<512 {
            var flipped = signature
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.publicKey.isValid(flipped, for: Self.message), "bit \(bit)")
        }
    }

    @Test func `r or s of zero, of the order or beyond is no signature`() throws {
        let key = try PrivateKey.generate()
        let good = try key.sign(Self.message)
        let zero = [UInt8](repeating: 0, count: 32)
        let one = [UInt8](repeating: 0, count: 31) + [1]
        let most = [UInt8](repeating: 0xFF, count: 32)
        let r = Array(good.prefix(32))
        let s = Array(good.suffix(32))
        for crooked in [
            zero + zero, zero + s, r + zero, Self.order + s, r + Self.order, most + most, one + one,
            most + s, r + most, Self.order + Self.order, s + r,
        ] {
            #expect(!key.publicKey.isValid(crooked, for: Self.message))
        }
    }

    @Test func `an empty and a long message are signed like any other`() throws {
        let key = try PrivateKey.generate()
        for message in [[], [UInt8](repeating: 7, count: 1_000_000)] {
            #expect(key.publicKey.isValid(try key.sign(message), for: message))
        }
        let abc = SHA256.digest(Array("abc".utf8))
        #expect(abc.prefix(4) == [0xBA, 0x78, 0x16, 0xBF])
        #expect(SHA256.digest([]).prefix(4) == [0xE3, 0xB0, 0xC4, 0x42])
    }

    @Test func `one key signs and verifies on many threads`() async throws {
        let key = try PrivateKey.generate()
        let valid = await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask { @concurrent in
                    (0..<50).count { turn in
                        let message = Array("\(task) \(turn)".utf8)
                        guard let signature = try? key.sign(message) else { return false }
                        return key.publicKey.isValid(signature, for: message)
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(valid == 400)
    }

    @Test func `comparison and random bytes do what they say`() {
        #expect(constantTimeEqual([], []))
        #expect(constantTimeEqual([1, 2, 3], [1, 2, 3]))
        #expect(!constantTimeEqual([1, 2, 3], [1, 2, 4]))
        #expect(!constantTimeEqual([1, 2, 3], [1, 2]))
        #expect(randomBytes(0).isEmpty)
        #expect(Set((0..<100).map { _ in randomBytes(16) }).count == 100)
        var secret: [UInt8] = [1, 2, 3]
        cleanse(&secret)
        #expect(secret == [0, 0, 0])
    }
}
