/// Why the control API refused a call: a code for machines, a sentence that says what to do, and
/// for a body with several faults a list of where they are.
package struct ControlError: Error, Codable, Sendable, Equatable {
    package enum Code: String, Codable, Sendable {
        case malformedBody, invalidState, unknownApp, unknownMutation, tooMany, invalidOrigin
        case invalidQuery, signingFailed, webPage
        case impossibleEvent, unknownSubscriber
    }

    package struct Problem: Codable, Sendable, Equatable {
        /// A JSON pointer into the body.
        package var pointer: String
        package var message: String

        package init(_ pointer: String, _ message: String) {
            self.pointer = pointer
            self.message = message
        }
    }

    package var code: Code
    package var message: String
    package var problems: [Problem]

    /// How many problems are listed; the rest are counted in the sentence.
    private static let problemsLimit = 50

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
        problems = []
    }

    package init(problems: [Problem]) {
        code = .invalidState
        message =
            "Apple would not hold this state: \(problems.count) problems; correct each and send "
            + "the whole state again."
        self.problems = Array(problems.prefix(ControlError.problemsLimit))
    }

    package var status: Int {
        switch code {
        case .malformedBody, .unknownMutation, .invalidQuery: 400
        case .webPage: 403
        case .unknownApp, .unknownSubscriber: 404
        case .impossibleEvent: 409
        case .tooMany: 413
        case .invalidState, .invalidOrigin: 422
        case .signingFailed: 500
        }
    }
}
