import Signing
import Testing

@Suite struct SealingTests {
    private static let context = Array("tenant/app/offer key/1".utf8)
    private static let secret = Array("-----BEGIN PRIVATE KEY-----".utf8)

    private static func code(
        _ sealed: [UInt8], _ key: PrivateKey, _ context: [UInt8] = context
    ) -> SigningError.Code? {
        signingCode { _ = try Sealing.open(sealed, with: key, context: context) }
    }

    @Test func `what was sealed to a key is opened with it, at every length`() throws {
        let key = try PrivateKey.generate()
        for length in [0, 1, 15, 16, 17, 241, 4_096, Sealing.secretBytesLimit] {
            let secret = randomBytes(length)
            let sealed = try Sealing.seal(secret, to: key.publicKey, context: Self.context)
            #expect(try Sealing.open(sealed, with: key, context: Self.context) == secret)
            #expect(sealed.count == length + 1 + 32 + 65 + 16)
            #expect(Sealing.recipientFingerprint(of: sealed) == key.publicKey.fingerprint)
        }
        let empty = try Sealing.seal(Self.secret, to: key.publicKey, context: [])
        #expect(try Sealing.open(empty, with: key, context: []) == Self.secret)
        let long = [UInt8](repeating: 0, count: Sealing.secretBytesLimit + 1)
        #expect(
            signingCode { _ = try Sealing.seal(long, to: key.publicKey, context: []) }
                == .secretTooLong)
    }

    @Test func `every single flipped bit is refused`() throws {
        let key = try PrivateKey.generate()
        let sealed = try Sealing.seal(Self.secret, to: key.publicKey, context: Self.context)
        for bit in 0..<(sealed.count * 8) {
            var flipped = sealed
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(Self.code(flipped, key) != nil, "bit \(bit)")
        }
        for bit in 0..<(Self.context.count * 8) {
            var flipped = Self.context
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(Self.code(sealed, key, flipped) == .sealBroken)
        }
        #expect(Self.code(sealed, key, []) == .sealBroken)
        #expect(Self.code(sealed, key, Self.context + [0]) == .sealBroken)
    }

    @Test func `a cut or lengthened seal is refused`() throws {
        let key = try PrivateKey.generate()
        let sealed = try Sealing.seal(Self.secret, to: key.publicKey, context: Self.context)
        for count in 0..<sealed.count {
            #expect(Self.code(Array(sealed.prefix(count)), key) != nil)
        }
        #expect(Self.code(sealed + [0], key) == .sealBroken)
        #expect(Self.code([], key) == .sealedMalformed)
        #expect(Self.code([0x02] + sealed.dropFirst(), key) == .sealedMalformed)
        #expect(Sealing.recipientFingerprint(of: Self.secret) == nil)
    }

    @Test func `a seal to another key is refused by that name`() throws {
        let key = try PrivateKey.generate()
        let other = try PrivateKey.generate()
        let sealed = try Sealing.seal(Self.secret, to: key.publicKey, context: Self.context)
        #expect(Self.code(sealed, other) == .sealedForAnotherKey)
        // Relabelled for the other key it still does not open.
        let relabelled = sealed.prefix(1) + other.publicKey.fingerprint + sealed.dropFirst(33)
        #expect(Self.code(Array(relabelled), other) == .sealBroken)
    }

    @Test func `parts of two seals do not make a third`() throws {
        let key = try PrivateKey.generate()
        let first = try Sealing.seal(Self.secret, to: key.publicKey, context: Self.context)
        let second = try Sealing.seal(Self.secret, to: key.publicKey, context: Self.context)
        #expect(first != second, "each seal has a key of its own")
        for cut in [60, 98, first.count - 16] {
            #expect(Self.code(Array(first[..<cut] + second[cut...]), key) == .sealBroken)
        }
        let elsewhere = try Sealing.seal(
            Self.secret, to: key.publicKey, context: Array("tenant/other app".utf8))
        #expect(Self.code(elsewhere, key) == .sealBroken)
    }
}
