import AppStore
import Foundation
import Signing

extension Forger {
    static let anyMangled: [VerificationError.Code] = [
        .bodyMalformed, .jwsMalformed, .headerMalformed, .payloadMalformed, .algorithmRefused,
        .chainMissing, .chainWrongLength, .chainUnknownRoot, .chainCertificateMalformed,
        .chainNotValidAtSigning, .chainLeafMarkerMissing, .chainIntermediateMarkerMissing,
        .chainLeafKeyRefused, .badSignature, .criticalExtensionRefused,
    ]

    mutating func next(_ kind: Kind) throws -> Forgery {
        switch kind {
        case .mangledBody, .mangledSegment, .swappedSegments, .strangersKey, .keyInHeader:
            try signatureForgery(kind)
        case .algorithm, .algorithmByStranger, .noSignature, .critical:
            try algorithmForgery(kind)
        case .chainLength, .selfSigned, .otherRoot, .reversedChain, .brokenCertificate,
            .endedLeaf, .noLeafMarker, .noIntermediateMarker, .largeLeafKey:
            try chainForgery(kind)
        case .wrongApp, .wrongEnvironment, .localTesting, .otherKind, .missingField, .wrongType,
            .minutesOff, .yearsOff, .dateOfNoKind:
            try genuineButWrong(kind)
        case .repeatedKey, .nested, .notJSON, .tooLarge: try formForgery(kind)
        case .certificateDialect, .segmentDialect, .signatureForm, .segmentCount,
            .longSignature:
            try dialectForgery(kind)
        }
    }

    private static func mangled(_ body: [UInt8]) -> Forgery {
        Forgery(body, codes: Set(anyMangled))
    }

    private mutating func signatureForgery(_ kind: Kind) throws -> Forgery {
        switch kind {
        case .mangledBody:
            let good = Store.body(jws: try genuine())
            var bytes = good
            while bytes == good { bytes = Mangling.mangled(good, &random) }
            return Self.mangled(bytes)
        case .mangledSegment:
            let segments = try genuine().split(separator: ".").map(String.init)
            let place = Int.random(in: 0..<3, using: &random)
            let decoded = Base64URL.decode(segments[place].utf8) ?? []
            var changed = decoded
            while changed == decoded { changed = Mangling.mangled(decoded, &random) }
            var parts = segments
            parts[place] = Base64URL.encode(changed)
            return Self.mangled(Store.body(jws: parts.joined(separator: ".")))
        case .swappedSegments:
            let one = try genuine().split(separator: ".")
            let two = try genuine().split(separator: ".")
            return Forgery(jws: "\(one[0]).\(one[1]).\(two[2])", .badSignature)
        case .strangersKey:
            let jws = try signed(
                cast.good.chain.jwsHeader, by: cast.stranger.chain.leafKey)
            return Forgery(jws: jws, .badSignature)
        default:
            let point = cast.stranger.chain.leafKey.publicKey.der().suffix(64)
            let (x, y) = (Base64URL.encode(point.prefix(32)), Base64URL.encode(point.suffix(32)))
            let more = pick(
                [
                    "\"jwk\":{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"\(x)\",\"y\":\"\(y)\"},",
                    "\"jku\":\"http://127.0.0.1:1/keys\",", "\"x5u\":\"http://127.0.0.1:1/c\",",
                    "\"kid\":\"\(bytes(4))\",",
                ], "")
            let header = Self.header(x5c: goodX5C, more: more)
            let jws = try signed(header, by: cast.stranger.chain.leafKey)
            return Forgery(jws: jws, .badSignature)
        }
    }

