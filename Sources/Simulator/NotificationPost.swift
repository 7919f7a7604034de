import HTTPClient

/// Posts one signed notification, or a broken copy of it.
struct NotificationPost: Sendable {
    /// What may be wrong with a copy.
    enum Corruption: Int, Sendable, CaseIterable {
        /// One bit of the signature is another.
        case signature
        /// A letter of the payload is another.
        case payload
        /// The second half is missing.
        case truncated
        /// The body is no JSON.
        case notJSON
    }

    var memory: AppStoreMemory
    var transport: Transport

    /// - Returns: `SUCCESS`, or why not in Apple's words (`sendattemptresult`).
    func deliver(
        _ signedPayload: String, to url: String, within deadline: Duration,
        corruption: Corruption? = nil
    ) -> String {
        var body = RequestSigner.body(signedPayload: signedPayload)
        if let corruption { body = NotificationPost.broken(signedPayload, corruption) }
        let target = memory.origins.target(of: url)
        var headers = [("Content-Type", "application/json"), ("Accept", "application/json")]
        if let host = target.host { headers.append(("Host", host)) }
        do {
            let response = try transport.send(
                ClientRequest(
                    method: "POST", url: target.url, headers: headers, body: body,
                    deadline: deadline, isRepeatable: false))
            return NotificationPost.result(response, url)
        } catch {
            return RealtimePost.reason(of: error).rawValue
        }
    }

    /// Apple takes 200 to 206 for done.
    private static func result(_ response: ClientResponse, _ url: String) -> String {
        if (200...206).contains(response.status) { return SendAttempt.success }
        if (300..<400).contains(response.status), let location = response.header("Location"),
            sameBytes(location, url)
        {
            return FallbackReason.circularRedirect.rawValue
        }
        return FallbackReason.unsuccessfulHTTPResponseCode.rawValue
    }

    private static func broken(_ signedPayload: String, _ corruption: Corruption) -> [UInt8] {
        var text = Array(signedPayload.utf8)
        let dots = text.indices.filter { text[$0] == UInt8(ascii: ".") }
        guard dots.count == 2 else { return [] }
        switch corruption {
        case .signature: NotificationPost.change(&text, at: dots[1] + 1)
        case .payload: NotificationPost.change(&text, at: (dots[0] + dots[1]) / 2)
        case .truncated: text.removeLast(text.count / 2)
        case .notJSON: return Array("signedPayload=".utf8) + text
        }
        return RequestSigner.body(signedPayload: String(decoding: text, as: UTF8.self))
    }

    private static func change(_ text: inout [UInt8], at place: Int) {
        text[place] = text[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    }
}
