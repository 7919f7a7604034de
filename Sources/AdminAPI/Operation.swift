package import HTTPServer
package import Retention

/// One thing the API does: `docs/api/openapi.json` has the same under the same `operationId`.
package struct Operation: Sendable {
    /// What a body may be.
    package enum Body: Sendable, Equatable {
        case none
        /// A JSON object; optional where the operation can do without.
        case json, optionalJSON
        /// RFC 7396; `application/json` is taken too.
        case mergePatch
        /// Bytes of these media types, at most `limit` of them.
        case bytes(types: [String], limit: Int)

        static let jsonBytesLimit = 1 << 20

        /// The types a body may have, as Content-Type names them.
        package var mediaTypes: [String] {
            switch self {
            case .none: []
            case .json, .optionalJSON: ["application/json"]
            case .mergePatch: ["application/merge-patch+json", "application/json"]
            case .bytes(let types, _): types
            }
        }

        var bytesLimit: Int {
            if case .bytes(_, let limit) = self { limit } else { Self.jsonBytesLimit }
        }
    }

    package enum Idempotency: Sendable { case none, allowed, required }

    package typealias Handler = @Sendable (Call) throws -> Answer

    package let id: String
    package let method: Method
    /// With named gaps: `/v1/apps/{appId}`.
    package let path: String
    package let scope: AccessScope
    package var body = Body.none
    /// Query parameters; those of lists and `environment` are named too.
    package var query: [String] = []
    package var idempotency = Idempotency.none
    /// Work on the body that takes long and needs no database: it is done before the transaction,
    /// after the key was found good. Gives the body that the handler sees.
    package var prepare: (@Sendable (Preparation) throws -> any Call.Prepared)?
    package let handle: Handler

    static func list(
        _ id: String, _ path: String, _ group: ResourceGroup, query: [String] = [],
        _ handle: @escaping Handler
    ) -> Operation {
        Operation(
            id: id, method: .get, path: path, scope: .read(group),
            query: Page.parameters + query, handle: handle)
    }

    static func get(
        _ id: String, _ path: String, _ group: ResourceGroup, query: [String] = [],
        _ handle: @escaping Handler
    ) -> Operation {
        Operation(
            id: id, method: .get, path: path, scope: .read(group), query: query, handle: handle)
    }

    static func post(
        _ id: String, _ path: String, _ group: ResourceGroup, body: Body = .json,
        query: [String] = [], idempotency: Idempotency = .allowed, _ handle: @escaping Handler
    ) -> Operation {
        Operation(
            id: id, method: .post, path: path, scope: .write(group), body: body, query: query,
            idempotency: idempotency, handle: handle)
    }

    static func put(
        _ id: String, _ path: String, _ group: ResourceGroup, query: [String] = [],
        _ handle: @escaping Handler
    ) -> Operation {
        Operation(
            id: id, method: .put, path: path, scope: .write(group), body: .json, query: query,
            handle: handle)
    }

    static func patch(
        _ id: String, _ path: String, _ group: ResourceGroup, _ handle: @escaping Handler
    ) -> Operation {
        Operation(
            id: id, method: .patch, path: path, scope: .write(group), body: .mergePatch,
            handle: handle)
    }

    static func delete(
        _ id: String, _ path: String, _ group: ResourceGroup, query: [String] = [],
        _ handle: @escaping Handler
    ) -> Operation {
        Operation(
            id: id, method: .delete, path: path, scope: .write(group), query: query,
            handle: handle)
    }
}

/// What a `prepare` step sees.
package struct Preparation: Sendable {
    let body: [UInt8]
    /// As the request has it: one of the operation's types.
    let contentType: String
    let query: QueryReader
    let gateway: Gateway
}

/// Every operation, resource by resource.
package enum Operations {
    package static let all: [Operation] = [
        APIKeys.operations,
        AppCopies.operations,
        AppStoreConnectMessages.operations,
        AppleCalls.operations,
        AppleObjects.operations,
        Apps.operations,
        AuditEvents.operations,
        Clients.operations,
        Coverage.operations,
        Credentials.operations,
        Decisions.operations,
        Defaults.operations,
        Endpoints.operations,
        Images.operations,
        Jobs.operations,
        LocalizationExports.operations,
        LocalizationImports.operations,
        Localizations.operations,
        MessageTargets.operations,
        Messages.operations,
        Notifications.operations,
        Offers.operations,
        PerformanceTests.operations,
        Plans.operations,
        Previews.operations,
        Products.operations,
        Promotions.operations,
        Publications.operations,
        ReadinessList.operations,
        Replays.operations,
        RuleSets.operations,
        Snapshots.operations,
        SyncRuns.operations,
        Tenants.operations,
    ].flatMap { $0 }
}
