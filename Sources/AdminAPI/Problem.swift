internal import HTTPServer

/// One thing that is wrong with a request: where, what, the limit and what was measured.
package struct FieldProblem: Hashable, Sendable {
    package enum Place: Hashable, Sendable {
        /// A JSON pointer into the body; "" is the whole.
        case pointer(String)
        case parameter(String)
        case header(String)
    }

    package enum Code: String, Sendable {
        case required, unknown, wrongType, tooLong, tooShort, outOfRange, notAllowed, unknownValue
        case badFormat, unknownReference, duplicate, nearMiss, tooMany
        case notApproved, notConfirmed, neverMatches, hidesLaterRules
        case notPNG, truncated, damaged, animated, hasAlphaChannel, transparent, wrongSize, tooLarge
    }

    package let place: Place
    package let code: Code
    /// What is wrong and what to do about it.
    package let detail: String
    package var limit: Int64?
    package var measured: Int64?
    package var unit: String?

    package init(
        _ place: Place, _ code: Code, _ detail: String, limit: Int64? = nil,
        measured: Int64? = nil, unit: String? = nil
    ) {
        self.place = place
        self.code = code
        self.detail = detail
        self.limit = limit
        self.measured = measured
        self.unit = unit
    }

    var json: JSONTree {
        var members: [String: JSONTree] = [
            "code": .string(code.rawValue), "detail": .string(detail),
        ]
        switch place {
        case .pointer(let pointer): members["pointer"] = .string(pointer)
        case .parameter(let name): members["parameter"] = .string(name)
        case .header(let name): members["header"] = .string(name)
        }
        members["limit"] = limit.map(JSONTree.integer)
        members["measured"] = measured.map(JSONTree.integer)
        members["unit"] = unit.map(JSONTree.string)
        return .object(members)
    }
}

/// Why a request is refused, as RFC 9457 writes it: a code for machines, a sentence for people.
package struct Problem: Error, Sendable {
    /// Stable: scripts depend on these words.
    package enum Code: String, Sendable, CaseIterable {
        case malformedBody, unknownParameter, invalidParameter, invalidCursor
        case idempotencyKeyRequired, invalidIdempotencyKey
        case unauthenticated, scopeMissing, notFound, methodNotAllowed
        case conflict, inUse, requestInFlight, preconditionFailed, payloadTooLarge
        case performanceTestRunning, notResubmittable
        case unsupportedMediaType, validationFailed, idempotencyKeyReused, quotaExceeded
        case preconditionRequired, rateLimited, internalError, unavailable

        var status: Int {
            switch self {
            case .malformedBody, .unknownParameter, .invalidParameter, .invalidCursor,
                .idempotencyKeyRequired, .invalidIdempotencyKey:
                400
            case .unauthenticated: 401
            case .scopeMissing: 403
            case .notFound: 404
            case .methodNotAllowed: 405
            case .conflict, .inUse, .requestInFlight, .performanceTestRunning, .notResubmittable:
                409
            case .preconditionFailed: 412
            case .payloadTooLarge: 413
            case .unsupportedMediaType: 415
            case .validationFailed, .idempotencyKeyReused, .quotaExceeded: 422
            case .preconditionRequired: 428
            case .rateLimited: 429
            case .internalError: 500
            case .unavailable: 503
            }
        }

        var title: String {
            switch self {
            case .malformedBody: "The body is not the JSON that is expected"
            case .unknownParameter: "A query parameter is not known here"
            case .invalidParameter: "A parameter has a value it cannot have"
            case .invalidCursor: "The cursor is not one of this list"
            case .idempotencyKeyRequired: "This call needs an Idempotency-Key"
            case .invalidIdempotencyKey: "The Idempotency-Key cannot be used"
            case .unauthenticated: "The API key is missing or not valid"
            case .scopeMissing: "The API key may not do this"
            case .notFound: "There is no such thing"
            case .methodNotAllowed: "The method does not exist here"
            case .conflict: "Something else has this name already"
            case .inUse: "Something still uses it"
            case .requestInFlight: "The first request with this key is still running"
            case .performanceTestRunning: "A performance test of the app is under way"
            case .notResubmittable: "It cannot be submitted to Apple anew"
            case .preconditionFailed: "It has changed since it was read"
            case .payloadTooLarge: "The body is too large"
            case .unsupportedMediaType: "The body has a type that is not taken here"
            case .validationFailed: "The request has values that cannot be accepted"
            case .idempotencyKeyReused: "The Idempotency-Key belongs to another request"
            case .quotaExceeded: "The tenant's quota is used up"
            case .preconditionRequired: "This call needs If-Match"
            case .rateLimited: "Too many requests"
            case .internalError: "Something went wrong here"
            case .unavailable: "The service cannot answer right now"
            }
        }
    }

    package let code: Code
    package let detail: String
    package var errors: [FieldProblem] = []
    package var headers: [(name: String, value: String)] = []

    package init(
        _ code: Code, _ detail: String, errors: [FieldProblem] = [],
        headers: [(name: String, value: String)] = []
    ) {
        self.code = code
        self.detail = detail
        self.errors = errors
        self.headers = headers
    }

    func response(requestId: String) -> Response {
        var members: [String: JSONTree] = [
            "type": .string("https://holdfast.dev/problems/\(code.rawValue)"),
            "title": .string(code.title), "status": .integer(Int64(code.status)),
            "detail": .string(detail), "code": .string(code.rawValue),
            "requestId": .string(requestId),
        ]
        if !errors.isEmpty { members["errors"] = .array(errors.map(\.json)) }
        return Response(
            status: code.status,
            headers: [("Content-Type", "application/problem+json")] + headers,
            body: JSONTree.object(members).bytes)
    }
}

extension Problem {
    /// The same for what is not there, what another tenant has, and what this key may not see.
    package static let notFound = Problem(
        .notFound, "There is nothing here for this API key; check the identifiers.")

    package static func malformedBody(_ what: String) -> Problem {
        Problem(.malformedBody, "The body cannot be read: \(what).")
    }

    /// So many are told at once: who has more has made the same mistake again and again.
    package static let errorsLimit = 100

    package static func validation(_ errors: [FieldProblem]) -> Problem {
        let isCut = errors.count > errorsLimit
        let count = "\(errors.count) values cannot be accepted."
        return Problem(
            .validationFailed,
            errors.count == 1
                ? errors[0].detail : isCut ? "\(count) The first \(errorsLimit) are told." : count,
            errors: Array(errors.prefix(errorsLimit)))
    }

    package static let unauthenticated = Problem(
        .unauthenticated,
        "Send Authorization: Bearer with a live API key; it may be mistyped, expired or revoked.",
        headers: [("WWW-Authenticate", "Bearer")])

    package static func unavailable(_ detail: String) -> Problem {
        Problem(.unavailable, detail, headers: [("Retry-After", "1")])
    }
}
