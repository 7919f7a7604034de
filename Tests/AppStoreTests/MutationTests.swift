import AppStore
import Signing
import Testing

/// Thousands of damaged bodies: none crashes the process, none is believed. The seed is fixed, so a
/// failure names a body that can be made again.
@Suite struct MutationTests {
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    private static func mangled(_ good: [UInt8], _ random: inout Generator) -> [UInt8] {
        var bytes = good
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let position = Int.random(in: 0..<max(1, bytes.count), using: &random)
            guard position < bytes.count else { continue }
            switch Int.random(in: 0..<7, using: &random) {
            case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[position] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.remove(at: position)
            case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: position)
            case 4: bytes.removeLast(min(bytes.count, Int.random(in: 1...64, using: &random)))
            case 5:
                let end = min(bytes.count, position + Int.random(in: 1...32, using: &random))
                bytes.insert(contentsOf: bytes[position..<end], at: position)
            default:
                bytes.swapAt(position, Int.random(in: 0..<bytes.count, using: &random))
            }
        }
        return bytes
    }

    @Test(arguments: 0..<4)
    func `a damaged body is never believed`(_ part: Int) throws {
        let store = try Store()
        let verifier = try store.verifier()
        let good = try store.body()
        #expect(refusal(good, verifier) == nil)
        var random = Generator(state: UInt64(part) &* 7_919 &+ 1)
        for turn in 0..<1_500 {
            let body = Self.mangled(good, &random)
            if body == good { continue }
            guard refusal(body, verifier) == nil else { continue }
            // What may still verify says the same: blanks around, or a changed name of nothing.
            Issue.record("turn \(turn) of \(part): \(String(decoding: body, as: UTF8.self))")
        }
        #expect(refusal(good, verifier) == nil)
    }

    @Test(arguments: 0..<3)
    func `a damaged segment under a whole signature is never believed`(_ part: Int) throws {
        let store = try Store()
        let verifier = try store.verifier()
        let jws = try store.chain.sign(Store.json(Store.fields()))
        let segments = jws.split(separator: ".").map { Array($0.utf8) }
        let decoded = try segments.map { try #require(Base64URL.decode($0)) }
        var random = Generator(state: 4_711 &+ UInt64(part))
        for _ in 0..<700 {
            var changed = segments
            changed[part] = Base64URL.encodedBytes(Self.mangled(decoded[part], &random))
            if changed == segments { continue }
            let text = changed.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
            #expect(refusal(text, verifier) != nil)
        }
    }

    @Test func `random bytes are neither JSON nor a JWS, and harm nothing`() throws {
        let verifier = try Store().verifier()
        var random = Generator(state: 99)
        let alphabet = Array("{}[]\",:.\\ue0123456789-+truefalsnl \t\u{0}é".utf8)
        for _ in 0..<5_000 {
            let count = Int.random(in: 0...120, using: &random)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            _ = try? JSONObject(bytes)
            #expect(refusal(bytes, verifier) != nil)
            #expect(refusal(String(decoding: bytes, as: UTF8.self), verifier) != nil)
        }
    }
}
