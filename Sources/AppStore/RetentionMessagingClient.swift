package import HTTPClient
package import Retention

/// Calls the Retention Messaging API: one call, one exchange, one outcome. It repeats nothing and
/// waits for nobody's permission; whoever plans the calls knows limits and order.
///
///     call ── path? environment? ── Transport ──┬─ no answer ── notSent if certain, or unknown
///                                               └─ status ── Apple's code ── outcome
///                                                     └─ ok: content of the body, else unknown
package final class RetentionMessagingClient: Sendable {
    /// Of an answer. A list of 2,000 has about 250 KB.
    package static let responseBytesLimit = 2_000_000

    private let hosts: AppleHosts
    private let transport: Transport
    private let now: @Sendable () -> Instant

    package static var settings: TransportSettings {
        .apple(responseBytesLimit: responseBytesLimit)
    }

    package init(
        hosts: AppleHosts = .apple,
        settings: TransportSettings = RetentionMessagingClient.settings,
        now: @escaping @Sendable () -> Instant
    ) {
        self.hosts = hosts
        transport = Transport(settings)
        self.now = now
    }

    /// Blocks the calling thread for the total timeout at most.
    package func send(
        _ call: RetentionMessagingCall, in environment: StoreEnvironment, with token: BearerToken
    ) -> AppleAnswer {
        let start = ContinuousClock.now
        if call.endpoint.isSandboxOnly, environment != .sandbox {
            return AppleAnswer(
                outcome: .notSent(.sandboxOnly), status: nil, duration: start.duration(to: .now))
        }
        guard let path = call.path else {
            return AppleAnswer(
                outcome: .notSent(.badRequest), status: nil, duration: start.duration(to: .now))
        }
        var headers = [("Authorization", token.authorization), ("Accept", "application/json")]
        if let type = call.contentType { headers.append(("Content-Type", type)) }
        let request = ClientRequest(
            method: call.method, url: hosts.base(environment) + path, headers: headers,
            body: call.body,
            // A 429 to a repetition would say nothing of the first, which Apple may have taken.
            isRepeatable: !call.endpoint.isWrite)
        do {
            let response = try transport.send(request)
            return answer(to: call, response, token, start.duration(to: .now))
        } catch {
            return AppleAnswer(
                outcome: AppleOutcome(error), status: nil, appleMessage: error.message,
                duration: start.duration(to: .now))
        }
    }

    private func answer(
        to call: RetentionMessagingCall, _ response: ClientResponse, _ token: BearerToken,
        _ duration: Duration
    ) -> AppleAnswer {
        let isSuccess = (200..<300).contains(response.status)
        let refusal = isSuccess ? nil : AppleRefusal(response.body)
        let outcome = AppleOutcome.classify(
            endpoint: call.endpoint, status: response.status, errorCode: refusal?.code,
            retryAfter: response.header("Retry-After"), now: now())
        guard isSuccess else {
            return AppleAnswer(
                outcome: outcome, status: response.status, appleCode: refusal?.code,
                appleMessage: AppleExcerpt.make(
                    refusal?.message ?? response.body[...],
                    hiding: [token.secretText] + call.secrets),
                duration: duration)
        }
        guard call.endpoint.hasContent else {
            return AppleAnswer(outcome: outcome, status: response.status, duration: duration)
        }
        let content = RetentionMessagingContent.decode(response.body, of: call.endpoint)
        return AppleAnswer(
            outcome: content == nil ? .unknown(.unreadableAnswer) : outcome,
            status: response.status, content: content, duration: duration)
    }
}

extension RetentionMessagingCall {
    /// What Apple might repeat and nobody may read in a log: the token in a real-time URL.
    fileprivate var secrets: [String] {
        guard case .setRealtimeURL(let url) = self else { return [] }
        return url.split(separator: "/").suffix(1).map(String.init)
    }
}
