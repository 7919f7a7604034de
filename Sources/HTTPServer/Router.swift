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

/// What stands behind each method and path, whatever it is.
///
/// Paths are matched on their raw bytes: split at `/`, then each segment percent-decoded once. A
/// path that could be read in two ways (an empty segment, `.`, `..`, an encoded slash or NUL, a
/// broken escape) names no resource and is not found.
package struct RouteTable<Target: Sendable>: Sendable {
    package enum Match {
        case found(Target, PathParameters)
        case notFound
        /// The path exists for these methods only.
        case methodNotAllowed([Method])
    }

    private struct Route {
        let method: Method
        let pattern: PathPattern
        let target: Target

        func answers(_ wanted: Method) -> Bool {
            method == wanted || (wanted == .head && method == .get)
        }
    }

    private var routes: [Route] = []

    package init() {}

    /// Adds a route; `pattern` is like `/realtime/{token}`. The first route that matches is taken.
    /// `HEAD` takes the route of `GET`.
    package mutating func add(_ method: Method, _ pattern: String, _ target: Target) {
        routes.append(Route(method: method, pattern: PathPattern(pattern), target: target))
    }

    package func match(_ request: Request) -> Match {
        guard let segments = PathPattern.segments(of: request.path.utf8) else { return .notFound }
        var allowed: [Method] = []
        for route in routes {
            guard let parameters = route.pattern.match(segments) else { continue }
            if route.answers(request.method) { return .found(route.target, parameters) }
            allowed.append(route.method)
        }
        return allowed.isEmpty ? .notFound : .methodNotAllowed(allowed)
    }
}

/// Chooses the handler for a path. No route is 404, a route for other methods is 405 with `Allow`;
/// both without a body.
package struct Router: Sendable {
    package typealias Handler = @Sendable (Request, PathParameters) -> Response

    private var table = RouteTable<Handler>()

    package init() {}

    /// Adds a route; see `RouteTable`.
    package mutating func on(
        _ method: Method, _ pattern: String, _ handler: @escaping Handler
    ) {
        table.add(method, pattern, handler)
    }

    package func respond(to request: Request) -> Response {
        switch table.match(request) {
        case .found(let handler, let parameters): handler(request, parameters)
        case .notFound: .empty(404)
        case .methodNotAllowed(let methods): .methodNotAllowed(methods)
        }
    }
}

extension Response {
    /// 405 without a body.
    package static func methodNotAllowed(_ allowed: [Method]) -> Response {
        Response(
            status: 405,
            headers: [("Allow", allowed.map(\.rawValue).joined(separator: ", "))])
    }
}
