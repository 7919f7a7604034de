/// One answer. The server adds `Content-Length`, `Date` and, where it closes, `Connection`.
package struct Response: Sendable {
    /// 200 to 599; anything else is sent as 500 without a body.
    package var status: Int
    /// Fields to send. `Content-Length`, `Transfer-Encoding` and anything with a line break in it
    /// is left out: the server alone frames the body.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    package var departure = Departure.whole

    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package static func json(_ status: Int, _ bytes: [UInt8]) -> Response {
        Response(status: status, headers: [("Content-Type", "application/json")], body: bytes)
    }

    package static func empty(_ status: Int) -> Response { Response(status: status) }
}
