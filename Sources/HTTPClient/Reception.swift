import CCurl

/// What has come of one answer so far. Lives for one transfer on one thread; libcurl's callbacks
/// borrow it.
final class Reception {
    private let headerBytesLimit: Int
    private let bodyBytesLimit: Int
    private let isRepeatable: Bool
    private var headerBytes = 0
    private var attempts = 0
    private(set) var isHeadComplete = false
    private(set) var headers: [(name: String, value: String)] = []
    private(set) var body: [UInt8] = []
    private(set) var isOverLimit = false

    init(headerBytesLimit: Int, bodyBytesLimit: Int, isRepeatable: Bool) {
        self.headerBytesLimit = headerBytesLimit
        self.bodyBytesLimit = bodyBytesLimit
        self.isRepeatable = isRepeatable
    }

    var isRequestWritten: Bool { attempts > 0 }

    /// Called before the request is written to a connection; false ends the transfer.
    func mayWriteRequest() -> Bool {
        attempts += 1
        return attempts == 1 || isRepeatable
    }

    /// One line of the head, its line break included; false where it is too much.
    func takeHeaderLine(_ line: some BidirectionalCollection<UInt8>) -> Bool {
        headerBytes += line.count
        guard headerBytes <= headerBytesLimit else {
            isOverLimit = true
            return false
        }
        if line.starts(with: "HTTP/".utf8) {
            // A further head: that of the final answer after an interim one.
            headers = []
            isHeadComplete = false
        } else if line.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) {
            isHeadComplete = true
        } else if !isHeadComplete, let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            headers.append((text(line[..<colon]), text(line[line.index(after: colon)...])))
        }
        return true
    }

    /// A piece of the body; false where it is too much.
    func takeBody(_ piece: some Collection<UInt8>) -> Bool {
        guard piece.count <= bodyBytesLimit - body.count else {
            isOverLimit = true
            return false
        }
        body.append(contentsOf: piece)
        return true
    }

    private func text(_ bytes: some BidirectionalCollection<UInt8>) -> String {
        let blank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
        let start = bytes.drop(while: blank)
        let end = start.lastIndex { !blank($0) }.map { start.index(after: $0) } ?? start.startIndex
        return String(decoding: start[..<end], as: UTF8.self)
    }
}

// libcurl's callbacks: each borrows the reception of its transfer.

let headerCallback: curl_write_callback = { data, size, count, context in
    guard let reception = unsafe reception(context), let data = unsafe data else { return 0 }
    let line = unsafe UnsafeRawBufferPointer(start: data, count: size * count)
    return unsafe reception.takeHeaderLine(line) ? size * count : 0
}

let bodyCallback: curl_write_callback = { data, size, count, context in
    guard let reception = unsafe reception(context), let data = unsafe data else { return 0 }
    let piece = unsafe UnsafeRawBufferPointer(start: data, count: size * count)
    return unsafe reception.takeBody(piece) ? size * count : 0
}

let beforeRequestCallback: curl_prereq_callback = { context, _, _, _, _ in
    guard let reception = unsafe reception(context) else { return CURL_PREREQFUNC_ABORT }
    return reception.mayWriteRequest() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

private func reception(_ context: UnsafeMutableRawPointer?) -> Reception? {
    guard let context = unsafe context else { return nil }
    return unsafe Unmanaged<Reception>.fromOpaque(context).takeUnretainedValue()
}
