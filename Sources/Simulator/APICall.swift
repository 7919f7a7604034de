/// One call of the Retention Messaging API as it came, and what became of it.
package struct APICall: Codable, Sendable, Equatable {
    /// Milliseconds since 1970, on the simulator's clock.
    package var at: Int64
    /// The app that the token names, believed or not.
    package var appAppleId: Int64?
    package var environment: Environment
    /// Absent where Apple has no such call.
    package var endpoint: AppleEndpoint?
    package var method: String
    package var path: String
    /// The UUID of an image, message or test; `product/locale` of a default message.
    package var identifier: String?
    /// Absent where no status was sent.
    package var status: Int?
    package var errorCode: Int?
    package var fault: Fault.Kind?
    /// Whether Apple did what was asked, whatever the caller was told of it.
    package var isApplied: Bool
    /// Refused because the hour's calls were spent.
    package var overLimit: Bool
    /// Made before the time that a Retry-After had named.
    package var beforeRetryAfter: Bool
    /// Why a token was refused.
    package var explanation: String?
}

/// Counts over all calls since the last clearing.
package struct APICallCounts: Codable, Sendable, Equatable {
    package var calls = 0
    package var overLimit = 0
    package var beforeRetryAfter = 0
    /// Answered 401.
    package var unauthenticated = 0

    package init() {}
}

/// The last calls of the Retention Messaging API.
struct APICallLog: Sendable {
    /// How many are kept; older ones are counted alone.
    static let callsLimit = 20_000

    private(set) var counts = APICallCounts()
    private var calls: [APICall] = []
    private var oldest = 0

    mutating func append(_ call: APICall) {
        counts.calls += 1
        if call.overLimit { counts.overLimit += 1 }
        if call.beforeRetryAfter { counts.beforeRetryAfter += 1 }
        if call.status == 401 { counts.unauthenticated += 1 }
        guard calls.count == APICallLog.callsLimit else {
            calls.append(call)
            return
        }
        calls[oldest] = call
        oldest = (oldest + 1) % APICallLog.callsLimit
    }

    /// The last `count`, oldest first.
    func last(_ count: Int) -> [APICall] {
        Array((calls[oldest...] + calls[..<oldest]).suffix(count))
    }
}
