import FoundationEssentials
package import HTTPClient
package import Service
import Signing
import Synchronization

/// Plays subscription pages as the App Store does:
///
/// ```
/// view ─► preconditions ─► sign ─► POST to the real-time URL ─► judge ─► layers ─► result
///             │ not met                (measured on a                      ▲
///             └────────────────────────monotonic clock)────────────────────┘
/// ```
package final class SubscriptionPages: Sendable {
    /// One answer of this size is read whole and judged as too large; beyond it reading stops.
    static let answerBytesLimit = 1_048_576

    private let memory: AppStoreMemory
    private let post: RealtimePost
    private let clock: Clock
    private let answerDeadline: Duration
    /// What the books say where the view is silent; nil where the subscription is not in them.
    private let isActive: @Sendable (PageView) -> Bool?
    private let team: ThreadTeam
    private let isCeasing = Atomic(false)

    package init(
        memory: AppStoreMemory, signer: RequestSigner, transport: Transport, clock: Clock,
        callsAtOnce: Int, answerDeadline: Duration = AnswerJudge.deadline,
        isActive: @escaping @Sendable (PageView) -> Bool? = { _ in nil }
    ) {
        self.isActive = isActive
        self.answerDeadline = answerDeadline
        self.memory = memory
        post = RealtimePost(memory: memory, signer: signer, transport: transport)
        self.clock = clock
        team = ThreadTeam(threads: callsAtOnce)
    }

    /// Plays all views, several at a time, and answers in their order.
    package func play(_ views: [PageView]) -> [PageViewResult] {
        team.map(views) { self.play($0) }
    }

    /// From now on views are not called for: the process is about to end.
    package func cease() {
        isCeasing.store(true, ordering: .relaxed)
    }

    package func play(_ view: PageView) -> PageViewResult {
        let place = AppStoreMemory.Place(
            appAppleId: view.appAppleId, environment: view.environment)
        let catalog = memory.catalog(place)
        let locale = AppStoreLocale.matching(view.userLocale)
        let reason =
            isCeasing.load(ordering: .relaxed)
            ? NotCalledReason.stopping
            : reasonNotToCall(view, catalog, locale)
        if let reason {
            let result = uncalled(view, reason, catalog, locale)
            memory.record(result, call: nil)
            return result
        }
        guard let catalog, let url = catalog.state.realtimeURL else {
            return uncalled(view, .noRealtimeURL, catalog, locale)
        }
        let (result, call) = called(view, catalog, locale, url)
        memory.record(result, call: call)
        return result
    }

    /// Nil where every condition for a call holds
    /// (`retentionmessaging/setting-up-retention-messaging-endpoint`).
    private func reasonNotToCall(
        _ view: PageView, _ catalog: AppCatalog?, _ locale: String?
    ) -> NotCalledReason? {
        guard let catalog else { return .appUnknown }
        guard catalog.product(view.productId) != nil else { return .productUnknown }
        guard view.isActive ?? isActive(view) ?? true else { return .subscriptionNotActive }
        guard let locale,
            catalog.defaultMessage(productId: view.productId, locale: locale) != nil
        else { return .noDefaultMessage }
        return catalog.state.realtimeURL == nil ? .noRealtimeURL : nil
    }

    private func uncalled(
        _ view: PageView, _ reason: NotCalledReason, _ catalog: AppCatalog?, _ locale: String?
    ) -> PageViewResult {
        var display = Display.nothing
        if reason == .noRealtimeURL, let catalog {
            display = layers(catalog, view).display(
                realtime: nil, originalTransactionId: view.originalTransactionId,
                productId: view.productId, locale: locale)
        }
        var result = PageViewResult(
            view, appStoreLocale: locale, explanation: reason.explanation, display: display)
        result.notCalledReason = reason
        return result
    }

    private func layers(_ catalog: AppCatalog, _ view: PageView) -> FallbackLayers {
        let place = AppStoreMemory.Place(
            appAppleId: view.appAppleId, environment: view.environment)
        return FallbackLayers(catalog: catalog, behaviour: memory.behaviour(place))
    }
}

extension SubscriptionPages {
    private func called(
        _ view: PageView, _ catalog: AppCatalog, _ locale: String?, _ url: String
    ) -> (PageViewResult, Call) {
        let layers = layers(catalog, view)
        let request = RealtimeRequest(
            originalTransactionId: view.originalTransactionId, appAppleId: view.appAppleId,
            productId: view.productId, userLocale: view.userLocale,
            requestIdentifier: UUID().lowerCase, environment: view.environment,
            signedDate: clock.now())
        let (delivery, measured) = post.deliver(request, to: url)
        let elapsed = measured + .milliseconds(layers.behaviour.transitMilliseconds)
        let place = AppStoreMemory.Place(
            appAppleId: view.appAppleId, environment: view.environment)
        let verdict = AnswerJudge(
            catalog: catalog, request: request, url: url, nowMilliseconds: clock.now(),
            deadline: answerDeadline, isNewNonce: { self.memory.isNew($0, at: place) }
        ).judge(delivery, elapsed: elapsed)
        var realtime: Display?
        if case .shown(let display) = verdict.outcome { realtime = display }
        let display = layers.display(
            realtime: realtime, originalTransactionId: view.originalTransactionId,
            productId: view.productId, locale: locale)
        var result = PageViewResult(
            view, appStoreLocale: locale,
            explanation: "The real-time answer keeps Apple's rules.", display: display)
        result.called = true
        result.requestIdentifier = request.requestIdentifier
        result.milliseconds = elapsed / .milliseconds(1)
        result.broken = verdict.broken
        if case .fallback(let reason, let explanation) = verdict.outcome {
            result.fallbackReason = reason
            result.explanation = explanation
        }
        var body: [UInt8] = []
        if case .complete(let answer) = delivery {
            result.httpStatus = answer.status
            body = answer.body
        }
        return (result, Call(url: url, result: result, answer: body))
    }
}