    private mutating func algorithmForgery(_ kind: Kind) throws -> Forgery {
        let algorithms: [String?] = [
            "none", "None", "NONE", "HS256", "HS384", "RS256", "PS256", "ES384", "ES512", "es256",
            "Es256", "ES256 ", " ES256", "ES256\\u0000", "EdDSA", "", nil,
        ]
        let header = Self.header(pick(algorithms, nil), x5c: goodX5C)
        switch kind {
        // Refused although its signature is the leaf's own.
        case .algorithm: return Forgery(jws: try signed(header), .algorithmRefused)
        case .algorithmByStranger:
            let jws = try signed(header, by: cast.stranger.chain.leafKey)
            return Forgery(jws: jws, .algorithmRefused)
        case .noSignature:
            let encoded = Base64URL.encode(
                Self.header(pick(["none", "HS256", "ES256"], "none"), x5c: goodX5C))
            let count = pick([0, 32, 48, 63, 65, 96, 256], 0)
            let signature = Base64URL.encode(bytes(count))
            return Forgery(
                jws: "\(encoded).\(Base64URL.encode(payload())).\(signature)", .jwsMalformed)
        default:
            let more = pick(["\"crit\":[\"b64\"],\"b64\":false,", "\"crit\":[],"], "\"crit\":1,")
            let critical = Self.header(x5c: goodX5C, more: more)
            return Forgery(jws: try signed(critical), .criticalExtensionRefused)
        }
    }

