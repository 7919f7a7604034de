import AppStore
import Foundation
import Retention
import Signing

/// One parser, and what must hold whatever it is given.
protocol Target: Sendable {
    func run(_ bytes: [UInt8])
    var seeds: Seeds { get throws }
}

let targets: [String: @Sendable () throws -> any Target] = [
    "body": { try BodyTarget() }, "jws": { try SignedTarget() },
    "certificate": { try CertificateTarget() }, "status": { try StatusTarget() },
    "rules": { RulesTarget() }, "planted": { PlantedTarget() },
]

/// The first inputs, each a file.
struct Seeds {
    var files: [String: [UInt8]] = [:]

    func write(to folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        for (name, bytes) in files {
            try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
        }
    }
}

/// Apple's chain, whose private keys nobody here has: under it no input may be believed.
struct AppleChain {
    let leaf: Certificate
    let intermediate: Certificate
    let root: Certificate

    init() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "AppStoreTests/AppleChain")
        func read(_ name: String) throws -> Certificate {
            try Certificate(pem: Array(Data(contentsOf: folder.appending(path: name))))
        }
        leaf = try read("store-signing-leaf-2027.pem")
        intermediate = try read("AppleWWDRCA-G6.pem")
        root = try AppleRoot.certificate()
    }

    var header: [UInt8] {
        let x5c = [leaf, intermediate, root].map { "\"\(Base64.encode($0.der))\"" }
        return Array("{\"alg\":\"ES256\",\"x5c\":[\(x5c.joined(separator: ","))]}".utf8)
    }
}

/// A good payload, and the one app it is for.
enum Sample {
    static let appAppleId: Int64 = 531_412
    /// 2025-11-01, inside the life of Apple's leaf.
    static let now: Int64 = 1_761_962_975_000

    static let payload = Array(
        """
        {"originalTransactionId":"99371282","appAppleId":531412,"productId":"com.example.product",\
        "userLocale":"en-US","requestIdentifier":"3db5c98d-8acf-4e29-831e-8e1f82f9f6e9",\
        "environment":"Production","signedDate":1761962975000}
        """.utf8)
}

/// The body of a request, as it comes from the network.
struct BodyTarget: Target {
    private let chain: AppleChain
    private let verifier: SignedDataVerifier

    init() throws {
        chain = try AppleChain()
        verifier = SignedDataVerifier(anchors: try AppleRoot.anchors())
    }

    func run(_ bytes: [UInt8]) {
        let request = try? verifier.realtimeRequest(
            body: bytes, appAppleId: Sample.appAppleId, environment: "Production",
            nowMilliseconds: Sample.now)
        if request != nil { Fuzzer.found("a request was believed that Apple did not sign") }
        if (try? verifier.verify(bytes)) != nil { Fuzzer.found("a JWS was believed") }
    }

    var seeds: Seeds {
        get throws {
            let key = try PrivateKey.generate()
            let jws = try CompactJWS.sign(header: chain.header, payload: Sample.payload, with: key)
            return Seeds(files: [
                "request": Array("{\"signedPayload\":\"\(jws)\"}".utf8),
                "escaped": Array(
                    "{\"a\":[1.5e3,null,true],\"signedPaylo\\u0061d\":\"\\ud83d\\ude00\"}".utf8),
                "short": Array(
                    "{\"signedPayload\":\"e30.e30.\(String(repeating: "A", count: 86))\"}".utf8),
                "nested": Array("{\"a\":[[[[[[{\"b\":{}}]]]]]],\"signedPayload\":\"\"}".utf8),
            ])
        }
    }
}

/// What Apple's own key might sign: the payload of a signature that is true, and the header of one.
struct SignedTarget: Target {
    private let chain: IssuedChain
    private let stranger: PrivateKey
    private let verifier: SignedDataVerifier

    init() throws {
        chain = try CertificateAuthority.appleLike(
            name: "Fuzz", leafValidity: 1_735_689_600...1_798_761_600)
        stranger = try PrivateKey.generate()
        verifier = SignedDataVerifier(
            anchors: TrustAnchors(roots: [try Certificate(der: chain.root)]))
    }

    func run(_ bytes: [UInt8]) {
        if let jws = try? chain.sign(bytes), let request = believed(jws) { check(request) }
        let strangers = try? CompactJWS.sign(
            header: bytes, payload: Sample.payload, with: stranger)
        if let strangers, believed(strangers) != nil {
            Fuzzer.found("a header brought a stranger's signature through")
        }
    }

