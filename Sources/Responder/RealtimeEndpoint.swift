package import AppStore
internal import FoundationEssentials
package import HTTPServer
internal import Locales
internal import Retention
internal import RetentionStore
package import Service

/// `POST /realtime/{token}`: one request, one answer, no wait for anything outside this process.
package struct RealtimeEndpoint: Sendable {
    package let apps: ServedApps
    package let verifier: SignedDataVerifier
    package let spool: DecisionSpool
    package let clock: Clock
    package let metrics: ResponderMetrics
    package let conditions: ServingConditions

    package init(
        apps: ServedApps, verifier: SignedDataVerifier, spool: DecisionSpool, clock: Clock,
        metrics: ResponderMetrics, conditions: ServingConditions = .good()
    ) {
        self.apps = apps
        self.verifier = verifier
        self.spool = spool
        self.clock = clock
        self.metrics = metrics
        self.conditions = conditions
    }

    package func respond(to request: Request, _ parameters: PathParameters) -> Response {
        let start = ContinuousClock.now
        guard let token = parameters.bytes("token"), let app = apps.find(token: token) else {
            metrics.refused.add(1, "unknownToken")
            return .empty(404)
        }
        if case .refused(let reason) = conditions.overload.admit(
            request.load, to: app.snapshot.environment)
        {
            metrics.shed.add(1, reason.rawValue)
            return .empty(503)
        }
        let now = Instant(milliseconds: clock.now())
        let asked: RealtimeRequest
        do {
            asked = try verifier.realtimeRequest(
                body: request.body, appAppleId: app.snapshot.appAppleId,
                environment: app.snapshot.environment.rawValue, nowMilliseconds: now.milliseconds)
        } catch {
            metrics.refused.add(1, error.code.rawValue)
            return .empty(error.status)
        }
        conditions.skew.note(signedDate: asked.signedDate, arrivedAt: now.milliseconds)
        let (decision, response) = answer(asked, from: app, at: now)
        let took = ContinuousClock.now - start
        spool(record(asked, app, decision, at: now, took: took))
        metrics.decided.add(1, decision.answer.kind.rawValue)
        metrics.answerSeconds.observe(ContinuousClock.now - start)
        return response
    }

    /// An offer that cannot be signed after all is not answered: the same request is decided once
    /// more without offers, so that the next rule or the default stands in.
    private func answer(
        _ asked: RealtimeRequest, from app: ServedApp, at now: Instant
    ) -> (Decision, Response) {
        let request = DecisionRequest(
            productId: asked.productId, languages: LanguageCodes.of(asked.userLocale),
            environment: app.snapshot.environment)
        let chain = app.matcher.chain(for: asked.userLocale)
        let mode = conditions.age.mode
        let decision = app.serving.decide(
            request, localeChain: chain, canSignOffers: app.offerSigner != nil, mode: mode)
        do {
            return (decision, try render(decision.answer, asked, app, at: now))
        } catch {
            metrics.offerNotSigned.add()
            let decision = app.serving.decide(
                request, localeChain: chain, canSignOffers: false, mode: mode)
            let response = try? render(decision.answer, asked, app, at: now)
            return (decision, response ?? .empty(503))
        }
    }

    private func render(
        _ answer: Answer, _ asked: RealtimeRequest, _ app: ServedApp, at now: Instant
    ) throws -> Response {
        switch answer {
        case .message(let id), .defaultMessage(let id):
            return .json(200, RealtimeResponse.message(id: id).json())
        case .alternateProduct(let id, let productId, let plan):
            let body = RealtimeResponse.alternateProduct(
                id: id, productId: productId, billingPlanType: plan?.rawValue)
            return .json(200, body.json())
        case .promotionalOffer(let id, let productId, let offerIdentifier):
            guard let signer = app.offerSigner else { throw UnsignedOffer() }
            let signature = try signer.signatureV2(
                productId: productId, offerIdentifier: offerIdentifier,
                transactionId: asked.originalTransactionId, nonce: UUID(),
                nowMilliseconds: now.milliseconds)
            let body = RealtimeResponse.promotionalOffer(id: id, signatureV2: signature)
            return .json(200, body.json())
        case .fallback:
            return .empty(503)
        }
    }

    private func record(
        _ asked: RealtimeRequest, _ app: ServedApp, _ decision: Decision, at now: Instant,
        took: Duration
    ) -> SpooledDecision {
        SpooledDecision(
            tenant: app.snapshot.tenant,
            record: DecisionRecord(
                key: app.head.key, signedDate: Instant(milliseconds: asked.signedDate),
                requestIdentifier: asked.requestIdentifier, decidedAt: now,
                originalTransactionId: asked.originalTransactionId, productId: asked.productId,
                localeAsked: asked.userLocale, decision: decision,
                snapshotNumber: app.snapshot.number,
                durationMicroseconds: Int64(took / .microseconds(1))))
    }

    /// A full disk must not cost the subscriber an answer; it costs us the record. It is counted
    /// here and logged by `LossReport`: a line for each request would fill the disk once more.
    private func spool(_ decision: SpooledDecision) {
        do {
            try spool.append(decision)
        } catch {
            metrics.spoolLost.add()
        }
    }
}

private struct UnsignedOffer: Error {}