    private mutating func chainForgery(_ kind: Kind) throws -> Forgery {
        let x5c = goodX5C
        func sign(_ store: Store, _ payload: [UInt8]) throws -> String {
            try store.chain.sign(payload)
        }
        switch kind {
        case .chainLength:
            let lists = [
                [], [x5c[0]], Array(x5c.prefix(2)), x5c + [x5c[2]], x5c + x5c.suffix(2),
                [x5c[0], x5c[2]],
            ]
            return Forgery(jws: try signed(Self.header(x5c: pick(lists, []))), .chainWrongLength)
        case .selfSigned:
            let validity = Store.leafValidity
            let own = try CertificateAuthority.xcodeLike(name: "Xcode", validity: validity)
            let one = Base64.encode(own.leaf)
            let list = pick([[one], [one, one, one], [one, x5c[1]]], [one])
            let jws = try signed(Self.header(x5c: list), by: own.leafKey)
            return Forgery(jws: jws, .chainWrongLength, .chainUnknownRoot)
        case .otherRoot:
            return Forgery(jws: try sign(cast.stranger, payload()), .chainUnknownRoot)
        case .reversedChain:
            let lists = [
                Array(x5c.reversed()), [x5c[1], x5c[2], x5c[0]], [x5c[2], x5c[0], x5c[1]],
            ]
            let jws = try signed(Self.header(x5c: pick(lists, [])))
            return Forgery(jws: jws, .chainUnknownRoot)
        case .brokenCertificate:
            let place = Int.random(in: 0..<2, using: &random)
            var chain = cast.good.chain.x5c
            chain[place] = pick(
                [
                    Array(chain[place].dropLast()), chain[place] + [0], bytes(200), [],
                    [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [UInt8](repeating: 0x30, count: 9_000),
                ], [])
            let jws = try signed(Self.header(x5c: chain.map(Base64.encode)))
            return Forgery(jws: jws, .chainCertificateMalformed)
        case .endedLeaf:
            return Forgery(jws: try sign(cast.ended, payload()), .chainNotValidAtSigning)
        case .noLeafMarker:
            return Forgery(jws: try sign(cast.noLeafMarker, payload()), .chainLeafMarkerMissing)
        case .noIntermediateMarker:
            let jws = try sign(cast.noIntermediateMarker, payload())
            return Forgery(jws: jws, .chainIntermediateMarkerMissing)
        default:
            return Forgery(jws: try sign(cast.largeLeafKey, payload()), .chainLeafKeyRefused)
        }
    }

    private mutating func genuineButWrong(_ kind: Kind) throws -> Forgery {
        switch kind {
        case .wrongApp:
            let other = Int.random(in: -9...9_999_999_999, using: &random)
            let app = other == Int(Store.appAppleId) ? 1 : other
            return Forgery(jws: try genuine(["appAppleId": "\(app)"]), .wrongApp)
        case .wrongEnvironment:
            let name = pick(["Sandbox", "production", "PRODUCTION", "", "Production "], "Sandbox")
            return Forgery(jws: try genuine(["environment": "\"\(name)\""]), .wrongEnvironment)
        case .localTesting:
            let name = pick(["Xcode", "LocalTesting"], "Xcode")
            var forgery = Forgery(
                jws: try genuine(["environment": "\"\(name)\""]), .wrongEnvironment)
            forgery.environment = pick(["Production", "Sandbox", name], name)
            return forgery
        case .otherKind: return Forgery(jws: try otherKind(), .wrongType)
        case .missingField:
            let field = pick(Store.fields().dropLast().map(\.0), "productId")
            return Forgery(jws: try genuine([field: String?.none]), .wrongType)
        case .wrongType:
            let field = pick(Store.fields().map(\.0), "productId")
            let value = pick(["null", "true", "[]", "{}", "1.5", "1e3", "false"], "null")
            return Forgery(jws: try genuine([field: value]), .payloadMalformed)
        case .minutesOff:
            let ahead = Bool.random(using: &random)
            let off = Int64.random(in: 600_000...3_600_000, using: &random)
            let date = Store.now + (ahead ? off : -off)
            let jws = try genuine(["signedDate": "\(date)"])
            return ahead ? Forgery(jws: jws, .signedInFuture) : Forgery(jws: jws, .stale)
        case .yearsOff:
            let years = pick([-10, 10, 50, -50] as [Int64], 10)
            let date = max(0, Store.now + years * 365 * 86_400_000)
            return Forgery(jws: try genuine(["signedDate": "\(date)"]), .chainNotValidAtSigning)
        default:
            let date = pick(
                ["-1", "253402300800000", "9223372036854775807", "\"1750000000000\"", "1.75e12"],
                "-1")
            return Forgery(jws: try genuine(["signedDate": date]), .payloadMalformed)
        }
    }

    /// What Apple signs as truly, and not for this: a transaction, renewal info, notification.
    private mutating func otherKind() throws -> String {
        let date = "\"signedDate\":\(Store.now)"
        let transaction = """
            {"transactionId":"1","originalTransactionId":"1","bundleId":"com.example",\
            "productId":"com.example.product","environment":"Production",\(date)}
            """
        let renewal = """
            {"originalTransactionId":"1","autoRenewProductId":"p",\
            "environment":"Production",\(date)}
            """
        let notification = """
            {"notificationType":"DID_RENEW","notificationUUID":"\(UUID())","version":"2.0",\(date),\
            "data":{"appAppleId":\(Store.appAppleId),"environment":"Production"}}
            """
        let text = pick([transaction, renewal, notification], transaction)
        return try cast.good.chain.sign(Array(text.utf8))
    }

    private mutating func formForgery(_ kind: Kind) throws -> Forgery {
        let jws = try genuine()
        switch kind {
        case .repeatedKey:
            let twice = "\"signedPayload\":\"\(jws)\""
            let header = Self.header(x5c: goodX5C, more: "\"al\\u0067\":\"none\",")
            let payload = Array("{\"appAppleId\":1,".utf8) + payload().dropFirst()
            let inside = try cast.good.chain.sign(payload)
            return pick(
                [
                    Forgery(Array("{\(twice),\(twice)}".utf8), .bodyMalformed),
                    Forgery(Array("{\"signed\\u0050ayload\":\"\",\(twice)}".utf8), .bodyMalformed),
                    Forgery(jws: try signed(header), .headerMalformed),
                    Forgery(jws: inside, .payloadMalformed),
                ], Forgery([], .bodyMalformed))
        case .nested:
            let depth = Int.random(in: 33...30_000, using: &random)
            let open = String(repeating: pick(["[", "{\"a\":"], "["), count: min(depth, 9_000))
            let inside = try cast.good.chain.sign(
                Array("{\"a\":\(open)".utf8) + payload().dropFirst())
            return pick(
                [
                    Forgery(Array("{\"a\":\(open)".utf8), .bodyMalformed),
                    Forgery(
                        Array("{\"a\":\(open),\"signedPayload\":\"\(jws)\"}".utf8), .bodyMalformed),
                    Forgery(jws: inside, .payloadMalformed, .bodyMalformed),
                ], Forgery([], .bodyMalformed))
        case .notJSON:
            let alphabet = Array("{}[]\",:.\\ue0123456789-+truefalsnl \t\u{0}é".utf8)
            let count = Int.random(in: 0...300, using: &random)
            return Forgery((0..<count).map { _ in pick(alphabet, 0) }, .bodyMalformed)
        default:
            let filling = String(repeating: " ", count: 70_000)
            return Forgery(Array("{\"signedPayload\":\"\(jws)\"\(filling)}".utf8), .bodyMalformed)
        }
    }
}

extension Forgery {
    init(_ body: [UInt8], codes: Set<VerificationError.Code>) {
        self.body = body
        self.codes = codes
    }
}
