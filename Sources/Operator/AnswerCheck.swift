internal import Foundation

/// Whether answers are such as Apple reads: kept while load is on, looked at afterwards, so that
/// the look costs the measurement nothing.
struct AnswerCheck {
    /// Apple's names for what a 200 holds; exactly one of them stands at the top.
    /// Source: developer.apple.com/documentation/retentionmessaging/realtimeresponsebody
    private static let keys: Set<String> = [
        "message", "alternateProduct", "promotionalOffer", "advancedCommerceInfo",
    ]
    /// Of answers kept; what comes after is counted as unread, which is wrong.
    private static let bytesLimit = 512 << 20

    private var bytes: [UInt8] = []
    private var bodies: [Range<Int>] = []
    private var refusals: [Int: Int] = [:]
    private var unread = 0

    mutating func add(_ status: Int, _ body: ArraySlice<UInt8>) {
        guard status == 200 else {
            refusals[status, default: 0] += 1
            return
        }
        guard bytes.count + body.count <= Self.bytesLimit else {
            unread += 1
            return
        }
        bodies.append(bytes.count..<(bytes.count + body.count))
        bytes += body
    }

    /// Apple's key in the answer; nil where it is no answer of Apple's form.
    static func key(of body: some Collection<UInt8>) -> String? {
        let json = try? JSONSerialization.jsonObject(with: Data(body))
        guard let object = json as? [String: Any], object.count == 1, let only = object.first,
            keys.contains(only.key), let inner = only.value as? [String: Any],
            let message = inner["messageIdentifier"] as? String, UUID(uuidString: message) != nil
        else { return nil }
        let needs = only.key == "promotionalOffer" ? "promotionalOfferSignatureV2" : nil
        if let needs, (inner[needs] as? String)?.isEmpty != false { return nil }
        return only.key
    }

    func count(into result: inout LoadResult) {
        var answers: [String: Int] = [:]
        var malformed = unread
        for body in bodies {
            if let key = Self.key(of: bytes[body]) {
                answers[key, default: 0] += 1
            } else {
                malformed += 1
            }
        }
        result.take(answers: answers, refusals: refusals, malformed: malformed)
    }
}
