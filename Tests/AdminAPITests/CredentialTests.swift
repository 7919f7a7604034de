import AdminAPI
import Foundation
import Postgres
import Retention
import Service
import Signing
import TestSupport
import Testing

@Suite(.database) struct CredentialTests {
    private static let issuer = "57246542-96fe-1a63-e053-0824d011072a"

    private static func body(_ key: String, id: String = "2X9R4HXF34") -> JSONTree {
        ["keyId": .string(id), "issuerId": .string(issuer), "privateKey": .string(key)]
    }

    private static func text(_ key: PrivateKey) -> String {
        String(decoding: key.pem(), as: UTF8.self)
    }

    /// The key's own characters, without the lines around them.
    private static func secret(of text: String) -> String {
        text.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
    }

    @Test func `a key is stored sealed, described and retired, and a new one retires it`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let all = try agency.makeApp() + "/credentials"
        let key = try PrivateKey.generate()
        let made = try agency.post(all, Self.body(Self.text(key)), key: "1")
        #expect(made.status == 201, "\(made.text)")
        let path = try #require(made.header("Location"))
        #expect(
            made.json["fingerprint"]?.text
                == key.publicKey.fingerprint.map { String(format: "%02x", $0) }.joined())
        #expect(made.json["retiredAt"] == .null)
        #expect(made.json["privateKey"] == nil)
        #expect(made.json["keyId"] == "2X9R4HXF34")
        #expect(made.json["issuerId"] == .string(Self.issuer))
        #expect(try agency.get(path).json == made.json)

        stage.clock.advance(milliseconds: 1)
        let other = try PrivateKey.generate()
        let second = try agency.post(all, Self.body(Self.text(other), id: "B"), key: "2")
        #expect(second.status == 201)
        let former = try agency.get(path).json
        #expect(former["retiredAt"] == second.json["createdAt"])
        #expect(try agency.all(all, limit: 1) == [former, second.json])

        let newer = try #require(second.header("Location"))
        #expect(try agency.send("DELETE", newer).status == 204)
        let retired = try agency.get(newer).json
        #expect(retired["retiredAt"] != .null)
        stage.clock.advance(milliseconds: 1)
        #expect(try agency.send("DELETE", newer).status == 204)
        #expect(try agency.get(newer).json == retired)
        let ids = (first: path.lastSegment, second: newer.lastSegment)
        #expect(
            try agency.audit().filter { $0.hasPrefix("credential") }
                == [
                    "credential.create \(ids.first)", "credential.create \(ids.second)",
                    "credential.retire \(ids.first)", "credential.retire \(ids.second)",
                ].sorted())
    }

    /// SIG-01: what clipboards, forms and files make of one key.
    @Test func `every harmless spelling is the same key`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let all = try agency.makeApp() + "/credentials"
        let key = try PrivateKey.generate()
        let lf = Self.text(key)
        let body = Self.secret(of: lf)
        let begin = "-----BEGIN PRIVATE KEY-----"
        let end = "-----END PRIVATE KEY-----"
        let spellings = [
            lf, lf.replacingOccurrences(of: "\n", with: "\r\n"), String(lf.dropLast()),
            lf.replacingOccurrences(of: "\(begin)\n", with: "\(begin)\r\n"), "\u{FEFF}" + lf,
            "  \n\t" + lf + "  \n\n", lf.replacingOccurrences(of: "\n", with: "\\n"),
            "\(begin)\n\(body)\n\(end)", "\(begin)\(body)\(end)", body, lf + "x",
            lf.replacingOccurrences(of: "\(begin)\n", with: "\(begin)\n\n"),
        ]
        for (number, spelling) in spellings.enumerated() {
            let made = try agency.post(all, Self.body(spelling), key: "\(number)")
            #expect(made.status == 201, "\(number): \(made.text)")
            #expect(
                made.json["fingerprint"]?.text
                    == key.publicKey.fingerprint.map { String(format: "%02x", $0) }.joined())
        }
        #expect(try agency.all(all).filter { $0["retiredAt"] == .null }.count == 1)
    }

    @Test func `a bad key is refused by the name of its fault, and never repeated`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let app = try agency.makeApp()
        let good = Self.text(try PrivateKey.generate())
        let publicText = String(decoding: try PrivateKey.generate().publicKey.pem(), as: UTF8.self)
        let padded = good + String(repeating: " ", count: 8_192)
        let p384 = try OpenSSLKey.make("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384")
        let rsa = try OpenSSLKey.make("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048")
        let bad: [(text: String, code: String, word: String)] = [
            (p384, "notAllowed", "P-256"), (rsa, "notAllowed", "elliptic"),
            (publicText, "notAllowed", "public key"),
            (String(good.prefix(120)), "badFormat", "cut short"),
            (Self.secret(of: good).replacingOccurrences(of: "A", with: ""), "badFormat", "private"),
            (padded, "tooLong", "8192"), ("\u{0}" + good, "notAllowed", "NUL"),
        ]
        for (number, key) in bad.enumerated() {
            let answer = try agency.post(
                "\(app)/credentials", Self.body(key.text), key: "\(number)")
            #expect(answer.status == 422)
            #expect(answer.errors == ["/privateKey \(key.code)"], "\(answer.text)")
            #expect(answer.text.contains(key.word), "\(answer.text)")
            Self.expectNoPart(of: Self.secret(of: key.text), in: answer.text)
        }
        // In the wrong place, or as a whole body, it is not repeated either.
        let elsewhere = try [
            agency.post(
                "\(app)/credentials", Self.body(good, id: good), key: "a"),
            agency.post(
                "\(app)/credentials", Self.body(good).with("issuerId", .string(good)), key: "b"),
            agency.stage.send(
                "POST", "\(app)/credentials", token: agency.token,
                headers: [("Content-Type", "application/json"), ("Idempotency-Key", "c")],
                body: Array(good.utf8)),
        ]
        for answer in elsewhere {
            #expect([400, 422].contains(answer.status))
            Self.expectNoPart(of: Self.secret(of: good), in: answer.text)
        }
        #expect(try agency.all("\(app)/credentials") == [])
    }

    @Test func `the key is in no answer, no log, no audit and no row`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let all = try agency.makeApp() + "/credentials"
        let text = Self.text(try PrivateKey.generate())
        let made = try agency.post(all, Self.body(text), key: "1")
        let replayed = try agency.post(all, Self.body(text), key: "1")
        #expect(replayed.header("Idempotency-Replayed") == "true")
        #expect(replayed.json == made.json)
        let path = try #require(made.header("Location"))
        let answers = try [made, replayed, agency.get(all), agency.get(path)].map(\.text)
        let queries: [Query] = [
            "select coalesce(string_agg(t::text, ' '), '') from holdfast.audit_event t",
            "select coalesce(string_agg(t::text, ' '), '') from holdfast.idempotency_record t",
            "select coalesce(string_agg(t::text, ' '), '') from holdfast.credential t",
            "select coalesce(string_agg(t::text, ' '), '') from holdfast.snapshot t",
        ]
        let rows = try stage.database.superuser.withConnection { connection in
            try queries.map {
                try #require(try connection.query($0).first).decode(String.self, at: 0)
            }
        }
        // Bytes are shown as hexadecimal digits.
        let digits = Self.secret(of: text).utf8.map { String(format: "%02x", $0) }.joined()
        for row in rows {
            #expect(row != "")
            Self.expectNoPart(of: digits, in: row)
        }
        for place in answers + rows + [stage.log.text] {
            Self.expectNoPart(of: Self.secret(of: text), in: place)
        }
    }

    @Test func `everything that is wrong is named at once`() throws {
        let agency = try GatewayStage().makeAgency()
        let all = try agency.makeApp() + "/credentials"
        let answer = try agency.post(
            all, ["keyId": "2x9r", "issuerId": "me@example.com", "privateKey": "x", "y": 1],
            key: "1")
        #expect(
            Set(answer.errors) == [
                "/keyId badFormat", "/issuerId badFormat", "/privateKey badFormat", "/y unknown",
            ])
        let empty = try agency.post(all, [:], key: "2")
        #expect(
            Set(empty.errors)
                == ["/keyId required", "/issuerId required", "/privateKey required"])
        let key = Self.text(try PrivateKey.generate())
        #expect(try agency.post(all, Self.body(key)).code == "idempotencyKeyRequired")
        let long = try agency.post(
            all, Self.body(key, id: String(repeating: "K", count: 65)), key: "3")
        #expect(long.errors == ["/keyId tooLong"])
        #expect(long.json["errors"]?.elements.first?["measured"] == 65)
    }

    @Test func `of two that come at once both are stored, and one is live`() throws {
        let agency = try GatewayStage().makeAgency()
        let all = try agency.makeApp() + "/credentials"
        let works = try (0..<6).map { number in
            let body = Self.body(Self.text(try PrivateKey.generate()))
            return ParallelWork { try agency.post(all, body, key: "\(number)").status }
        }
        #expect(try works.map { try $0.value() } == [201, 201, 201, 201, 201, 201])
        let rows = try agency.all(all)
        #expect(rows.count == 6)
        #expect(rows.filter { $0["retiredAt"] == .null }.count == 1)
    }

    /// PG-03.
    @Test func `another's key is as absent as none`() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let client = try agency.makeClient()
        let app = try agency.makeApp(of: client, number: 1)
        let other = try agency.makeApp(of: client, number: 2)
        let body = Self.body(Self.text(try PrivateKey.generate()))
        let made = try agency.post("\(app)/credentials", body, key: "1")
        let path = try #require(made.header("Location"))
        let rival = try stage.makeAgency()
        let limited = try stage.makeKey(of: agency, apps: [try #require(AppID(other.lastSegment))])
        let elsewhere = "\(other)/credentials/\(path.lastSegment)"
        for (key, target) in [(rival, path), (limited, path), (agency, elsewhere)] {
            #expect(try key.get(target).status == 404)
            #expect(try key.send("DELETE", target).status == 404)
        }
        #expect(try rival.post("\(app)/credentials", body, key: "1").status == 404)
        #expect(try limited.get("\(app)/credentials").status == 404)
        #expect(try agency.get(path).json["retiredAt"] == .null)
        let blind = try stage.makeKey(of: agency, scopes: [.write(.apps), .read(.credentials)])
        #expect(try blind.get(path).status == 200)
        #expect(try blind.send("DELETE", path).code == "scopeMissing")
    }

    private static func expectNoPart(of secret: String, in text: String) {
        let letters = Array(secret)
        guard letters.count >= 12 else { return }
        for start in stride(from: 0, through: letters.count - 12, by: 4) {
            #expect(!text.contains(String(letters[start..<(start + 12)])))
        }
    }
}

/// Keys of kinds that the product refuses to make, from the `openssl` program.
private enum OpenSSLKey {
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
        try #require(process.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self)
    }
}
