package import FoundationEssentials
package import Retention

/// What an answer of the Retention Messaging API tells.
package enum RetentionMessagingContent: Hashable, Sendable {
    case images(AppleList<ListedImage>)
    case messages(AppleList<ListedMessage>)
    case defaultMessage(id: UUID)
    /// Its path is a secret: never log it.
    case realtimeURL(String)
    case performanceTestStarted(StartedPerformanceTest)
    case performanceTest(PerformanceTestResult)

    /// Of a URL that Apple tells.
    package static let textBytesLimit = 1_024
    /// Of the name of a state. A longer one, or none, is a state that we know nothing of.
    package static let stateBytesLimit = 64
    package static let unknownState = ReviewState(rawValue: "UNKNOWN")
    /// Of the id of a test.
    package static let requestIdBytesLimit = 200

    /// The body of a success; nil where it is not what the endpoint tells.
    package static func decode(
        _ body: [UInt8], of endpoint: AppleEndpoint
    ) -> RetentionMessagingContent? {
        guard endpoint.hasContent, let object = try? JSONObject(body) else { return nil }
        switch endpoint {
        case .getImageList:
            return list(object, "imageIdentifiers", image).map(Self.images)
        case .getMessageList:
            return list(object, "messageIdentifiers", message).map(Self.messages)
        case .getDefaultMessage:
            return object.uuid("messageIdentifier").map(Self.defaultMessage)
        case .getRealtimeURL:
            return object.text("realtimeURL").map(Self.realtimeURL)
        case .initiatePerformanceTest:
            guard let requestId = object.text("requestId"),
                (1...requestIdBytesLimit).contains(requestId.utf8.count)
            else { return nil }
            return .performanceTestStarted(
                StartedPerformanceTest(requestId: requestId, config: config(object["config"])))
        case .getPerformanceTestResults:
            return result(object).map(Self.performanceTest)
        default: return nil
        }
    }

    /// Apple's schema lets the list itself be absent when it is empty.
    private static func list<Entry>(
        _ object: JSONObject, _ key: String, _ entry: (JSONObject) -> Entry?
    ) -> AppleList<Entry>? {
        switch object[key] {
        case .array(let values)?:
            let entries = values.compactMap { JSONObject($0).flatMap(entry) }
            return AppleList(entries: entries, skipped: values.count - entries.count)
        case nil, .null?:
            return object["errorCode"] == nil ? AppleList(entries: [], skipped: 0) : nil
        default: return nil
        }
    }

    private static func image(_ object: JSONObject) -> ListedImage? {
        guard let id = object.uuid("imageIdentifier"), let state = object.state("imageState")
        else { return nil }
        // Absent means the default: the member is younger than the list.
        let size = object["imageSize"] == nil ? .fullSize : object.text("imageSize").flatMap(size)
        return ListedImage(id: id, state: state, size: size)
    }

    private static func size(_ word: String) -> ImageSize? { ImageSize(rawValue: word) }

    private static func message(_ object: JSONObject) -> ListedMessage? {
        guard let id = object.uuid("messageIdentifier"), let state = object.state("messageState")
        else { return nil }
        return ListedMessage(id: id, state: state)
    }
}

// MARK: - Performance tests

extension RetentionMessagingContent {
    /// Of requests in a test; more is no number that anybody can act on.
    private static let countLimit = 1_000_000
    /// An hour.
    private static let millisecondsLimit = 3_600_000

    private static func config(_ value: JSONValue?) -> PerformanceTestConfig? {
        guard let object = JSONObject(value),
            let concurrent = object.count("maxConcurrentRequests"),
            let total = object.count("totalRequests"), let duration = object.count("totalDuration"),
            let time = object.count("responseTimeThreshold"),
            let rate = object.count("successRateThreshold"), concurrent <= countLimit,
            total <= countLimit, duration <= millisecondsLimit, time <= millisecondsLimit,
            rate <= 100
        else { return nil }
        return PerformanceTestConfig(
            maxConcurrentRequests: concurrent, totalRequests: total,
            totalDurationMilliseconds: duration, responseTimeThresholdMilliseconds: time,
            successRateThresholdPercent: rate)
    }

    private static func result(_ object: JSONObject) -> PerformanceTestResult? {
        guard let status = object.text("result"), !status.isEmpty else { return nil }
        let members = JSONObject(object["failures"])?.members ?? []
        let failures = members.filter { isPlain($0.key) }.compactMap { member in
            count(member.value).map {
                (SendAttemptResult(rawValue: String(decoding: member.key, as: UTF8.self)), $0)
            }
        }
        return PerformanceTestResult(
            status: PerformanceTestResult.Status(rawValue: status),
            config: config(object["config"]), target: object.text("target"),
            successRatePercent: object.count("successRate"),
            pendingCount: object.count("numPending"),
            responseTimes: responseTimes(object["responseTimes"]),
            failures: Dictionary(failures, uniquingKeysWith: { first, _ in first }))
    }

    private static func responseTimes(
        _ value: JSONValue?
    ) -> PerformanceTestResult.ResponseTimes? {
        guard let object = JSONObject(value), let average = object.count("average"),
            let p50 = object.count("p50"), let p90 = object.count("p90"),
            let p95 = object.count("p95"), let p99 = object.count("p99")
        else { return nil }
        return PerformanceTestResult.ResponseTimes(
            averageMilliseconds: average, p50Milliseconds: p50, p90Milliseconds: p90,
            p95Milliseconds: p95, p99Milliseconds: p99)
    }

    /// Control characters are in nothing that Apple tells, and a database takes no NUL.
    fileprivate static func isPlain(_ text: some Sequence<UInt8>) -> Bool {
        text.allSatisfy { $0 >= 0x20 }
    }

    /// A number of things or milliseconds: whole and not negative.
    fileprivate static func count(_ value: JSONValue?) -> Int? {
        guard case .integer(let number)? = value, number >= 0 else { return nil }
        return Int(exactly: number)
    }
}

extension JSONObject {
    fileprivate func uuid(_ key: String) -> UUID? { string(key).flatMap(Hexadecimal.uuid) }

    fileprivate func text(_ key: String) -> String? {
        guard let text = string(key), text.count <= RetentionMessagingContent.textBytesLimit,
            RetentionMessagingContent.isPlain(text)
        else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    /// Of an object that is there, whatever Apple calls its state.
    fileprivate func state(_ key: String) -> ReviewState? {
        guard string(key) != nil else { return nil }
        guard let word = text(key),
            (1...RetentionMessagingContent.stateBytesLimit).contains(word.utf8.count)
        else { return RetentionMessagingContent.unknownState }
        return ReviewState(rawValue: word)
    }

    fileprivate func count(_ key: String) -> Int? { RetentionMessagingContent.count(self[key]) }
}
