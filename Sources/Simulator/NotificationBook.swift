/// One attempt to bring a notification to the developer (`sendAttemptItem`).
package struct SendAttempt: Codable, Sendable, Equatable {
    /// Milliseconds since 1970, on the simulator's clock.
    package var attemptDate: Int64
    /// `SUCCESS`, or why not in Apple's words.
    package var sendAttemptResult: String

    static let success = "SUCCESS"
}

/// A notification that was made, and how its way to the developer went.
struct NotificationRecord: Sendable {
    let uuid: String
    let type: String
    let subtype: String?
    let signedDate: Int64
    /// The customer whom it is about.
    let appTransactionId: String?
    let originalTransactionId: String?
    let signed: SignedNotification
    /// Whether there was a URL to send it to. Without one Apple has sent nothing, and its history
    /// holds nothing.
    let isSent: Bool
    var attempts: [SendAttempt] = []

    var isDelivered: Bool { attempts.last?.sendAttemptResult == SendAttempt.success }
}

/// The notifications of one app, in the order they were made.
struct NotificationBook: Sendable {
    /// Past it the oldest are forgotten; with two documents each has 2 to 3 KB.
    static let recordsLimit = 200_000

    private var records: [NotificationRecord] = []
    /// The number of the first that is kept.
    private(set) var first = 0
    private(set) var dropped = 0

    var end: Int { first + records.count }

    mutating func append(_ record: NotificationRecord) -> Int {
        if records.count >= NotificationBook.recordsLimit {
            let surplus = NotificationBook.recordsLimit / 10
            records.removeFirst(surplus)
            first += surplus
        }
        records.append(record)
        return end - 1
    }

    func record(_ number: Int) -> NotificationRecord? {
        guard number >= first, number < end else { return nil }
        return records[number - first]
    }

    mutating func record(_ attempt: SendAttempt, of number: Int) {
        guard number >= first, number < end else { return }
        records[number - first].attempts.append(attempt)
    }

    /// One that the queue had no room for: only the history has it.
    mutating func countDropped() { dropped += 1 }

    /// Those from `number` on, in their order.
    func records(from number: Int) -> ArraySlice<NotificationRecord> {
        records[max(0, min(number - first, records.count))...]
    }

    func number(ofTest token: String) -> Int? {
        records.lastIndex { $0.type == NotificationType.test.rawValue && $0.testToken == token }
            .map { $0 + first }
    }
}

extension NotificationRecord {
    /// As Apple's samples have it: a UUID, and milliseconds.
    var testToken: String { "\(uuid)_\(signedDate)" }
}
