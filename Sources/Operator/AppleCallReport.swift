internal import Retention

/// The calls of the sync as Apple's side saw them.
package struct AppleCallReport: Decodable, Sendable {
    package struct Counts: Decodable, Sendable {
        package let calls: Int
        package let overLimit: Int
        package let beforeRetryAfter: Int
        package let unauthenticated: Int
    }

    package struct Call: Decodable, Sendable {
        package let appAppleId: Int64?
        package let environment: String
        package let endpoint: String?
        package let method: String
        package let identifier: String?
        package let errorCode: Int?
        package let isApplied: Bool
    }

    package let counts: Counts
    package let calls: [Call]
}

extension AppleCallReport {
    /// What was asked for before what it needs was there: a sync that keeps the order meets none.
    private static let orderCodes: [AppleErrorCode] = [
        .messageNotApproved, .imageNotApproved, .imageInUse, .noPassingTest,
    ]

    package var reads: Int { calls.count { $0.method == "GET" } }
    package var writes: Int { calls.count - reads }

    /// What no sync may do, each in a sentence.
    package var breaches: [String] {
        let counted = [
            (counts.overLimit, "calls of Apple were over a limit"),
            (counts.beforeRetryAfter, "calls of Apple came before the time it had named"),
            (counts.unauthenticated, "calls of Apple had a token that it refused"),
        ]
        let early = Self.orderCodes.map { code in
            (calls.count { $0.errorCode == code.rawValue }, "calls of Apple met \(code.rawValue)")
        }
        return (counted + early).filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    }
}
