import AppStore
import Foundation
import Signing
import TestSupport

/// One request that must be refused.
struct Forgery {
    let body: [UInt8]
    let codes: Set<VerificationError.Code>
    var environment = "Production"
    var appAppleId = Store.appAppleId
    var now = Store.now

    init(_ body: [UInt8], _ codes: VerificationError.Code...) {
        self.body = body
        self.codes = Set(codes)
    }

    init(jws: String, _ codes: VerificationError.Code...) {
        body = Store.body(jws: jws)
        self.codes = Set(codes)
    }
}

/// Makes forged and mangled requests, from a seed: the same seed makes the same kinds in the same
/// places, though keys and signatures differ.
struct Forger {
    enum Kind: CaseIterable {
        case mangledBody, mangledSegment, swappedSegments, strangersKey, keyInHeader
        case algorithm, algorithmByStranger, noSignature, critical
        case chainLength, selfSigned, otherRoot, reversedChain, brokenCertificate
        case endedLeaf, noLeafMarker, noIntermediateMarker, largeLeafKey
        case wrongApp, wrongEnvironment, localTesting, otherKind, missingField, wrongType
        case minutesOff, yearsOff, dateOfNoKind
        case repeatedKey, nested, certificateDialect, segmentDialect, signatureForm
        case segmentCount, longSignature, notJSON, tooLarge
    }

    /// A store whose chain the verifier knows, and stores that lack one thing, all under roots it
    /// trusts.
    struct Cast {
        let good: Store
        let stranger: Store
        let ended: Store
        let noLeafMarker: Store
        let noIntermediateMarker: Store
        let largeLeafKey: Store
        /// Genuine, and not seen before.
        let next: Store

        init() throws {
            func flawed(_ change: (inout CertificateAuthority.Flaws) -> Void) throws -> Store {
                var flaws = CertificateAuthority.Flaws()
                change(&flaws)
                return try Store(flaws: flaws)
            }
            good = try Store()
            stranger = try Store()
            ended = try Store(leafValidity: 1_672_531_200...1_704_067_199)
            noLeafMarker = try flawed { $0.leafMarker = false }
            noIntermediateMarker = try flawed { $0.intermediateMarker = false }
            largeLeafKey = try flawed { $0.leafOnP384 = true }
            next = try Store()
        }

        func verifier(
            now: @escaping @Sendable () -> ContinuousClock.Instant
        ) throws -> SignedDataVerifier {
            let trusted = [good, ended, noLeafMarker, noIntermediateMarker, largeLeafKey, next]
            return SignedDataVerifier(
                anchors: TrustAnchors(
                    roots: try trusted.map { try Certificate(der: $0.chain.root) }), now: now)
        }

        /// A stranger's chain with a trusted root's bytes behind it: only its path tells it apart.
        var spliced: IssuedChain {
            IssuedChain(
                root: good.chain.root, intermediate: stranger.chain.intermediate,
                leaf: stranger.chain.leaf, leafKey: stranger.chain.leafKey)
        }
    }

    let cast: Cast
    var random: SeededNumbers

    init(_ cast: Cast, seed: UInt64) {
        self.cast = cast
        random = SeededNumbers(seed: seed)
    }

    // MARK: Parts

    static func fields(_ changes: [String: String?] = [:]) -> [UInt8] {
        Store.json(Store.fields(changes))
    }

    /// A payload unlike the ones before, which is good but for `changes`.
    mutating func payload(_ changes: [String: String?] = [:]) -> [UInt8] {
        let number = Int.random(in: 1...9_999_999_999, using: &random)
        return Self.fields(
            ["originalTransactionId": "\"\(number)\""].merging(changes) { $1 })
    }

    static func header(
        _ alg: String? = "ES256", x5c: [String], more: String = ""
    ) -> [UInt8] {
        let list = x5c.map { "\"\($0)\"" }.joined(separator: ",")
        let algorithm = alg.map { "\"alg\":\"\($0)\"," } ?? ""
        return Array("{\(algorithm)\(more)\"x5c\":[\(list)]}".utf8)
    }

    var goodX5C: [String] { cast.good.chain.x5c.map(Base64.encode) }

    mutating func signed(
        _ header: [UInt8], _ changes: [String: String?] = [:], by key: PrivateKey? = nil
    ) throws -> String {
        try CompactJWS.sign(
            header: header, payload: payload(changes), with: key ?? cast.good.chain.leafKey)
    }

    mutating func genuine(_ changes: [String: String?] = [:]) throws -> String {
        try cast.good.chain.sign(payload(changes))
    }

    mutating func pick<T>(_ values: [T], _ otherwise: T) -> T {
        values.randomElement(using: &random) ?? otherwise
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// As JWS libraries that forget the JOSE form write it.
    static func der(_ raw: [UInt8]) -> [UInt8] {
        func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            let significant = Array(bytes.drop { $0 == 0 })
            let padded = (significant.first ?? 0) >= 0x80 ? [0] + significant : significant
            return [2, UInt8(padded.count)] + padded
        }
        let both = integer(raw.prefix(32)) + integer(raw.suffix(32))
        return [0x30, UInt8(both.count)] + both
    }
}
