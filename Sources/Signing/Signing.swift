/// The cryptography of Holdfast, over OpenSSL 3 and in values without pointers.
///
/// It exists because three parties must be able to trust bytes: Apple signs what it asks us, we
/// sign the offers we answer with, and an operator's keys must lie in the database unreadable to
/// whoever reads the database. Nothing here knows of retention, of JSON or of a network.
///
/// ```
///   compact JWS ── CompactJWS ── header: x5c ── TrustAnchors ── Certificate (leaf) ── PublicKey ─┐
///        └───────── signing input + 64-byte signature ─────────────────────────── isValid ◀──────┘
///
///   .p8 text ── PrivateKey ── sign ── CompactJWS.sign
///        └───── Sealing.seal(to: PublicKey) ── database ── Sealing.open(with: PrivateKey)
///
///   Certificate ── StatusRequest ── the issuer's answer, judged: good, revoked or neither
///
///   CertificateAuthority: a chain shaped like Apple's, for the simulator and the tests
/// ```
///
/// OpenSSL keeps its errors in a queue per thread. Every call here clears the queue before and
/// drains it after, so that no failure is told with the reasons of an earlier one.
enum Signing {}
