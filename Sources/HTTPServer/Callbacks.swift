import CMicroHTTPD
import Glibc

// The library's callbacks. Each finds the `Front` in the context handed to the daemon and the
// `Exchange` in the connection's own context, and says nothing else. The exchange is retained when
// the connection starts and released when it closes; in between everybody borrows it.

let acceptCallback: MHD_AcceptPolicyCallback = { context, _, _ in
    guard let front = unsafe borrowed(context, Front.self) else { return .NO }
    return front.admits() ? .YES : .NO
}

let connectionCallback: MHD_NotifyConnectionCallback = { context, connection, slot, code in
    guard let front = unsafe borrowed(context, Front.self), let slot = unsafe slot,
        let connection = unsafe connection
    else { return }
    if code == .CONNECTION_NOTIFY_STARTED {
        let exchange = front.open(
            socket: unsafe holdfast_connection_socket(connection),
            peer: SocketAddress.text(of: unsafe holdfast_connection_peer(connection)))
        unsafe slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
    } else if let kept = unsafe slot.pointee {
        unsafe slot.pointee = nil
        front.close(unsafe Unmanaged<Exchange>.fromOpaque(kept).takeRetainedValue())
    }
}

/// The first line of a request has been read and nothing of it was changed yet.
let targetCallback: HoldfastTargetCallback = { context, target, connection in
    guard let front = unsafe borrowed(context, Front.self),
        let exchange = unsafe exchange(of: connection)
    else { return nil }
    let bytes = unsafe target.map {
        unsafe [UInt8](UnsafeRawBufferPointer(start: $0, count: strlen($0)))
    }
    front.begin(exchange, target: bytes ?? [])
    return nil
}

let handleCallback: MHD_AccessHandlerCallback = {
    context, connection, _, method, version, data, size, _ in
    guard let front = unsafe borrowed(context, Front.self), let connection = unsafe connection,
        let exchange = unsafe exchange(of: connection), let size = unsafe size
    else { return .NO }
    if exchange.isNew {
        unsafe collectFields(of: connection, into: exchange)
        let isShapely = unsafe isHeadWellFormed(connection, method, version, exchange)
        let refusal = unsafe exchange.judge(
            version: framingVersion(version), isShapely: isShapely)
        return refusal.map { front.refuse($0, on: connection) } ?? .YES
    }
    if unsafe size.pointee > 0 {
        let piece = unsafe UnsafeRawBufferPointer(start: data, count: size.pointee)
        unsafe size.pointee = 0
        return front.react(to: unsafe exchange.take(piece), exchange)
    }
    return unsafe front.answer(exchange, method: framingMethod(method), on: connection)
}

let completedCallback: MHD_RequestCompletedCallback = { context, connection, _, code in
    guard let front = unsafe borrowed(context, Front.self),
        let exchange = unsafe exchange(of: connection)
    else { return }
    front.end(exchange, isBroken: code != .REQUEST_TERMINATED_COMPLETED_OK)
}

private let fieldCallback: MHD_KeyValueIteratorN = {
    context, _, name, nameBytes, value, valueBytes in
    guard let exchange = unsafe borrowed(context, Exchange.self) else { return .NO }
    unsafe exchange.addField(
        name: UnsafeRawBufferPointer(start: name, count: name == nil ? 0 : nameBytes),
        value: UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueBytes))
    return .YES
}

private func collectFields(of connection: OpaquePointer, into exchange: Exchange) {
    _ = unsafe MHD_get_connection_values_n(
        connection, .HEADER_KIND, fieldCallback, Unmanaged.passUnretained(exchange).toOpaque())
}

private func isHeadWellFormed(
    _ connection: OpaquePointer, _ method: UnsafePointer<CChar>?,
    _ version: UnsafePointer<CChar>?, _ exchange: Exchange
) -> Bool {
    guard let method = unsafe method, let version = unsafe version else { return false }
    let head = unsafe UnsafeRawBufferPointer(
        start: method, count: holdfast_connection_head_bytes(connection))
    return unsafe HeadScan.isWellFormed(
        head, targetBytes: exchange.targetBytes, versionOffset: version - method,
        fieldCount: exchange.fieldCount)
}

private func borrowed<T: AnyObject>(_ context: UnsafeMutableRawPointer?, _: T.Type) -> T? {
    guard let context = unsafe context else { return nil }
    return unsafe Unmanaged<T>.fromOpaque(context).takeUnretainedValue()
}

private func exchange(of connection: OpaquePointer?) -> Exchange? {
    guard let connection = unsafe connection else { return nil }
    return unsafe borrowed(holdfast_connection_context(connection), Exchange.self)
}

private func framingVersion(_ text: UnsafePointer<CChar>?) -> Framing.Version {
    guard let text = unsafe text else { return .other }
    if unsafe strcmp(text, MHD_HTTP_VERSION_1_1) == 0 { return .http11 }
    return unsafe strcmp(text, MHD_HTTP_VERSION_1_0) == 0 ? .http10 : .other
}

private func framingMethod(_ text: UnsafePointer<CChar>?) -> Method {
    guard let text = unsafe text else { return .other }
    return unsafe Method(token: UnsafeRawBufferPointer(start: text, count: strlen(text)))
}
