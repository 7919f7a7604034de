package import Signing

/// The bytes of a payload that the App Store signed.
package struct VerifiedPayload: Sendable {
    /// A strict JSON object in UTF-8.
    package let bytes: [UInt8]
    /// UNIX milliseconds.
    package let signedDateMilliseconds: Int64
}

/// Believes data that the App Store signed, and nothing else. Used from any thread.
///
/// The chain is judged at `signedDate`, so that a transaction stays true after its signer's
/// certificate has ended; what must be fresh is checked for freshness apart from that. Nothing is
/// fetched: whoever learns elsewhere that a certificate was revoked says so by `refuse`. Cheap
/// checks come first, then the signature; who the data is for is told only of genuine data, so that
/// a refusal for a wrong app or a stale date always speaks of Apple.
package final class SignedDataVerifier: Sendable {
    package struct Limits: Sendable {
        /// Headers whose chain is remembered. Apple uses one chain at a time, two around a
        /// rotation.
        package var cachedChains = 32
        /// After this a chain is verified anew.
        package var cachedChainLifetime: Duration = .seconds(15 * 60)
        /// Each costs about 3 ms of processor time.
        package var uncachedChainsPerSecond = 20
        /// Of these, for requests to one URL.
        package var uncachedChainsPerSecondOfOneURL = 5

        package init() {}
    }

    /// The end of the year 9999: no date of Apple's lies beyond.
    static let signedDateLimit: Int64 = 253_402_300_799_999

    private let anchors: TrustAnchors
    private let freshness: FreshnessWindow
    private let leaves: VerifiedLeaves
    private let gate: ChainGate
    private let refused = RefusedCertificates()

    /// - Parameter now: real time that only rises, for the age of cache entries and the budget.
    package init(
        anchors: TrustAnchors, freshness: FreshnessWindow = FreshnessWindow(),
        limits: Limits = Limits(),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.anchors = anchors
        self.freshness = freshness
        leaves = VerifiedLeaves(
            countLimit: max(1, limits.cachedChains), lifetime: limits.cachedChainLifetime, now: now)
        gate = ChainGate(
            perSecond: limits.uncachedChainsPerSecond,
            perSecondOfSource: limits.uncachedChainsPerSecondOfOneURL, now: now)
    }

    /// The payload of any data the App Store signed, in compact form: transaction, renewal info,
    /// notification, app transaction, real-time request. What it says is not judged.
    /// - Parameter undatedMilliseconds: when to judge the chain of a payload without a date;
    ///   without this such a payload is refused.
    package func verify(
        _ compact: ArraySlice<UInt8>, undatedMilliseconds: Int64? = nil
    ) throws(VerificationError) -> VerifiedPayload {
        let (jws, _, date) = try verified(compact, undatedMilliseconds: undatedMilliseconds)
        return VerifiedPayload(bytes: jws.payload, signedDateMilliseconds: date)
    }

    package func verify(
        _ compact: [UInt8], undatedMilliseconds: Int64? = nil
    ) throws(VerificationError) -> VerifiedPayload {
        try verify(compact[...], undatedMilliseconds: undatedMilliseconds)
    }

    /// The request in the body of Apple's real-time call, for this app in this environment.
    /// - Parameters:
    ///   - appAppleId: of the app whose URL was called; checked in Sandbox too.
    ///   - environment: `Production` or `Sandbox`, that of the URL. No other value, and so neither
    ///     `Xcode` nor `LocalTesting`, is ever served.
    ///   - nowMilliseconds: business time, for the freshness window.
    package func realtimeRequest(
        body: [UInt8], appAppleId: Int64, environment: String, nowMilliseconds: Int64
    ) throws(VerificationError) -> RealtimeRequest {
        let place = RealtimePlace(appAppleId: appAppleId, environment: environment)
        return try realtimeRequest(body: body, to: place, nowMilliseconds: nowMilliseconds) {
            _, _ in
        }.0
    }

    /// The same, with something to look up for it.
    ///
    /// - Parameter lookUp: called once at most, with what the request claims, and a check of its
    ///   signature that is made when it is first asked for: so that something slow can be begun
    ///   before it and awaited after it. All else was checked before. It must neither keep nor tell
    ///   what it found where the check says no; this function then throws.
    package func realtimeRequest<Found>(
        body: [UInt8], to place: RealtimePlace, nowMilliseconds: Int64,
        lookUp: (_ claimed: RealtimeRequest, _ isGenuine: () -> Bool) -> Found
    ) throws(VerificationError) -> (RealtimeRequest, Found) {
        let opened = try open(try SignedPayloadBody.compactJWS(in: body))
        // With a new chain nothing is begun: its check may take 3 ms and be refused.
        if let key = key(of: opened),
            let claimed = try? accepted(opened, for: place, nowMilliseconds: nowMilliseconds)
        {
            var verdict: Bool?
            func isGenuine() -> Bool {
                if let verdict { return verdict }
                let isSigned = opened.jws.isSigned(by: key)
                verdict = isSigned
                return isSigned
            }
            let found = lookUp(claimed, isGenuine)
            guard isGenuine() else { throw Self.badSignature }
            return (claimed, found)
        }
        let source = ChainGate.Source(
            appAppleId: place.appAppleId, environment: place.environment)
        _ = try requireGenuine(opened, for: source)
        let request = try accepted(opened, for: place, nowMilliseconds: nowMilliseconds)
        return (request, lookUp(request, { true }))
    }

    /// The URL that was called.
    package struct RealtimePlace: Sendable {
        package let appAppleId: Int64
        package let environment: String

        package init(appAppleId: Int64, environment: String) {
            self.appAppleId = appAppleId
            self.environment = environment
        }
    }

    /// What the payload says, where it is for this place and fresh. Whether it is genuine is
    /// another question.
    private func accepted(
        _ opened: Opened, for place: RealtimePlace, nowMilliseconds: Int64
    ) throws(VerificationError) -> RealtimeRequest {
        let request = try RealtimeRequest(opened.payload)
        guard Self.isServed(place.environment),
            request.environment.utf8.elementsEqual(place.environment.utf8)
        else {
            throw VerificationError(
                .wrongEnvironment, "The request is not of the environment of this URL.")
        }
        guard request.appAppleId == place.appAppleId else {
            throw VerificationError(.wrongApp, "The request is not of the app of this URL.")
        }
        let refusal = freshness.refusal(
            signedDate: request.signedDate, nowMilliseconds: nowMilliseconds)
        if let refusal { throw refusal }
        return request
    }

    private static func isServed(_ environment: String) -> Bool {
        ["Production", "Sandbox"].contains { $0.utf8.elementsEqual(environment.utf8) }
    }

    /// - Parameters:
    ///   - source: on whose account an unknown chain is checked.
    ///   - limit: longest JWS, in bytes.
    func verified(
        _ compact: ArraySlice<UInt8>, undatedMilliseconds: Int64? = nil,
        for source: ChainGate.Source? = nil, limit: Int = CompactJWS.bytesLimit
    ) throws(VerificationError) -> (CompactJWS, JSONObject, signedDate: Int64) {
        let opened = try open(compact, undatedMilliseconds: undatedMilliseconds, limit: limit)
        let date = try requireGenuine(opened, for: source)
        return (opened.jws, opened.payload, date)
    }

    /// Signed data that was read and not yet believed.
    private struct Opened {
        let jws: CompactJWS
        let payload: JSONObject
        /// nil where the payload has none in whole UNIX milliseconds.
        let date: Int64?
    }

    private func open(
        _ compact: ArraySlice<UInt8>, undatedMilliseconds: Int64? = nil,
        limit: Int = CompactJWS.bytesLimit
    ) throws(VerificationError) -> Opened {
        let jws: CompactJWS
        do { jws = try CompactJWS(compact, limit: limit) } catch {
            throw VerificationError(.jwsMalformed, error.message)
        }
        let payload: JSONObject
        do { payload = try JSONObject(jws.payload) } catch {
            throw VerificationError(
                .payloadMalformed, "The payload is not strict JSON: \(error.code.rawValue).")
        }
        let date = Self.date(of: payload, undatedMilliseconds: undatedMilliseconds)
        return Opened(jws: jws, payload: payload, date: date)
    }

    /// The leaf key of a chain that was verified before and holds at the date.
    private func key(of opened: Opened) -> PublicKey? {
        opened.date.flatMap { leaves.key(for: opened.jws.headerBytes, at: $0 / 1_000) }
    }

    /// - Returns: the date.
    private func requireGenuine(
        _ opened: Opened, for source: ChainGate.Source?
    ) throws(VerificationError) -> Int64 {
        if let date = opened.date, let key = key(of: opened) {
            try Self.requireSignature(of: opened.jws, by: key)
            return date
        }
        // The header is looked at before a missing date is: data signed by Xcode, whose dates have
        // fractions, is to be told that its chain is wrong.
        let x5c = try Self.certificates(of: opened.jws)
        guard let date = opened.date else {
            throw VerificationError(
                .payloadMalformed, "The payload has no signedDate in whole UNIX milliseconds.")
        }
        try verifyNewChain(x5c, of: opened.jws, at: date / 1_000, for: source)
        return date
    }

    /// `signedDate`; an app transaction calls it `receiptCreationDate`. nil when it is no date.
    private static func date(of payload: JSONObject, undatedMilliseconds: Int64?) -> Int64? {
        let value = payload["signedDate"] ?? payload["receiptCreationDate"]
        guard let value else { return undatedMilliseconds }
        guard case .integer(let milliseconds) = value, milliseconds >= 0,
            milliseconds <= signedDateLimit
        else { return nil }
        return milliseconds
    }

    private func verifyNewChain(
        _ x5c: [[UInt8]], of jws: CompactJWS, at unixSeconds: Int64, for source: ChainGate.Source?
    ) throws(VerificationError) {
        let candidate = try examined(x5c, at: unixSeconds)
        // Before the path: whoever adds a member to a genuine header must not spend the budget
        // with it.
        try Self.requireSignature(of: jws, by: candidate.leafKey)
        try gate.verifyPath(
            of: candidate, for: source,
            unless: { leaves.key(for: jws.headerBytes, at: unixSeconds) == candidate.leafKey },
            isRenewal: { leaves.hasHeld(jws.headerBytes) },
            remember: { leaves.insert(candidate, for: jws.headerBytes) })
        try forgetIfRefused(candidate)
    }

    private func examined(
        _ x5c: [[UInt8]], at unixSeconds: Int64
    ) throws(VerificationError) -> TrustAnchors.Candidate {
        let candidate: TrustAnchors.Candidate
        do { candidate = try anchors.examine(x5c: x5c, at: unixSeconds) } catch {
            throw VerificationError(error)
        }
        try forgetIfRefused(candidate)
        return candidate
    }

    /// Looked at once more behind the path: a certificate that was refused in the meantime may have
    /// been forgotten before this chain was remembered.
    private func forgetIfRefused(
        _ candidate: TrustAnchors.Candidate
    ) throws(VerificationError) {
        for certificate in [candidate.leaf, candidate.intermediate]
        where refused.contains(certificate.sha256) {
            leaves.removeAll(holding: certificate.sha256)
            throw VerificationError(
                .chainRevoked, "A certificate of the chain was revoked by its issuer.")
        }
    }

    private static func certificates(of jws: CompactJWS) throws(VerificationError) -> [[UInt8]] {
        let header: [UInt8]
        do { header = try jws.header } catch {
            throw VerificationError(.jwsMalformed, error.message)
        }
        return try SignedHeader.certificates(in: header)
    }

    private static func requireSignature(
        of jws: CompactJWS, by key: PublicKey
    ) throws(VerificationError) {
        guard jws.isSigned(by: key) else { throw badSignature }
    }

    private static let badSignature = VerificationError(
        .badSignature, "The signature is not the leaf's.")
}

