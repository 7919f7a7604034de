/// What the braces of a pattern stood for, percent-decoded once.
package struct PathParameters: Sendable {
    private let values: [(name: String, bytes: [UInt8])]

    init(_ values: [(name: String, bytes: [UInt8])]) { self.values = values }

    /// The decoded bytes; nil if the pattern has no such name.
    package func bytes(_ name: String) -> [UInt8]? {
        values.first { $0.name.utf8.elementsEqual(name.utf8) }?.bytes
    }

    /// The decoded text; nil also where the bytes are not UTF-8.
    package subscript(_ name: String) -> String? {
        bytes(name).flatMap { String(validating: $0, as: UTF8.self) }
    }
}

/// Chooses the handler for a path. No route is 404, a route for other methods is 405 with `Allow`;
/// both without a body. `HEAD` is answered by the handler of `GET`.
///
/// Paths are matched on their raw bytes: split at `/`, then each segment percent-decoded once. A
/// path that could be read in two ways (an empty segment, `.`, `..`, an encoded slash or NUL, a
/// broken escape) names no resource and is 404.
package struct Router: Sendable {
    package typealias Handler = @Sendable (Request, PathParameters) -> Response

    private struct Route {
        let method: Method
        let pattern: PathPattern
        let handler: Handler

        func answers(_ wanted: Method) -> Bool {
            method == wanted || (wanted == .head && method == .get)
        }
    }

    private var routes: [Route] = []

    package init() {}

    /// Adds a route; `pattern` is like `/realtime/{token}`. The first route that matches answers.
    package mutating func on(
        _ method: Method, _ pattern: String, _ handler: @escaping Handler
    ) {
        routes.append(Route(method: method, pattern: PathPattern(pattern), handler: handler))
    }

    package func respond(to request: Request) -> Response {
        guard let segments = PathPattern.segments(of: request.path.utf8) else { return .empty(404) }
        var allowed: [String] = []
        for route in routes {
            guard let parameters = route.pattern.match(segments) else { continue }
            if route.answers(request.method) { return route.handler(request, parameters) }
            allowed.append(route.method.rawValue)
        }
        if allowed.isEmpty { return .empty(404) }
        return Response(status: 405, headers: [("Allow", allowed.joined(separator: ", "))])
    }
}