    private func believed(_ jws: String) -> RealtimeRequest? {
        try? verifier.realtimeRequest(
            body: Array("{\"signedPayload\":\"\(jws)\"}".utf8), appAppleId: Sample.appAppleId,
            environment: "Production", nowMilliseconds: Sample.now)
    }

    private func check(_ request: RealtimeRequest) {
        let identifiers = [request.originalTransactionId, request.productId]
        let areBounded = identifiers.allSatisfy { 1...255 ~= $0.utf8.count }
        let isOurs =
            request.appAppleId == Sample.appAppleId && request.environment == "Production"
        let isFresh = abs(request.signedDate - Sample.now) <= 300_000
        if !areBounded || !isOurs || !isFresh {
            Fuzzer.found("a request was believed that breaks its rules: \(request)")
        }
    }

    var seeds: Seeds {
        let x5c = chain.x5c.map { _ in "\"MAA=\"" }.joined(separator: ",")
        return Seeds(files: [
            "payload": Sample.payload,
            "header": Array("{\"alg\":\"ES256\",\"x5c\":[\(x5c)]}".utf8),
            "critical": Array("{\"alg\":\"ES256\",\"crit\":[\"b64\"],\"x5c\":[]}".utf8),
            "none": Array("{\"alg\":\"none\"}".utf8),
            "undated": Array("{\"receiptCreationDate\":1761962975000}".utf8),
        ])
    }
}

/// One certificate in the place of each of Apple's, and every other form of key and certificate.
struct CertificateTarget: Target {
    private let chain: AppleChain
    private let anchors: TrustAnchors

    init() throws {
        chain = try AppleChain()
        anchors = try AppleRoot.anchors()
    }

    func run(_ bytes: [UInt8]) {
        let good = [chain.leaf.der, chain.intermediate.der, chain.root.der]
        for place in good.indices {
            var x5c = good
            x5c[place] = bytes
            let leaf = try? anchors.verify(x5c: x5c, at: Sample.now / 1_000)
            if leaf != nil, bytes != good[place] {
                Fuzzer.found("another certificate was believed in place \(place)")
            }
        }
        if let certificate = try? Certificate(der: bytes) {
            _ = certificate.statusURL
            _ = certificate.publicKey
            _ = certificate.hasExtension(TrustAnchors.leafMarker)
            if certificate.der != bytes { Fuzzer.found("a certificate has two spellings") }
        }
        _ = try? Certificate(pem: bytes)
        _ = try? PublicKey(der: bytes)
        _ = try? PublicKey(pem: bytes)
        _ = try? PrivateKey(pem: bytes)
    }

    var seeds: Seeds {
        get throws {
            let own = try CertificateAuthority.appleLike(
                name: "Fuzz", leafValidity: 1_735_689_600...1_798_761_600)
            return Seeds(files: [
                "leaf": chain.leaf.der, "intermediate": chain.intermediate.der,
                "root": chain.root.der, "own-leaf": own.leaf,
                "own-intermediate": own.intermediate, "pem": chain.leaf.pem(),
                "public-key": own.leafKey.publicKey.der(),
                "public-pem": own.leafKey.publicKey.pem(),
            ])
        }
    }
}

/// What an authority's responder may send about Apple's leaf.
struct StatusTarget: Target {
    private let chain: AppleChain

    init() throws { chain = try AppleChain() }

    func run(_ bytes: [UInt8]) {
        guard
            let request = try? StatusRequest(
                for: chain.leaf, issuer: chain.intermediate, root: chain.root)
        else { return }
        if (try? request.status(in: bytes, at: Sample.now / 1_000)) != nil {
            Fuzzer.found("a status was believed that Apple did not sign")
        }
    }

    /// The shapes of an answer: a failure, and one with an empty basic response.
    var seeds: Seeds {
        Seeds(files: [
            "try-later": [0x30, 0x03, 0x0A, 0x01, 0x03],
            "empty": [
                0x30, 0x19, 0x0A, 0x01, 0x00, 0xA0, 0x14, 0x30, 0x12, 0x06, 0x09, 0x2B, 0x06,
                0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x01, 0x04, 0x05, 0x30, 0x03, 0x30, 0x01,
                0x00,
            ],
        ])
    }
}

/// A fault put there on purpose: a run that does not find it would not find another either.
struct PlantedTarget: Target {
    func run(_ bytes: [UInt8]) {
        guard bytes.count > 3, bytes[0] == 0x68, bytes[1] == 0x6F, bytes[2] == 0x6C else { return }
        if bytes[3] == 0x64 { _ = bytes[bytes.count] }
    }

    var seeds: Seeds { Seeds(files: ["begin": Array("begin".utf8)]) }
}
