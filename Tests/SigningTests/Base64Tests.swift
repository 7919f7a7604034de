import Foundation
import Signing
import Testing

@Suite struct Base64Tests {
    /// Bytes of every length class, among them all that give `+`, `/`, `-` and `_`.
    static let samples: [[UInt8]] =
        (0...70).map { count in
            (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 251 &+ count &* 7) }
        } + [[0xFB, 0xFF, 0xBF], [0xFF], [0xFF, 0xFF], [0x00], [0x00, 0x00], [UInt8](0...255)]

    @Test func `the standard form is Foundation's`() {
        for bytes in Self.samples {
            let text = Data(bytes).base64EncodedString()
            #expect(Base64.encode(bytes) == text)
            #expect(Base64.decode(text.utf8) == bytes)
        }
    }

    @Test func `the URL form is the standard one in another alphabet, without padding`() {
        for bytes in Self.samples {
            let text = String(
                Data(bytes).base64EncodedString().filter { $0 != "=" }
                    .map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
            #expect(Base64URL.encode(bytes) == text)
            #expect(Base64URL.decode(text.utf8) == bytes)
            #expect(Base64URL.decode(Array(text.utf8)[...]) == bytes)
        }
    }

    @Test(arguments: [
        "A", "AAAAA", "AA==", "AAA=", "AA=", "AAAA=", "====", "=", "A===", "AB", "AAB",
        "AAAAAB", "A+AA", "A/AA", "AA A", " AAA", "AAAA\n", "A.AA", "Aé", "AAAA\0",
    ])
    func `another spelling in the URL form is refused`(_ text: String) {
        #expect(Base64URL.decode(text.utf8) == nil)
    }

    @Test(arguments: [
        "A", "AA", "AAA", "AA=", "AAA==", "A===", "====", "=", "==", "AB==", "AAB=",
        "AAAAAB==", "A-AA", "A_AA", "AA=A", "=AAA", "AA==AAAA", "AAAA\n", "AAAA====", "A A=",
        "AA =",
    ])
    func `another spelling in the standard form is refused`(_ text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }

    @Test func `of all texts of two characters each byte has exactly one`() {
        var count = [Int](repeating: 0, count: 256)
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                if let bytes = Base64URL.decode([first, second]) { count[Int(bytes[0])] += 1 }
            }
        }
        #expect(count.allSatisfy { $0 == 1 })
    }

    @Test func `a foreign character is seen at every place`() {
        let good = Array(Base64URL.encode([UInt8](0..<33)).utf8)
        for position in good.indices {
            for foreign: UInt8 in [0, 0x20, 0x2B, 0x2F, 0x3D, 0x80, 0xC1, 0xFF] {
                var text = good
                text[position] = foreign
                #expect(Base64URL.decode(text) == nil)
            }
        }
    }
}
