internal import Signing

/// The header of data that the App Store signed. Apple's page: retentionmessaging/jwsdecodedheader.
enum SignedHeader {
    /// The certificates in DER, leaf first. Other members are ignored: a key or an address that a
    /// sender puts there (`jwk`, `jku`, `x5u`) is never used. `crit` alone is refused, since it
    /// demands to be understood.
    static func certificates(in header: [UInt8]) throws(VerificationError) -> [[UInt8]] {
        let object: JSONObject
        do { object = try JSONObject(header) } catch {
            throw VerificationError(
                .headerMalformed, "The JWS header is not strict JSON: \(error.code.rawValue).")
        }
        guard object.string("alg")?.elementsEqual("ES256".utf8) == true else {
            throw VerificationError(.algorithmRefused, "The JWS header's alg is not ES256.")
        }
        guard object["crit"] == nil else {
            throw VerificationError(
                .criticalExtensionRefused, "The JWS header demands an extension (crit).")
        }
        guard let encoded = object.strings("x5c") else {
            throw VerificationError(.chainMissing, "The JWS header has no x5c array of strings.")
        }
        return try decoded(encoded)
    }

    private static func decoded(
        _ encoded: [ArraySlice<UInt8>]
    ) throws(VerificationError) -> [[UInt8]] {
        guard encoded.count == TrustAnchors.chainLength else {
            throw VerificationError(
                .chainWrongLength, "The chain has \(encoded.count) certificates, not three.")
        }
        var certificates: [[UInt8]] = []
        for text in encoded {
            guard let der = Base64.decode(text) else {
                throw VerificationError(
                    .chainCertificateMalformed,
                    "A certificate of x5c is not standard, padded Base64.")
            }
            certificates.append(der)
        }
        return certificates
    }
}
