internal import COpenAPI
internal import HTTPServer

/// A file of `docs/api` as it was when this program was built: served to everybody, since it holds
/// no secret and is needed before there is a key.
package struct PublicDocument: Sendable {
    /// `docs/api/openapi.json`.
    static let openAPI = PublicDocument(
        unsafe Array(
            UnsafeBufferPointer(
                start: holdfast_openapi_json(), count: Int(holdfast_openapi_json_size()))),
        type: "application/json")
    /// `docs/api/rule-set.schema.json`.
    static let ruleSetSchema = PublicDocument(
        unsafe Array(
            UnsafeBufferPointer(
                start: holdfast_rule_set_schema_json(),
                count: Int(holdfast_rule_set_schema_json_size()))),
        type: "application/schema+json")

    private let bytes: [UInt8]
    private let type: String
    private let etag: String

    private init(_ bytes: [UInt8], type: String) {
        self.bytes = bytes
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
