package import AppStore
package import HTTPServer
internal import Retention
internal import RetentionStore
package import Service

/// `POST /realtime/{token}`: one request, one answer. What an answer may wait for is one look for
/// the subscriber, within a limit of its own, and only where a rule asks.
package struct RealtimeEndpoint: Sendable {
    package let apps: ServedApps
    package let verifier: SignedDataVerifier
    package let sources: DecisionSources
    package let spool: DecisionSpool
    package let clock: Clock
    package let metrics: ResponderMetrics
    package let conditions: ServingConditions

    package init(
        apps: ServedApps, verifier: SignedDataVerifier, sources: DecisionSources = .none,
        spool: DecisionSpool, clock: Clock, metrics: ResponderMetrics,
        conditions: ServingConditions = .good()
    ) {
        self.apps = apps
        self.verifier = verifier
        self.sources = sources
        self.spool = spool
        self.clock = clock
        self.metrics = metrics
        self.conditions = conditions
    }

    /// The routes of a responder.
    package var router: Router {
        var router = Router()
        router.on(.post, "/realtime/{token}") { respond(to: $0, $1) }
        return router
    }

    package var handler: @Sendable (Request) -> Response {
        let router = router
        return { router.respond(to: $0) }
    }

    private func respond(to request: Request, _ parameters: PathParameters) -> Response {
        var watch = Stopwatch()
        guard let token = parameters.bytes("token"), let app = apps.find(token: token) else {
            metrics.refused.add(1, "unknownToken")
            return .empty(404)
        }
        let skipsLookUps: Bool
        switch conditions.overload.admit(request.load, to: app.snapshot.environment) {
        case .answered(let skips): skipsLookUps = skips
        case .refused(let reason):
            metrics.shed.add(1, reason.rawValue)
            return .empty(503)
        }
        let now = Instant(milliseconds: clock.now())
        let asked: RealtimeRequest
        let found: Found
        do {
            (asked, found) = try read(request, for: app, at: now, skipsLookUps: skipsLookUps)
        } catch {
            metrics.refused.add(1, error.code.rawValue)
            return .empty(error.status)
        }
        conditions.skew.note(signedDate: asked.signedDate, arrivedAt: now.milliseconds)
        let lookup = found.waitedMicroseconds
        let verify = watch.step() - lookup
        let (subscriber, source) = (found.subscriber, found.source)
        let answered = answer(asked, from: app, subscriber, at: now, &watch)
        let basis = DecisionBasis(
            source: source, inputs: answered.inputs,
            timings: DecisionTimings(
                verify: verify, lookup: lookup, decide: answered.decideMicroseconds,
                sign: watch.step()))
        let took = watch.nanoseconds
        spool(record(asked, app, answered.decision, basis, at: now, tookNanoseconds: took))
        metrics.decided(answered.decision.answer.kind)
        metrics.answer(tookNanoseconds: watch.nanoseconds)
        return answered.response
    }

    private struct Found {
        let subscriber: KnownSubscriber
        let source: ProfileSource
        /// For the look-up alone: what it took beyond the check of the signature.
        let waitedMicroseconds: Int64
    }

    /// The request, and its subscriber, who is looked up while the signature is checked.
    private func read(
        _ request: Request, for app: ServedApp, at now: Instant, skipsLookUps: Bool
    ) throws(VerificationError) -> (RealtimeRequest, Found) {
        try verifier.realtimeRequest(
            body: request.body,
            to: SignedDataVerifier.RealtimePlace(
                appAppleId: app.snapshot.appAppleId,
                environment: app.snapshot.environment.rawValue),
            nowMilliseconds: now.milliseconds
        ) { claimed, isGenuine in
            guard app.serving.asksForSubscriber else {
                return Found(subscriber: .notNeeded, source: .notNeeded, waitedMicroseconds: 0)
            }
            var watch = Stopwatch()
            var checking: Int64 = 0
            let (subscriber, source) = sources.subscriber(
                app.head.tenant, app.head.key, claimed.originalTransactionId, !skipsLookUps
            ) {
                _ = watch.step()
                defer { checking += watch.step() }
                return isGenuine()
            }
            return Found(
                subscriber: subscriber, source: source,
                waitedMicroseconds: max(0, watch.nanoseconds / 1_000 - checking))
        }
    }

    private struct Answered {
        let decision: Decision
        let response: Response
        let inputs: RecordedInputs
        let decideMicroseconds: Int64
    }

    /// An offer that cannot be signed after all is not answered: the same request is decided once
    /// more without offers, so that the next rule or the default stands in.
    private func answer(
        _ asked: RealtimeRequest, from app: ServedApp, _ subscriber: KnownSubscriber,
        at now: Instant, _ watch: inout Stopwatch
    ) -> Answered {
        let recorded = RecordedInputs(
            subscriber: subscriber, budget: sources.budget(app, now), mode: mode,
            canSignOffers: app.offerSigner != nil)
        let decision = decide(asked, app, recorded, at: now)
        let decided = watch.step()
        do {
            return Answered(
                decision: decision, response: try render(decision.answer, asked, app, at: now),
                inputs: recorded, decideMicroseconds: decided)
        } catch {
            metrics.offerNotSigned.add()
            let unsigned = recorded.withoutOffers
            let decision = decide(asked, app, unsigned, at: now)
            let response = try? render(decision.answer, asked, app, at: now)
            return Answered(
                decision: decision, response: response ?? .empty(503), inputs: unsigned,
                decideMicroseconds: decided)
        }
    }

    /// Of what the two know of, the older counts.
    private var mode: ServingMode {
        let (snapshots, subscribers) = (conditions.age.mode, sources.mode)
        return snapshots.rank > subscribers.rank ? snapshots : subscribers
    }

    private func decide(
        _ asked: RealtimeRequest, _ app: ServedApp, _ recorded: RecordedInputs, at now: Instant
    ) -> Decision {
        let question = AskedDecision(
            productId: asked.productId, userLocale: asked.userLocale,
            originalTransactionId: asked.originalTransactionId,
            environment: app.snapshot.environment)
        return app.serving.decide(question.inputs(recorded, app.matcher, at: now))
    }

    private func render(
        _ answer: Answer, _ asked: RealtimeRequest, _ app: ServedApp, at now: Instant
    ) throws -> Response {
        switch answer {
        case .message(let id), .defaultMessage(let id), .appStoreConnectMessage(let id):
            return .json(200, RealtimeResponse.message(id: id).json())
        case .alternateProduct(let id, let productId, let plan):
            let body = RealtimeResponse.alternateProduct(
                id: id, productId: productId, billingPlanType: plan?.rawValue)
            return .json(200, body.json())
        case .promotionalOffer(let id, let productId, let offerIdentifier, let signature):
            guard let signer = app.offerSigner else { throw UnsignedOffer() }
            switch signature {
            case .v1:
                let signed = try signer.signatureV1(
                    productId: productId, offerIdentifier: offerIdentifier, appAccountToken: nil,
                    nonce: .version4(), nowMilliseconds: now.milliseconds)
                return .json(
                    200, RealtimeResponse.promotionalOfferV1(id: id, signature: signed).json())
            case .v2:
                let signed = try signer.signatureV2(
                    productId: productId, offerIdentifier: offerIdentifier,
                    transactionId: asked.originalTransactionId, nonce: .version4(),
                    nowMilliseconds: now.milliseconds)
                return .json(
                    200, RealtimeResponse.promotionalOffer(id: id, signatureV2: signed).json())
            }
        case .fallback:
            return .empty(503)
        }
    }

    private func record(
        _ asked: RealtimeRequest, _ app: ServedApp, _ decision: Decision, _ basis: DecisionBasis,
        at now: Instant, tookNanoseconds: Int64
    ) -> SpooledDecision {
        SpooledDecision(
            tenant: app.snapshot.tenant,
            record: DecisionRecord(
                key: app.head.key, signedDate: Instant(milliseconds: asked.signedDate),
                requestIdentifier: asked.requestIdentifier, decidedAt: now,
                originalTransactionId: asked.originalTransactionId, productId: asked.productId,
                localeAsked: SpooledDecision.cut(asked.userLocale), decision: decision,
                snapshotNumber: app.snapshot.number, durationMicroseconds: tookNanoseconds / 1_000,
                basis: basis))
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
