// /v1/apps/{appId}/messages/{messageId}/targets: in which environments a message is to be at Apple.
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum MessageTargets {
    private static let path = "/v1/apps/{appId}/messages/{messageId}/targets/{environment}"

    static let operations: [Operation] = [
        Operation(
            id: "putMessageTarget", method: .put, path: path, scope: .write(.content),
            handle: put),
        .delete("deleteMessageTarget", path, .content, delete),
    ]

    /// The message in the path, and the environment there.
    private struct Place {
        let message: MessageID
        let key: AppEnvironment
        let isTarget: Bool

        init(_ call: Call) throws {
            let app = try call.app()
            message = try call.transaction.getMessage(
                try call.identifier("messageId"), of: app, forUpdate: true
            ).id
            let name = try call.name("environment")
            guard
                let environment = StoreEnvironment.allCases.first(where: {
                    $0.rawValue.utf8.elementsEqual(name.utf8)
                })
            else { throw Problem.notFound }
            key = AppEnvironment(app: app, environment: environment)
            isTarget =
                try call.transaction.messageTargets(of: app, [message])[message]?
                .contains(environment) ?? false
        }

        func audit(_ action: String, from: Bool, to: Bool, _ call: Call) throws {
            let member = key.environment.rawValue
            try call.audit(
                action, "message", message.description, app: key.app,
                before: .object([member: .boolean(from)]), after: .object([member: .boolean(to)]))
        }
    }

    // MARK: - Handlers

    /// Nothing can be lost by saying it twice, so nobody need have seen what was there.
    private static func put(_ call: Call) throws -> Answer {
        let place = try Place(call)
        if !place.isTarget {
            try call.transaction.addMessageTargets([place.message], at: place.key)
            try place.audit("message.addTarget", from: false, to: true, call)
        }
        return .noContent
    }

    private static func delete(_ call: Call) throws -> Answer {
        let place = try Place(call)
        guard place.isTarget else { throw Problem.notFound }
        try call.transaction.removeMessageTargets([place.message], at: place.key)
        try place.audit("message.removeTarget", from: true, to: false, call)
        return .noContent
    }
}
