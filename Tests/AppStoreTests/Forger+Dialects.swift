import AppStore
import Signing

/// JWS-04: the spellings of one signed object that are not the standard one.
extension Forger {
    mutating func dialectForgery(_ kind: Kind) throws -> Forgery {
        let jws = try genuine()
        let parts = jws.split(separator: ".").map(String.init)
        switch kind {
        case .certificateDialect: return try certificateDialect()
        case .segmentDialect:
            let payload = pick(
                [parts[1] + "=", parts[1] + "==", parts[1] + "A", "+" + parts[1], parts[1] + "/"],
                "=")
            let header = pick(
                [parts[0] + "=", parts[0] + "A", parts[0] + "+/", "A" + parts[0]], "=")
            let texts = [
                "\(parts[0]).\(payload).\(parts[2])", "\(header).\(parts[1]).\(parts[2])",
            ]
            return Forgery(
                jws: pick(texts, "."), .jwsMalformed, .headerMalformed, .payloadMalformed,
                .badSignature, .algorithmRefused)
        case .signatureForm: return signatureForm(parts)
        case .segmentCount:
            let texts = [
                "", ".", "..", "...", parts[0], "\(parts[0]).\(parts[1])", "\(jws).", ".\(jws)",
                "\(jws).\(parts[2])", "\(parts[0])..\(parts[2])", ".\(parts[1]).\(parts[2])",
                "\(parts[0]).\(parts[1]).", jws + " ", " " + jws,
            ]
            return Forgery(
                jws: pick(texts, ""), .jwsMalformed, .payloadMalformed, .headerMalformed,
                .badSignature)
        default:
            let count = Int.random(in: 87...60_000, using: &random)
            let long = String(repeating: "A", count: count)
            return Forgery(
                jws: "\(parts[0]).\(parts[1]).\(long)", .jwsMalformed, .bodyMalformed)
        }
    }

    private mutating func certificateDialect() throws -> Forgery {
        let chain = cast.good.chain.x5c
        let standard = chain.map(Base64.encode)
        let url = chain.map(Base64URL.encode)
        let place = Int.random(in: 0..<3, using: &random)
        var x5c = standard
        // Where padding and both dialects look alike this certificate shows no difference.
        x5c[place] = pick(
            [
                url[place], standard[place] + "=", standard[place] + "A",
                standard[place].prefix(64) + "\\n" + standard[place].dropFirst(64),
                " " + standard[place], "-" + standard[place].dropFirst(),
            ].filter { $0 != standard[place] }, "")
        return Forgery(
            jws: try signed(Self.header(x5c: x5c)), .chainCertificateMalformed, .chainUnknownRoot)
    }

    private mutating func signatureForm(_ parts: [String]) -> Forgery {
        let raw = Base64URL.decode(parts[2].utf8) ?? []
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = alphabet.firstIndex(of: parts[2].last ?? "A") ?? 0
        let bits = Int.random(in: 1..<16, using: &random)
        let forms = [
            "", parts[2] + "==", parts[2] + "=", String(parts[2].dropLast()), parts[2] + "A",
            Base64URL.encode(Self.der(raw)), Base64.encode(Self.der(raw)),
            Base64URL.encode(raw.prefix(63)), Base64URL.encode(raw + [0]),
            Base64URL.encode(raw.suffix(32) + raw.prefix(32)),
            Base64URL.encode([UInt8](repeating: 0, count: 64)),
            Base64URL.encode([UInt8](repeating: 0xFF, count: 64)),
            Base64URL.encode(raw.prefix(32) + [UInt8](repeating: 0, count: 32)),
            // 64 bytes leave four unused bits in the last character.
            String(parts[2].dropLast()) + String(alphabet[last ^ bits]),
            "+" + parts[2].dropFirst(), String(parts[2].dropLast()) + "/",
        ]
        return Forgery(
            jws: "\(parts[0]).\(parts[1]).\(pick(forms, ""))", .jwsMalformed, .badSignature)
    }
}
