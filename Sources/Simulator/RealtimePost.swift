import HTTPClient

/// Posts signed real-time requests to where the developer wants them.
struct RealtimePost: Sendable {
    var memory: AppStoreMemory
    var signer: RequestSigner
    var transport: Transport

    /// Measures from sending to the complete answer.
    func deliver(_ request: RealtimeRequest, to url: String) -> (Delivery, Duration) {
        let body: [UInt8]
        do {
            body = try signer.body(of: request)
        } catch {
            return (.failed(.other, "Signing the request failed: \(error)"), .zero)
        }
        let target = memory.origins.target(of: url)
        var headers = [("Content-Type", "application/json"), ("Accept", "application/json")]
        if let host = target.host { headers.append(("Host", host)) }
        let start = ContinuousClock.now
        do {
            let response = try transport.send(
                ClientRequest(
                    method: "POST", url: target.url, headers: headers, body: body, deadline: nil))
            let answer = HTTPAnswer(
                status: response.status, contentType: response.header("Content-Type"),
                location: response.header("Location"), body: response.body)
            return (.complete(answer), ContinuousClock.now - start)
        } catch {
            let elapsed = ContinuousClock.now - start
            return (.failed(RealtimePost.reason(of: error), error.message), elapsed)
        }
    }

    static func reason(of error: TransportError) -> FallbackReason {
        switch error.code {
        case .timedOut: .timedOut
        case .connectFailed: .socketIssue
        case .tls: .tlsIssue
        case .responseTooLarge: .invalidResponse
        case .interrupted: .prematureClose
        case .badURL, .badRequest: .other
        }
    }
}
