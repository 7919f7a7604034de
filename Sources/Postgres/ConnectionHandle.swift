internal import CPostgres
internal import Glibc

/// The one owner of a `PGconn`, in non-blocking mode. Closes it exactly once.
///
/// Every method returns at once; waiting is the caller's, with a deadline.
@safe final class ConnectionHandle {
    private(set) var pointer: OpaquePointer?

    /// Starts to connect. A nil means that there was no memory.
    init?(starting parameters: [(name: String, value: String)]) {
        let names = parameters.map(\.name)
        let values = parameters.map(\.value)
        let started = unsafe withCStrings(names) { names in
            unsafe withCStrings(values) { values in
                unsafe PQconnectStartParams(names, values, 1)
            }
        }
        guard let pointer = unsafe started else { return nil }
        unsafe self.pointer = pointer
        // libpq prints notices to stderr, and notices may hold values.
        unsafe PQsetNoticeReceiver(pointer, { _, _ in }, nil)
    }

    deinit { close() }

    /// Never blocks: the socket is non-blocking, so a full one only loses the goodbye.
    func close() {
        guard let old = unsafe pointer else { return }
        unsafe pointer = nil
        unsafe PQfinish(old)
    }

    var isOpen: Bool { unsafe pointer != nil && PQstatus(pointer) != CONNECTION_BAD }
    var socket: Int32 { unsafe PQsocket(pointer) }
    var isIdle: Bool { unsafe PQtransactionStatus(pointer) == PQTRANS_IDLE }
    var isInTransaction: Bool { unsafe PQtransactionStatus(pointer) == PQTRANS_INTRANS }
    var serverVersion: Int { Int(unsafe PQserverVersion(pointer)) }
    var backendPID: Int32 { unsafe PQbackendPID(pointer) }

    var host: String {
        guard let text = unsafe PQhost(pointer) else { return "" }
        return unsafe String(cString: text)
    }

    /// libpq's own words. They may quote the URL, so they never leave this module as they are.
    var errorText: String {
        guard let text = unsafe PQerrorMessage(pointer) else { return "" }
        return unsafe String(cString: text)
    }

    func connectStep() -> PostgresPollingStatusType { unsafe PQconnectPoll(pointer) }

    func beNonBlocking() -> Bool { unsafe PQsetnonblocking(pointer, 1) == 0 }

    func sendPrepare(name: String, sql: [UInt8], types: [UInt32]) -> Bool {
        unsafe (sql + [0]).withUnsafeBufferPointer { text in
            unsafe text.withMemoryRebound(to: CChar.self) { text in
                guard let text = text.baseAddress else { return false }
                return unsafe PQsendPrepare(pointer, name, text, Int32(types.count), types) == 1
            }
        }
    }

    /// Values and answer in binary.
    func sendPrepared(name: String, values: [Query.Parameter]) -> Bool {
        var arena: [UInt8] = []
        arena.reserveCapacity(values.reduce(0) { sum, value in sum + (value.bytes?.count ?? 0) })
        for value in values { arena += value.bytes ?? [] }
        let lengths = values.map { Int32(truncatingIfNeeded: $0.bytes?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: values.count)
        return unsafe arena.withUnsafeBufferPointer { arena in
            unsafe arena.withMemoryRebound(to: CChar.self) { arena in
                let pointers = unsafe addresses(of: values, in: arena)
                return unsafe PQsendQueryPrepared(
                    pointer, name, Int32(values.count), pointers, lengths, formats, 1) == 1
            }
        }
    }

    /// Simple protocol: several statements in one text, answers in text form.
    func sendScript(_ sql: [UInt8]) -> Bool {
        unsafe (sql + [0]).withUnsafeBufferPointer { text in
            unsafe text.withMemoryRebound(to: CChar.self) { text in
                unsafe PQsendQuery(pointer, text.baseAddress) == 1
            }
        }
    }

    enum Flush {
        case done
        case pending
        case failed
    }

    func flush() -> Flush {
        switch unsafe PQflush(pointer) {
        case 0: .done
        case 1: .pending
        default: .failed
        }
    }

    func consumeInput() -> Bool { unsafe PQconsumeInput(pointer) == 1 }

    /// How many notifications had come; they are let go.
    func takeNotifications() -> Int {
        var count = 0
        while let notification = unsafe PQnotifies(pointer) {
            unsafe PQfreemem(notification)
            count += 1
        }
        return count
    }

    var isBusy: Bool { unsafe PQisBusy(pointer) == 1 }

    /// Blocks while `isBusy`; nil after the last result.
    func nextResult() -> ResultHandle? {
        guard let result = unsafe PQgetResult(pointer) else { return nil }
        return unsafe ResultHandle(adopting: result)
    }
}

/// One pointer per value into the arena that holds all of them; nil is NULL. An empty value
/// needs an address too, or it would become NULL.
private func addresses(
    of values: [Query.Parameter], in arena: UnsafeBufferPointer<CChar>
) -> [UnsafePointer<CChar>?] {
    var offset = 0
    var pointers: [UnsafePointer<CChar>?] = unsafe []
    unsafe pointers.reserveCapacity(values.count)
    for value in values {
        guard let bytes = value.bytes else {
            unsafe pointers.append(nil)
            continue
        }
        let base = unsafe arena.baseAddress ?? emptyValue
        unsafe pointers.append(base + offset)
        offset += bytes.count
    }
    return unsafe pointers
}

/// Stands for the bytes of an empty value; never read, never freed.
nonisolated(unsafe) private let emptyValue: UnsafePointer<CChar> = {
    let place = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    unsafe place.initialize(to: 0)
    return unsafe UnsafePointer(place)
}()

/// A nil-terminated array of C strings, valid during the call.
private func withCStrings<R>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> R
) -> R {
    let copies = unsafe strings.map { unsafe strdup($0) }
    defer { unsafe copies.forEach { unsafe free($0) } }
    var pointers: [UnsafePointer<CChar>?] = unsafe copies.map { unsafe UnsafePointer($0) }
    unsafe pointers.append(nil)
    return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
}
