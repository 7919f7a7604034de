import CMicroHTTPD
import Dispatch
import Glibc
import Synchronization

/// What the library's threads share: the handler, the counts and the reaper. Everything in here is
/// immutable or atomic.
final class Front: Sendable {
    let reaper: Reaper
    private let limits: Limits
    private let meter: LoadMeter?
    private let count: @Sendable (Refusal) -> Void
    private let handler: @Sendable (Request) -> Response
    private let openConnections = Atomic<Int>(0)
    private let requestsUnderWay = Atomic<Int>(0)
    private let isDraining = Atomic<Bool>(false)
    private let drained = DispatchSemaphore(value: 0)

    init(
        limits: Limits, meter: LoadMeter?, count: @escaping @Sendable (Refusal) -> Void,
        handler: @escaping @Sendable (Request) -> Response
    ) {
        self.limits = limits
        self.meter = meter
        self.count = count
        self.handler = handler
        reaper = Reaper(count: count)
    }

    // MARK: Connections

    /// Whether one more connection may come in; one that may not is closed at once.
    func admits() -> Bool {
        if openConnections.load(ordering: .relaxed) < limits.connections { return true }
        count(.connectionLimit)
        return false
    }

    func open(socket: Int32, peer: String?) -> Exchange {
        openConnections.add(1, ordering: .relaxed)
        // The first request must come within its own deadline: who connects has something to ask.
        let deadline = Deadline(socket: socket, in: limits.requestDeadline)
        reaper.watch(deadline)
        return Exchange(deadline: deadline, peer: peer, limits: limits)
    }

    func close(_ exchange: Exchange) {
        reaper.forget(exchange.deadline)
        openConnections.subtract(1, ordering: .relaxed)
    }

    // MARK: Requests

    func begin(_ exchange: Exchange, target: [UInt8]) {
        requestsUnderWay.add(1, ordering: .sequentiallyConsistent)
        exchange.begin(target: target)
        let separators = target.count { $0 == UInt8(ascii: "&") }
        if separators >= limits.queryParameterCount {
            exchange.giveUp()
            count(.targetTooLong)
            answerAtOnce("414 URI Too Long", exchange.deadline.socket)
            // There is no way to tell the library from here: it sees the end of the connection.
            _ = shutdown(exchange.deadline.socket, Int32(SHUT_RDWR))
        }
    }

    /// Queued before the body was asked for, so the library reads none of it and closes afterwards.
    @safe func refuse(_ refusal: Refusal, on connection: OpaquePointer) -> MHD_Result {
        count(refusal)
        guard let status = refusal.status,
            let response = ResponseHandle(.empty(status), closes: true)
        else { return .NO }
        return response.queue(status: status, on: connection)
    }

    /// A body that grew over the limit is answered in the middle; some more of it is thrown away.
    func react(to taken: Exchange.Taken, _ exchange: Exchange) -> MHD_Result {
        switch taken {
        case .kept, .thrownAway: return .YES
        case .exhausted: return .NO
        case .refused:
            count(.bodyTooLarge)
            answerAtOnce("413 Content Too Large", exchange.deadline.socket)
            _ = shutdown(exchange.deadline.socket, Int32(SHUT_WR))
            return .YES
        }
    }

    /// Before the head is complete and in the middle of a body the library takes no answer. Nothing
    /// was sent on this connection since the last answer, and this is the thread that would send:
    /// so it is written here, as much of it as the socket takes at once.
    private func answerAtOnce(_ status: String, _ socket: Int32) {
        let answer = "HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        unsafe Array(answer.utf8).withUnsafeBytes {
            _ = unsafe send(
                socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
    }

    @safe func answer(
        _ exchange: Exchange, method: Method, on connection: OpaquePointer
    ) -> MHD_Result {
        guard exchange.isAnswerable else { return .NO }
        let load = meter?.begin(on: exchange.deadline.socket) ?? .none
        var response = handler(exchange.finish(method: method, load: load))
        meter?.end()
        // A handler's slip must not look like a broken connection.
        if !(200...599).contains(response.status) { response = .empty(500) }
        exchange.beginAnswer()
        guard response.departure == .whole else {
            // What follows is what was asked for, no refusal and no fault of the client's.
            exchange.giveUp()
            if response.departure.isSilence { exchange.deadline.suspend() }
            BadAnswer(
                socket: exchange.deadline.socket,
                isWanted: {
                    !self.isDraining.load(ordering: .relaxed) && !exchange.deadline.isPassed
                }
            ).send(response)
            return .NO
        }
        let closes = isDraining.load(ordering: .relaxed)
        guard let handle = ResponseHandle(response, closes: closes) else { return .NO }
        return handle.queue(status: response.status, on: connection)
    }

    func end(_ exchange: Exchange, isBroken: Bool) {
        if exchange.end(isBroken: isBroken) { count(.broken) }
        let before = requestsUnderWay.subtract(1, ordering: .sequentiallyConsistent).oldValue
        if before == 1 && isDraining.load(ordering: .sequentiallyConsistent) { drained.signal() }
    }

    // MARK: Draining

    /// From now on each answer closes its connection. Returns when no request is under way, or at
    /// the deadline; false then.
    func drain(within duration: Duration) -> Bool {
        isDraining.store(true, ordering: .sequentiallyConsistent)
        let deadline = Deadline.now() &+ duration.nanoseconds
        while requestsUnderWay.load(ordering: .sequentiallyConsistent) > 0 {
            let due = DispatchTime(uptimeNanoseconds: deadline)
            if drained.wait(timeout: due) == .timedOut { return false }
        }
        return true
    }
}
