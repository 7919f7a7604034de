internal import COpenAPI
internal import HTTPServer

/// A file of `docs/api` as it was when this program was built: served to everybody, since it holds
/// no secret and is needed before there is a key.
package struct PublicDocument: Sendable {
    /// `docs/api/openapi.json`.
    static let openAPI = PublicDocument(
        count: Int(holdfast_openapi_json_size()), start: unsafe holdfast_openapi_json(),
        type: "application/json")
    /// `docs/api/rule-set.schema.json`.
    static let ruleSetSchema = PublicDocument(
        count: Int(holdfast_rule_set_schema_json_size()),
        start: unsafe holdfast_rule_set_schema_json(), type: "application/schema+json")

    private let bytes: [UInt8]
    private let type: String
    private let etag: String

    private init(count: Int, start: UnsafePointer<UInt8>?, type: String) {
        bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
        self.type = type
        etag = Answer.etag(of: bytes)
    }

    func respond(to request: Request) -> Response {
        let headers = [
            (name: "Content-Type", value: type), ("ETag", etag),
            ("Cache-Control", "public, max-age=300"),
        ]
        if let held = request.header("If-None-Match"), EntityTags(held).contain(etag) {
            return Response(status: 304, headers: Array(headers.dropFirst()))
        }
        return Response(status: 200, headers: headers, body: bytes)
    }
}
