/// The body of every call Apple makes to us: `{"signedPayload": "<compact JWS>"}`. Apple's pages:
/// retentionmessaging/realtimerequestbody, appstoreservernotifications/responsebodyv2.
enum SignedPayloadBody {
    /// Apple's real-time body has about 5 KB; the HTTP server's own limit comes before this one.
    static let bytesLimit = 64 * 1024

    /// The JWS, not yet looked into. Members we do not know are ignored.
    static func compactJWS(
        in body: [UInt8], bytesLimit: Int = SignedPayloadBody.bytesLimit
    ) throws(VerificationError) -> ArraySlice<UInt8> {
        guard body.count <= bytesLimit else {
            throw VerificationError(
                .bodyMalformed, "A body of more than \(bytesLimit) bytes is not read.")
        }
        let object: JSONObject
        do { object = try JSONObject(body) } catch {
            throw VerificationError(
                .bodyMalformed,
                "The body is not strict JSON: \(error.code.rawValue) at byte \(error.offset).")
        }
        guard let compact = object.string("signedPayload") else {
            throw VerificationError(.bodyMalformed, "The body has no string signedPayload.")
        }
        return compact
    }
}
