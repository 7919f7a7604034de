import HTTPServer
import Testing

@Suite struct RouterTests {
    private static var router: Router {
        var router = Router()
        router.on(.post, "/realtime/{token}") { _, parameters in
            Response(status: 200, body: parameters.bytes("token") ?? [])
        }
        router.on(.get, "/v1/apps/{app}/messages/{message}") { _, parameters in
            let told = (parameters["app"] ?? "nil") + " " + (parameters["message"] ?? "nil")
            return Response(status: 200, body: Array(told.utf8))
        }
        router.on(.delete, "/v1/apps/{app}/messages/{message}") { _, _ in .empty(204) }
        router.on(.get, "/") { _, _ in .json(200, Array("{}".utf8)) }
        return router
    }

    private static func respond(_ method: Method, _ target: String) -> Response {
        router.respond(to: Request(method: method, target: target))
    }

    @Test func `a segment in braces is handed on, decoded once`() {
        let plain = Self.respond(.post, "/realtime/abc?x=/y")
        #expect(plain.body == Array("abc".utf8))
        #expect(Self.respond(.post, "/realtime/a%20b%2525").body == Array("a b%25".utf8))
        #expect(Self.respond(.post, "/realtime/%FF").body == [0xFF])
        #expect(Self.respond(.get, "/v1/apps/1/messages/%C3%A9").body == Array("1 é".utf8))
        #expect(Self.respond(.get, "/v1/apps/%FF/messages/2").body == Array("nil 2".utf8))
        #expect(Self.respond(.get, "/").status == 200)
    }

    @Test(arguments: [
        "/realtime", "/realtime/", "/realtime//", "//realtime/a", "/realtime/a/", "/realtime/a/b",
        "/Realtime/a", "/realtime/a%2Fb", "/realtime/a%2fb", "/realtime/%00", "/realtime/a%00b",
        "/realtime/.", "/realtime/..", "/realtime/%2e%2e", "/realtime/%2E", "/realtime/%",
        "/realtime/%2", "/realtime/%zz", "/realtime/../realtime/a", "/x/../realtime/a", "", "*",
        "realtime/a", "http://h/realtime/a", "/v1/apps/1/messages",
    ])
    func `a path without a route, or with two readings, is not found`(target: String) {
        let response = Self.respond(.post, target)
        #expect(response.status == 404)
        #expect(response.body.isEmpty)
    }

    @Test func `a percent-encoded letter of a fixed segment is that letter`() {
        #expect(Self.respond(.post, "/real%74ime/a").status == 200)
    }

    @Test func `another method is not allowed, and the answer names those that are`() {
        let response = Self.respond(.put, "/v1/apps/1/messages/2")
        #expect(response.status == 405)
        #expect(response.body.isEmpty)
        #expect(response.headers.map { "\($0.name): \($0.value)" } == ["Allow: GET, DELETE"])
        #expect(Self.respond(.other, "/realtime/a").status == 405)
    }

    @Test func `HEAD is answered by the handler of GET`() {
        #expect(Self.respond(.head, "/").status == 200)
        #expect(Self.respond(.head, "/realtime/a").status == 405)
    }
}
