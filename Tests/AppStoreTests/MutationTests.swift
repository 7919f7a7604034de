import AppStore
import Signing
import TestSupport
import Testing

/// Thousands of damaged bodies: none crashes the process, none is believed.
@Suite struct MutationTests {
    @Test(arguments: 0..<4)
    func `a damaged body is never believed`(_ part: Int) throws {
        let store = try Store()
        let verifier = try store.verifier()
        let good = try store.body()
        #expect(refusal(good, verifier) == nil)
        var random = SeededNumbers(seed: UInt64(part) &* 7_919 &+ 1)
        for turn in 0..<1_500 {
            let body = Mangling.mangled(good, &random)
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
        var random = SeededNumbers(seed: 4_711 &+ UInt64(part))
        for _ in 0..<700 {
            var changed = segments
            changed[part] = Base64URL.encodedBytes(Mangling.mangled(decoded[part], &random))
            if changed == segments { continue }
            let text = changed.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
            #expect(refusal(text, verifier) != nil)
        }
    }

    @Test func `random bytes are neither JSON nor a JWS, and harm nothing`() throws {
        let verifier = try Store().verifier()
        var random = SeededNumbers(seed: 99)
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
