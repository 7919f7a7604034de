import AdminAPI
import Foundation
import Operator
import Signing
import TestSupport
import Testing

/// A signing key that was handed in is nowhere to be read again.
@Suite(.database) struct KeyCustodyTests {
    private static let dumpProgram = "/usr/lib/postgresql/15/bin/pg_dump"

    @Test func aKeyHandedInIsInNoDumpLogErrorOrAnswer() throws {
        let stage = try GatewayStage()
        let agency = try stage.makeAgency()
        let client = try agency.post("/v1/clients", ["name": "client"])
        let app = try agency.post(
            "/v1/apps",
            [
                "clientId": client.json["id"] ?? .null, "name": "app",
                "bundleId": "com.example.app", "appAppleId": 1, "defaultLocale": "en-US",
            ])
        let base = "/v1/apps/\(app.json["id"]?.text ?? "")/credentials"
        let key = try PrivateKey.generate()
        let pem = String(decoding: key.pem(), as: UTF8.self)
        let canaries = try Self.canaries(of: pem)
        var shown: [String] = []
        // Once as it should be, then in ways that are refused: too long, cut, with a wrong member.
        let orders: [(JSONTree, String)] = [
            (Self.order(pem), "1"), (Self.order(pem), "1"),
            (Self.order(String(pem.dropLast(90))), "2"),
            (Self.order(pem + String(repeating: pem, count: 60)), "3"),
            (Self.order(pem).merging(["more": .string(pem)]), "4"),
            (Self.order(pem).merging(["keyId": .string(pem)]), "5"),
        ]
        for (order, idempotencyKey) in orders {
            let answer = try agency.post(base, order, key: idempotencyKey)
            shown.append(answer.text + answer.headers.map(\.value).joined())
        }
        #expect(try agency.all(base).count == 1)
        for target in [base, "/v1/audit-events", "/v1/apps", "/v1/jobs"] {
            shown.append(try agency.get(target).text)
        }
        let fingerprint = SHA256.digest(key.publicKey.der()).map { String($0, radix: 16) }
        #expect(shown[0].contains(fingerprint.last ?? "?"))
        let dump = try dump(stage.database)
        #expect(dump.contains("credential"))
        for canary in canaries {
            for text in shown + [stage.log.text, dump] {
                #expect(!text.contains(canary), "a key shows")
            }
        }
        try Promise.kept(
            "key-custody", "\(canaries.count) forms of a key in none of \(shown.count + 2) places")
    }

    private static func order(_ pem: String) -> JSONTree {
        [
            "keyId": "2X9R4HXF34", "issuerId": "57246542-96fe-1a63-e053-0824d011072a",
            "privateKey": .string(pem),
        ]
    }

    /// The key as PEM holds it, and its number as hexadecimal and Base64 write it.
    private static func canaries(of pem: String) throws -> [String] {
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.map(String.init)
        let der = try #require(Data(base64Encoded: lines.joined()))
        // The one octet string of 32 bytes in a P-256 key is its number.
        let start = try #require(der.firstRange(of: Data([0x04, 0x20]))?.upperBound)
        let number = der[start..<start + 32]
        let hexadecimal = number.map { String(format: "%02x", $0) }.joined()
        return lines + [
            hexadecimal, hexadecimal.uppercased(), number.base64EncodedString(),
            der.map { String(format: "%02x", $0) }.joined(), "BEGIN PRIVATE",
        ]
    }

    private func dump(_ database: Database) throws -> String {
        let output = FileManager.default.temporaryDirectory.path + "/holdfast-\(UUID()).sql"
        defer { try? FileManager.default.removeItem(atPath: output) }
        var plan = ChildProcess.Plan(
            Self.dumpProgram,
            ["--file", output, try database.url(role: PrivatePostgres.superuser)])
        plan.output = .discarded
        let process = try ChildProcess.start(plan)
        #expect(process.wait(for: .seconds(60)) == .exited(0))
        return String(decoding: try Data(contentsOf: URL(filePath: output)), as: UTF8.self)
    }
}
