import CMicroHTTPD
import Glibc

/// One connection's side of the conversation: the request being received and its judgement. Lives
/// as long as the connection and is touched only by the thread that serves the connection; the
/// `Deadline` in it is the part the reaper shares.
final class Exchange {
    private enum Phase {
        case waiting
        case targetSeen
        case receiving
        case refused
        /// Refused in the middle of its body, of which so many more bytes are thrown away.
        case lingering(bytesLeft: Int)
    }

    /// What of a refused body is still read, so that the client gets to see the answer: closing
    /// with bytes unread resets the connection, and the answer with it.
    private static let lingerBytesLimit = 1 << 20
    private static let lingerTime = Duration.seconds(1)

    let deadline: Deadline
    private let peer: String?
    private let limits: Limits
    private var phase = Phase.waiting
    private var target: [UInt8] = []
    private var fields = HeaderFields()
    private var body: [UInt8] = []
    private var bodyLimit = 0

    init(deadline: Deadline, peer: String?, limits: Limits) {
        self.deadline = deadline
        self.peer = peer
        self.limits = limits
    }

    /// The request's first line has come.
    func begin(target bytes: [UInt8]) {
        deadline.move(to: limits.requestDeadline)
        target = bytes
        fields.removeAll()
        body = []
        phase = .targetSeen
    }

    /// Refused before the head was complete.
    func giveUp() { phase = .refused }

    /// True if the head has not been judged yet.
    var isNew: Bool { if case .targetSeen = phase { true } else { false } }

    var targetBytes: Int { target.count }
    var fieldCount: Int { fields.count }

    func addField(name: some Collection<UInt8>, value: some Collection<UInt8>) {
        fields.append(name: name, value: value)
    }

    /// Judges the head; nil means that the body may come.
    func judge(version: Framing.Version, isShapely: Bool) -> Refusal? {
        bodyLimit = limits.bodyBytes(of: target)
        let verdict = Framing.judge(
            target: target, version: version, fields: fields, limits: limits,
            bodyLimit: bodyLimit)
        switch verdict {
        case .refused(let refusal):
            phase = .refused
            return refusal
        case .accepted where !isShapely:
            phase = .refused
            return .field
        case .accepted(let announcedBytes):
            phase = .receiving
            body.reserveCapacity(announcedBytes ?? 0)
            return nil
        }
    }

    enum Taken {
        case kept
        /// More than the limit, whatever was announced: this piece is the first too many.
        case refused
        case thrownAway
        /// Enough was thrown away.
        case exhausted
    }

    /// Takes a piece of the body.
    func take(_ bytes: UnsafeRawBufferPointer) -> Taken {
        if case .lingering(let bytesLeft) = phase {
            phase = .lingering(bytesLeft: bytesLeft - bytes.count)
            return bytes.count < bytesLeft ? .thrownAway : .exhausted
        }
        guard bytes.count <= bodyLimit - body.count else {
            phase = .lingering(bytesLeft: Exchange.lingerBytesLimit)
            deadline.move(to: Exchange.lingerTime, isIdle: true)
            body = []
            return .refused
        }
        unsafe body.append(contentsOf: bytes)
        return .kept
    }

    /// Whether there is a request to answer: none if it was refused on the way.
    var isAnswerable: Bool { if case .receiving = phase { true } else { false } }

    /// The complete request; the handler's time is its own.
    func finish(method: Method, load: RequestLoad) -> Request {
        deadline.suspend()
        defer { body = [] }
        return Request(
            method: method, target: target, fields: fields, body: body, peer: peer, load: load)
    }

    private var isRefused: Bool {
        switch phase {
        case .refused, .lingering: true
        case .waiting, .targetSeen, .receiving: false
        }
    }

    func beginAnswer() { deadline.move(to: limits.requestDeadline) }

    /// The answer is out, or the request is given up. True if it ended without having been refused
    /// by us or cut by the reaper, and yet unanswered.
    func end(isBroken: Bool) -> Bool {
        let isUncounted = isBroken && !isRefused && !deadline.isPassed
        phase = .waiting
        deadline.move(to: limits.idleTimeout, isIdle: true)
        return isUncounted
    }
}
