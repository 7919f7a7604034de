import AppStore
import Testing

@Suite struct AppleExcerptTests {
    private static let secret = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJ4In0.c2lnbmF0dXJlLW9mLWEtdG9rZW4"

    private static func excerpt(_ text: String) -> String? {
        AppleExcerpt.make(Array(text.utf8), hiding: [secret])
    }

    @Test func `it is one printable line`() {
        #expect(Self.excerpt("a\r\n\tb\u{0}\u{1B}[31mc\u{202E}d\u{2028}e  f") == "a b [31mc d e f")
        #expect(Self.excerpt("Zu lang – ürgh 😀") == "Zu lang – ürgh 😀")
        for empty in ["", " ", "\n\n", "\u{200B}\u{0}"] { #expect(Self.excerpt(empty) == nil) }
        let broken: [UInt8] = [0x61, 0xFF, 0xC3, 0x62]
        #expect(AppleExcerpt.make(broken, hiding: []) == "a\u{FFFD}\u{FFFD}b")
    }

    @Test func `it is bounded, whatever a character is made of`() {
        #expect(Self.excerpt(String(repeating: "x", count: 9_999))?.count == 300)
        let tower = "a" + String(repeating: "\u{301}", count: 5_000)
        #expect(Self.excerpt(tower)?.unicodeScalars.count == 300)
    }

    @Test func `a secret is hidden whole, in pieces, in capitals and beside words`() {
        let secret = Self.secret
        #expect(Self.excerpt("token '\(secret)' is bad") == "token '(hidden)' is bad")
        #expect(Self.excerpt("x\(secret.uppercased())y") == "x(hidden)y")
        #expect(Self.excerpt("\(secret.prefix(30))\n\(secret.suffix(30))") == "(hidden) (hidden)")
        #expect(Self.excerpt("\(secret)\(secret)") == "(hidden)")
        #expect(Self.excerpt(String(repeating: secret + " ", count: 90))?.contains("eyJ") == false)
        #expect(Self.excerpt("eyJhbGciOiJ is short") == "eyJhbGciOiJ is short")
        let padded = String(repeating: "-", count: AppleExcerpt.readBytesLimit - 40) + secret
        #expect(Self.excerpt(padded)?.contains("eyJ") == false)
    }
}
