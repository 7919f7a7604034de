import Foundation
import Signing
import Testing

@Suite struct KeyTests {
    static func text(_ key: PrivateKey) -> String { String(decoding: key.pem(), as: UTF8.self) }

    static func code(_ text: String) -> SigningError.Code? {
        signingCode { _ = try PrivateKey(pem: Array(text.utf8)) }
    }

    @Test func `a key comes back from its PEM, and signs for its public key`() throws {
        let key = try PrivateKey.generate()
        let again = try PrivateKey(pem: key.pem())
        #expect(again.publicKey == key.publicKey)
        let message = Array("message".utf8)
        #expect(key.publicKey.isValid(try again.sign(message), for: message))
        #expect(try PublicKey(pem: key.publicKey.pem()) == key.publicKey)
        #expect(try PublicKey(der: key.publicKey.der()) == key.publicKey)
        #expect(key.publicKey.fingerprint == SHA256.digest(key.publicKey.der()))
        #expect(try PrivateKey.generate().publicKey != key.publicKey)
    }

    /// SIG-01: what clipboards, forms and files make of one key.
    @Test func `every harmless spelling of a key is the same key`() throws {
        let key = try PrivateKey.generate()
        let lf = Self.text(key)
        let body = lf.split(separator: "\n").dropFirst().dropLast().joined()
        let begin = "-----BEGIN PRIVATE KEY-----"
        let end = "-----END PRIVATE KEY-----"
        let spellings = [
            lf, lf.replacingOccurrences(of: "\n", with: "\r\n"),
            lf.replacingOccurrences(of: "\n", with: "\r"), String(lf.dropLast()), "\u{FEFF}" + lf,
            "  \n\t" + lf + "  \n\n", lf.replacingOccurrences(of: "\n", with: "\\n"),
            lf.replacingOccurrences(of: "\n", with: "\\r\\n"), "\(begin)\n\(body)\n\(end)",
            "\(begin)\(body)\(end)", "\(begin) \(body) \(end)", body, "\u{FEFF}\(body)\r\n",
            lf.replacingOccurrences(of: "\(begin)\n", with: "\(begin)\n\n"), lf + "x",
            "Name: my key\n" + lf, lf.replacingOccurrences(of: "\n", with: " \n "),
            lf.replacingOccurrences(of: begin + "\n", with: begin + "\r\n"),
        ]
        for spelling in spellings {
            let read = try PrivateKey(pem: Array(spelling.utf8))
            #expect(read.publicKey == key.publicKey)
        }
    }

    @Test func `keys of another kind are refused by the name of their fault`() throws {
        #expect(
            Self.code(try Keys.make("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384"))
                == .keyWrongCurve)
        #expect(
            Self.code(try Keys.make("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1"))
                == .keyWrongCurve)
        #expect(
            Self.code(try Keys.make("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048"))
                == .keyWrongType)
        #expect(Self.code(try Keys.make("genrsa -traditional 2048")) == .keyWrongType)
        #expect(Self.code(try Keys.make("genpkey -algorithm ED25519")) == .keyWrongType)
        #expect(
            Self.code(
                try Keys.make(
                    "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -aes256 -pass pass:x"))
                == .keyEncrypted)
        let traditional = try Keys.make("ecparam -name prime256v1 -genkey")
        #expect(Self.code(traditional) == nil, "the EC PRIVATE KEY form is a P-256 key too")
        let publicText = String(
            decoding: try PrivateKey.generate().publicKey.pem(), as: UTF8.self)
        #expect(Self.code(publicText) == .keyIsPublic)
        let bare = publicText.split(separator: "\n").dropFirst().dropLast().joined()
        #expect(Self.code(bare) == .keyIsPublic)
        for text in ["", " ", "-----BEGIN PRIVATE KEY-----", "hello", "\u{0}", "AAAA"] {
            #expect(Self.code(text) == .keyMalformed)
        }
        #expect(Self.code(String(repeating: "A", count: 100_000)) == .keyTooLong)
    }

    @Test func `a key cut anywhere is refused, and no message quotes it`() throws {
        let text = Self.text(try PrivateKey.generate())
        let body = text.split(separator: "\n").dropFirst().dropLast().joined()
        let end = "-----END PRIVATE KEY-----\n"
        for count in stride(from: 0, to: text.count - end.count, by: 5) {
            let cut = String(text.prefix(count))
            do {
                _ = try PrivateKey(pem: Array(cut.utf8))
                Issue.record("cut at \(count)")
            } catch {
                #expect(error.code == .keyMalformed)
                Self.expectNoPart(of: body, in: error.description)
            }
        }
        for position in stride(from: 0, to: body.count, by: 9) {
            var damaged = Array(body)
            damaged.remove(at: position)
            #expect(Self.code(String(damaged)) == .keyMalformed)
        }
    }

    @Test func `a key is never printed`() throws {
        let key = try PrivateKey.generate()
        let body = Self.text(key).split(separator: "\n").dropFirst().dropLast().joined()
        Self.expectNoPart(
            of: body, in: "\(key) \(String(describing: key)) \(String(reflecting: key))")
        var dumped = ""
        dump(key, to: &dumped)
        Self.expectNoPart(of: body, in: dumped)
    }

    @Test func `a public key is taken in its one spelling only`() throws {
        let der = try PrivateKey.generate().publicKey.der()
        #expect(der.count == 91)
        for other in [[], der + [0], Array(der.dropLast()), [0] + der, Array(der.suffix(65))] {
            #expect(signingCode { _ = try PublicKey(der: other) } == .keyMalformed)
        }
        var off = der
        off[90] ^= 1
        #expect(signingCode { _ = try PublicKey(der: off) } == .keyMalformed, "off the curve")
        var infinity = Array(der.prefix(26)) + [UInt8](repeating: 0, count: 65)
        #expect(signingCode { _ = try PublicKey(der: infinity) } == .keyMalformed)
        infinity[26] = 4
        #expect(signingCode { _ = try PublicKey(der: infinity) } == .keyMalformed)
        let text = Self.text(try PrivateKey.generate())
        #expect(signingCode { _ = try PublicKey(pem: Array(text.utf8)) } == .keyIsPrivate)
        #expect(signingCode { _ = try PublicKey(pem: []) } == .keyMalformed)
    }

    private static func expectNoPart(of secret: String, in text: String) {
        let letters = Array(secret)
        for start in stride(from: 0, through: letters.count - 12, by: 4) {
            #expect(!text.contains(String(letters[start..<(start + 12)])))
        }
    }
}

/// Keys of kinds that the product refuses to make, from the `openssl` program.
enum Keys {
    struct Failed: Error {}

    static func make(_ arguments: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments.split(separator: " ").map(String.init)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0, !data.isEmpty else { throw Failed() }
        return String(decoding: data, as: UTF8.self)
    }
}
