/// What Apple sends and expects: signed data in, real-time answers and offer signatures out, and
/// the calls of Apple's own API.
///
/// It exists to be the only place that knows Apple's wire shapes, and the only gate a stranger's
/// bytes pass before anything is decided on them.
///
/// ```
///   body ── SignedPayloadBody ── CompactJWS ── payload: JSONObject ── signedDate
///                                    │                                   │
///                                 header ── verified before? (VerifiedLeaves) ── leaf key
///                                    │ no                                        │
///                                    └── x5c ── TrustAnchors at signedDate ──────┤
///                                                                                ▼
///   RealtimeRequest ◀── freshness ◀── app ◀── environment ◀── type ◀──── signature valid
///
///   NotificationHead ◀── app, environment, and signed data inside ◀──── signature valid
///
///   RealtimeResponse ── JSON ──▶ Apple          OfferSigner ── JWS in a promotional offer
///
///   RetentionMessagingCall ─┐
///   BearerTokens ── token ──┴─ RetentionMessagingClient ── AppleAnswer: outcome, content
/// ```
///
/// A notification's way is apart from requests: it waits for nobody and is judged at `signedDate`.
///
/// ```
///   SignedDataVerifier.verify ── NotificationPayload ── JWS inside ── verify ── SignedTransaction
///                                      └── fact: SignedFact of Retention ◀── SignedRenewalInfo
/// ```
///
/// Apple's pages: retentionmessaging/jwsdecodedheader, …/decodedrealtimerequestbody,
/// …/realtimeresponsebody, storekit/generating-jws-to-sign-app-store-requests.
enum AppStore {}
