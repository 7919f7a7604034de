internal import HTTPServer
internal import RetentionStore
internal import Signing

/// A caller's promise that two requests are the same one.
struct IdempotencyKey {
    static let header = "Idempotency-Key"
    private static let lengthLimit = 128

    let text: String
    /// Over method, target and body: another request under the same key is a mistake.
    let fingerprint: [UInt8]

    /// `nil` where the caller sent none and the operation can do without.
    init?(_ call: Call) throws(Problem) {
        guard call.operation.idempotency != .none else { return nil }
        guard let text = call.request.header(Self.header) else {
            if call.operation.idempotency == .required {
                throw Problem(
                    .idempotencyKeyRequired,
                    "Send an Idempotency-Key of your choice, so that a repeat cannot act twice.",
                    errors: [
                        FieldProblem(
                            .header(Self.header), .required, "\(Self.header) is required here.")
                    ])
            }
            return nil
        }
        guard (1...Self.lengthLimit).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            throw Problem(
                .invalidIdempotencyKey,
                "An Idempotency-Key has 1 to \(Self.lengthLimit) visible ASCII characters.")
        }
        self.text = text
        fingerprint = Self.fingerprint(of: call.request)
    }

    private static func fingerprint(of request: Request) -> [UInt8] {
        let parts: [[UInt8]] = [
            Array(request.method.rawValue.utf8), Array(request.path.utf8),
            Array((request.query ?? "").utf8), SHA256.digest(request.body),
        ]
        // No part but the last holds a line end.
        return SHA256.digest(Array(parts.joined(separator: [UInt8(ascii: "\n")])))
    }

    /// Headers that a replay repeats.
    private static let keptHeaders = ["Content-Type", "ETag", "Location", "Cache-Control"]

    func record(_ answer: Answer) -> RecordedAnswer {
        var headers: [String: JSONTree] = [:]
        for (name, value) in answer.headers where Self.keptHeaders.contains(name) {
            headers[name] = .string(value)
        }
        return RecordedAnswer(
            status: Int16(clamping: answer.status), headers: JSONTree.object(headers).bytes,
            body: answer.replayBody ?? answer.body)
    }

    func replay(_ recorded: RecordedAnswer) throws -> Answer {
        var headers = [(name: "Idempotency-Replayed", value: "true")]
        if case .object(let kept) = try JSONTree(trusted: recorded.headers) {
            for (name, value) in kept.sorted(by: { $0.key < $1.key }) {
                if case .string(let text) = value { headers.append((name, text)) }
            }
        }
        return Answer(status: Int(recorded.status), headers: headers, body: recorded.body)
    }
}
