internal import COpenAPI
internal import HTTPServer

/// `docs/api/openapi.json`, as it was when this program was built.
package enum OpenAPIDocument {
    package static let bytes: [UInt8] = {
        let count = Int(holdfast_openapi_json_size())
        return unsafe Array(
            UnsafeBufferPointer(start: holdfast_openapi_json(), count: count))
    }()

    private static let etag = Answer.etag(of: bytes)

    static func respond(to request: Request) -> Response {
        let headers = [
            (name: "Content-Type", value: "application/json"), ("ETag", etag),
            ("Cache-Control", "public, max-age=300"),
        ]
        if let held = request.header("If-None-Match"), EntityTags(held).contain(etag) {
            return Response(status: 304, headers: Array(headers.dropFirst()))
        }
        return Response(status: 200, headers: headers, body: bytes)
    }
}
