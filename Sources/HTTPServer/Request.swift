/// The method of a request. Method names are case-sensitive; whatever is not listed is `other`.
package enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"
    case other = "OTHER"

    init(token: some Collection<UInt8>) {
        let known = Method.allCases.first {
            $0 != .other && $0.rawValue.utf8.elementsEqual(token)
        }
        self = known ?? .other
    }
}

/// One complete request: its framing is unambiguous, its sizes are within the server's `Limits`.
package struct Request: Sendable {
    package let method: Method
    /// The target without its query, exactly as it came: still percent-encoded, visible ASCII only.
    package let path: String
    /// What followed the first `?`, as it came.
    package let query: String?
    package let body: [UInt8]
    /// The other end's numeric address: behind a proxy, the proxy's.
    package let peer: String?
    /// `none` unless the server's settings ask for it.
    package let load: RequestLoad
    private let fields: HeaderFields

    init(
        method: Method, target: [UInt8], fields: HeaderFields, body: [UInt8], peer: String?,
        load: RequestLoad = .none
    ) {
        let mark = target.firstIndex(of: UInt8(ascii: "?"))
        self.method = method
        self.path = String(decoding: target[..<(mark ?? target.count)], as: UTF8.self)
        self.query = mark.map { String(decoding: target[($0 + 1)...], as: UTF8.self) }
        self.fields = fields
        self.body = body
        self.peer = peer
        self.load = load
    }

    /// A request made by hand, for handlers under test.
    package init(
        method: Method, target: String, headers: [(String, String)] = [], body: [UInt8] = [],
        peer: String? = nil, load: RequestLoad = .none
    ) {
        self.init(
            method: method, target: Array(target.utf8), fields: HeaderFields(headers), body: body,
            peer: peer, load: load)
    }

    /// The value of the first field of this name, whatever the case of its letters.
    package func header(_ name: String) -> String? { fields.first(name) }
}
