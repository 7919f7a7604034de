import Signing

/// One call of a real-time URL with the answer as it came.
package struct Call: Codable, Sendable, Equatable {
    /// How much of an answer's body is kept.
    private static let answerBytesLimit = 8192

    package var url: String
    package var result: PageViewResult
    /// The body where it is UTF-8.
    package var answerText: String?
    /// The body where it is not.
    package var answerBase64: String?
    /// The whole body's size; more than what is kept where the body was cut.
    package var answerBytes: Int

    init(url: String, result: PageViewResult, answer: [UInt8]) {
        self.url = url
        self.result = result
        answerBytes = answer.count
        let kept = Array(answer.prefix(Call.answerBytesLimit))
        answerText = String(validating: kept, as: UTF8.self)
        if answerText == nil { answerBase64 = Base64.encode(kept) }
    }
}

/// The last calls, newest first when read.
struct CallLog: Sendable {
    /// How many calls are kept.
    static let callsLimit = 1000

    private var calls: [Call] = []
    private var oldest = 0

    mutating func append(_ call: Call) {
        guard calls.count == CallLog.callsLimit else {
            calls.append(call)
            return
        }
        calls[oldest] = call
        oldest = (oldest + 1) % CallLog.callsLimit
    }

    func last(_ count: Int) -> [Call] {
        Array((calls[oldest...] + calls[..<oldest]).reversed().prefix(count))
    }
}
