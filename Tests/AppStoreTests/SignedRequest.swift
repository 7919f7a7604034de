import AppStore
import Foundation
import Signing
import Synchronization

/// A stand-in for the App Store's signer, and the values a good request has.
struct Store {
    static let appAppleId: Int64 = 531_412
    /// 2025-06-15, inside every leaf made here.
    static let now: Int64 = 1_750_000_000_000
    static let leafValidity: ClosedRange<Int64> = 1_735_689_600...1_767_225_599

    let chain: IssuedChain

    init(
        leafValidity: ClosedRange<Int64> = Store.leafValidity,
        flaws: CertificateAuthority.Flaws = CertificateAuthority.Flaws()
    ) throws {
        chain = try CertificateAuthority.appleLike(
            name: "Simulator", leafValidity: leafValidity, flaws: flaws)
    }

    var anchors: TrustAnchors {
        get throws { TrustAnchors(roots: [try Certificate(der: chain.root)]) }
    }

    func verifier(
        limits: SignedDataVerifier.Limits = SignedDataVerifier.Limits(),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws -> SignedDataVerifier {
        SignedDataVerifier(anchors: try anchors, limits: limits, now: now)
    }

    func body(_ fields: [(String, String)] = Store.fields()) throws -> [UInt8] {
        Self.body(jws: try chain.sign(Self.json(fields)))
    }

    static func body(jws: String) -> [UInt8] { Array("{\"signedPayload\":\"\(jws)\"}".utf8) }

    /// The seven fields, each as JSON text; `changes` replace or, with nil, remove.
    static func fields(_ changes: [String: String?] = [:]) -> [(String, String)] {
        let good = [
            ("originalTransactionId", "\"99371282\""), ("appAppleId", "531412"),
            ("productId", "\"com.example.product\""), ("userLocale", "\"en-US\""),
            ("requestIdentifier", "\"3db5c98d-8acf-4e29-831e-8e1f82f9f6e9\""),
            ("environment", "\"Production\""), ("signedDate", "\(now)"),
        ]
        let kept = good.compactMap { name, value -> (String, String)? in
            guard let change = changes[name] else { return (name, value) }
            return change.map { (name, $0) }
        }
        let added = changes.keys.filter { name in !good.contains { $0.0 == name } }.sorted()
        return kept + added.compactMap { name in (changes[name] ?? nil).map { (name, $0) } }
    }

    static func json(_ fields: [(String, String)]) -> [UInt8] {
        Array("{\(fields.map { "\"\($0)\":\($1)" }.joined(separator: ","))}".utf8)
    }
}

/// A verification with the good values, and the code of its refusal.
func refusal(
    _ body: [UInt8], _ verifier: SignedDataVerifier, appAppleId: Int64 = Store.appAppleId,
    environment: String = "Production", now: Int64 = Store.now
) -> VerificationError.Code? {
    do {
        _ = try verifier.realtimeRequest(
            body: body, appAppleId: appAppleId, environment: environment, nowMilliseconds: now)
    } catch { return error.code }
    return nil
}

func refusal(_ jws: String, _ verifier: SignedDataVerifier) -> VerificationError.Code? {
    do { _ = try verifier.verify(Array(jws.utf8)) } catch { return error.code }
    return nil
}

/// Time that a test moves on by hand.
final class HandClock: Sendable {
    private let instant = Mutex(ContinuousClock.now)

    func advance(by duration: Duration) { instant.withLock { $0 += duration } }

    var now: @Sendable () -> ContinuousClock.Instant {
        { [self] in instant.withLock { $0 } }
    }
}
