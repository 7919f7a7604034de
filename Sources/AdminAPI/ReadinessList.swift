// /v1/readiness and /v1/apps/{appId}/readiness: what stands between apps and their messages.
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum ReadinessList {
    static let operations: [Operation] = [
        .list("listReadiness", "/v1/readiness", .apps, query: ["nextActor"], list),
        .get("getReadiness", "/v1/apps/{appId}/readiness", .apps, get),
    ]

    /// Apps looked at together.
    private static let batchRows: Int32 = 100

    // MARK: - Shapes

    private struct JudgedApp {
        let app: App
        let readiness: AppReadiness
    }

    private static func form(_ row: JudgedApp) -> JSONTree {
        let readiness = row.readiness
        let next = readiness.nextStep.map { step in
            form(step.nextAction).merging(["step": .string(step.name.rawValue)])
        }
        return [
            "appId": .id(row.app.id), "clientId": .id(row.app.client),
            "name": .string(row.app.name), "isReady": .boolean(readiness.isReady),
            "nextAction": next ?? .null, "steps": .array(readiness.steps.map(form)),
            "staticLayerSuffices": .boolean(readiness.staticLayer.suffices),
            "staticLayerReason": .string(readiness.staticLayer.reason),
        ]
    }

    private static func form(_ step: AppReadiness.Step) -> JSONTree {
        [
            "name": .string(step.name.rawValue),
            "environment": .text(step.name.environment?.rawValue),
            "isOptional": .boolean(step.name.isOptional), "state": .string(step.state.rawValue),
            "detail": .string(step.detail), "nextAction": form(step.nextAction),
            "blockedBy": .text(step.blockedBy?.rawValue),
        ]
    }

    private static func form(_ action: AppReadiness.Action?) -> JSONTree {
        guard let action else { return .null }
        return [
            "code": .string(action.code.rawValue), "actor": .string(action.actor.rawValue),
            "sentence": .string(action.sentence),
        ]
    }

    // MARK: - Handlers

    /// Apps in the order they were made; those that another's turn it is are passed over.
    private static func list(_ call: Call) throws -> Answer {
        let page = try call.page()
        let actor = try call.query.choice("nextActor", AppReadiness.Actor.self)
        var rows: [JudgedApp] = []
        var last: AppID? = try page.identifier()
        while rows.count < Int(page.rowsWanted) {
            let missing = page.rowsWanted - Int32(rows.count)
            let wanted = actor == nil ? missing : batchRows
            let apps = try call.transaction.listApps(of: nil, after: last, limit: wanted)
            rows += try judged(apps, call).filter { row in
                actor == nil || row.readiness.nextStep?.nextAction?.actor == actor
            }
            guard apps.count == Int(wanted), let end = apps.last else { break }
            last = end.app.id
        }
        return call.list(
            Array(rows.prefix(Int(page.rowsWanted))), page,
            keys: { [$0.app.id.description] }, form: form)
    }

    private static func get(_ call: Call) throws -> Answer {
        let app = try call.transaction.getApp(try call.appId())
        guard let row = try judged([app], call).first else { throw Problem.notFound }
        return .resource(form(row))
    }

    private static func judged(_ apps: [StoredApp], _ call: Call) throws -> [JudgedApp] {
        let facts = try call.transaction.readinessFacts(of: apps.map(\.app.id))
        return apps.compactMap { stored in
            facts[stored.app.id].map {
                JudgedApp(app: stored.app, readiness: AppReadiness($0, now: call.now))
            }
        }
    }
}