// What a restart, and a look at revocation apart from requests, need to know and to say.
extension SignedDataVerifier {
    /// The chains that are remembered, those whose time is over included.
    package var rememberedChains: [VerifiedChain] { leaves.chains }

    /// Rises whenever other chains are remembered or another certificate is refused.
    package var generation: Int { leaves.generation + refused.generation }

    /// Certificate paths validated in answer to signed data since the start.
    package var pathChecks: Int { gate.checks }

    package var refusedCertificates: [[UInt8]] { refused.all }

    /// From now on no chain with this certificate in it is believed, whether remembered or new.
    /// - Parameter sha256: of the certificate's DER.
    package func refuse(certificate sha256: [UInt8]) {
        // In this order: a chain that is verified meanwhile is remembered before it is looked up
        // among the refused.
        guard refused.insert(sha256) else { return }
        leaves.removeAll(holding: sha256)
    }

    /// Remembers the chain under a header that was remembered by an earlier process, after all
    /// that is checked of a new one but a signature. Costs 3 ms: before the first request.
    /// - Parameter unixSeconds: now; a chain that has ended is refused.
    package func warm(
        _ header: [UInt8], at unixSeconds: Int64
    ) throws(VerificationError) {
        guard let decoded = Base64URL.decode(header) else {
            throw VerificationError(.jwsMalformed, "The header is no canonical base64url.")
        }
        let x5c = try SignedHeader.certificates(in: decoded)
        let candidate = try examined(x5c, at: unixSeconds)
        do throws(ChainError) { try candidate.verifyPath() } catch {
            throw VerificationError(error)
        }
        leaves.insert(candidate, for: header[...])
        try forgetIfRefused(candidate)
    }
}
