import Foundation
import TestSupport
import Testing

/// `docs/api/openapi.json` as the tests read it.
struct OpenAPI {
    struct Operation {
        let id: String
        /// `GET`.
        let method: String
        let path: String
        /// `content:write`, or `none`.
        let scope: String
        let idempotency: String?
        let ifMatch: String?
        /// Name -> kind of thing, in the order of the path.
        let pathParameters: [(name: String, kind: String)]
        let queryParameters: [String]
        /// Media type -> example, where there is a body.
        let bodies: [(type: String, example: Any?)]
        let statuses: [String]
    }

    let root: [String: Any]
    let operations: [Operation]

    init() throws {
        let bytes = try PackageRoot.bytes(of: "docs/api/openapi.json")
        let parsed = try JSONSerialization.jsonObject(with: Data(bytes))
        let root = try #require(parsed as? [String: Any])
        self.root = root
        let paths = try #require(root["paths"] as? [String: [String: Any]])
        operations = try paths.flatMap { path, methods in
            try methods.compactMap { method, value -> Operation? in
                guard ["get", "post", "put", "patch", "delete"].contains(method),
                    let object = value as? [String: Any]
                else { return nil }
                return try Self.operation(object, method.uppercased(), path, root)
            }
        }.sorted { ($0.path, $0.method) < ($1.path, $1.method) }
    }

    private static func operation(
        _ object: [String: Any], _ method: String, _ path: String, _ root: [String: Any]
    ) throws -> Operation {
        let parameters = (object["parameters"] as? [[String: Any]] ?? []).map {
            resolve($0, root)
        }
        let named = parameters.filter { $0["in"] as? String == "path" }.compactMap { parameter in
            (parameter["name"] as? String).map {
                (name: $0, kind: parameter["x-holdfast-id"] as? String ?? "")
            }
        }
        let content = (object["requestBody"] as? [String: Any])?["content"] as? [String: Any] ?? [:]
        let bodies = content.sorted { $0.key < $1.key }.map { type, value in
            (type: type, example: example(of: value as? [String: Any] ?? [:]))
        }
        return Operation(
            id: try #require(object["operationId"] as? String), method: method, path: path,
            scope: object["x-holdfast-scope"] as? String ?? "none",
            idempotency: object["x-holdfast-idempotency"] as? String,
            ifMatch: object["x-holdfast-if-match"] as? String,
            pathParameters: path.split(separator: "/").compactMap { segment in
                named.first { "{\($0.name)}" == segment }
            },
            queryParameters: parameters.filter { $0["in"] as? String == "query" }
                .compactMap { $0["name"] as? String },
            bodies: bodies,
            statuses: (object["responses"] as? [String: Any] ?? [:]).keys.sorted())
    }

    private static func example(of content: [String: Any]) -> Any? {
        if let example = content["example"] { return example }
        let examples = content["examples"] as? [String: [String: Any]]
        return examples?.sorted { $0.key < $1.key }.first?.value["value"]
    }

    private static func resolve(
        _ object: [String: Any], _ root: [String: Any]
    ) -> [String: Any] {
        guard let reference = object["$ref"] as? String else { return object }
        return reference.split(separator: "/").dropFirst().reduce(root) { node, name in
            node[String(name)] as? [String: Any] ?? [:]
        }
    }
}
