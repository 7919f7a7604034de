// /v1/apps/{appId}/plan: what the sync would do now, and why it does not do more. Only read.
internal import HTTPServer
internal import Retention
internal import RetentionStore
internal import Service

enum Plans {
    static let operations: [Operation] = [
        .get("getPlan", "/v1/apps/{appId}/plan", .sync, query: ["environment"], get)
    ]

    /// Of each list; the counts tell how many there are.
    private static let shownLimit = 500

    // MARK: - Shapes

    private static func form(_ plan: SyncPlan, _ names: AppleNames, _ call: Call) throws -> JSONTree
    {
        let ready = plan.steps.count(where: \.isReady)
        return [
            "environment": .string(names.key.environment.rawValue), "madeAt": .instant(call.now),
            "isConverged": .boolean(plan.isConverged),
            "counts": [
                "steps": .integer(Int64(plan.steps.count)), "ready": .integer(Int64(ready)),
                "waiting": .integer(Int64(plan.steps.count - ready)),
                "placements": .integer(Int64(plan.placements.count)),
                "problems": .integer(Int64(plan.problems.count)),
            ],
            "steps": .array(plan.steps.prefix(shownLimit).map { step($0, names) }),
            "placements": .array(
                plan.placements.prefix(shownLimit).map { placement($0, names) }),
            "needsReview": needsReview(plan, names, call),
            "missing": try names.lacks(call.transaction),
            "problems": .array(plan.problems.prefix(shownLimit).map { problem($0, names) }),
            "estimate": try estimate(plan, names, call),
            "nextLookAt": .instant(plan.nextLookAt),
        ]
    }

    private static func step(_ step: SyncStep, _ names: AppleNames) -> JSONTree {
        [
            "operation": .string(step.operation.endpoint.rawValue),
            "subject": names.subject(of: step.operation),
            "reason": [
                "code": .string(step.reason.rawValue), "detail": .string(step.reason.sentence),
            ],
            "state": .string(step.isReady ? "ready" : "waiting"),
            "waitsFor": .optional(step.wait) { wait in
                [
                    "code": .string(wait.code), "detail": .string(wait.sentence),
                    "until": .optional(wait.until, JSONTree.instant),
                ]
            },
        ]
    }

    private static func placement(_ change: PlacementChange, _ names: AppleNames) -> JSONTree {
        switch change {
        case .serve(let place, let id):
            placement("serve", place, names, .appleId(id))
        case .stop(let place): placement("stop", place, names, .null)
        }
    }

    private static func placement(
        _ change: String, _ place: TextPlace, _ names: AppleNames, _ identifier: JSONTree
    ) -> JSONTree {
        [
            "change": .string(change), "messageId": .id(place.message),
            "locale": .string(place.locale), "identifier": identifier,
            "formerIdentifier": .optional(names.desire.state.served[place], JSONTree.appleId),
        ]
    }

    /// What Apple will be asked to review, and what it is reviewing now.
    private static func needsReview(
        _ plan: SyncPlan, _ names: AppleNames, _ call: Call
    ) -> JSONTree {
        let counts = plan.callCounts
        let reviewed = plan.pending.prefix(shownLimit).compactMap { id -> JSONTree? in
            guard let object = names.observed.objects[id] else { return nil }
            return AppleObjects.review(of: object, decidedAt: nil, now: call.now).merging([
                "subject": names.subject(object.kind, id)
            ])
        }
        return [
            "images": .integer(Int64(counts[.uploadImage] ?? 0)),
            "messages": .integer(Int64(counts[.uploadMessage] ?? 0)),
            "underReviewCount": .integer(Int64(plan.pending.count)),
            "underReview": .array(Array(reviewed)),
        ]
    }

    private static func problem(_ problem: SyncProblem, _ names: AppleNames) -> JSONTree {
        let subject: JSONTree =
            switch problem {
            case .rejected(let kind, let id): names.subject(kind, id)
            case .refused(let operation, _): names.subject(of: operation)
            case .keyRefused, .noAccess, .full, .foreignURL, .noPassingTest: .null
            }
        return [
            "code": .string(problem.code), "detail": .string(problem.sentence),
            "appleCode": .optional(problem.appleCode) { .integer(Int64($0)) },
            "subject": subject,
        ]
    }

    /// How long Apple's limits make it take at least: each endpoint has its own, side by side.
    private static func estimate(
        _ plan: SyncPlan, _ names: AppleNames, _ call: Call
    ) throws -> JSONTree {
        let spokenFor = try call.transaction.spokenFor(at: names.key)
        // Limits are counted in real time.
        let now = Clock.system.now() * 1_000
        var longest: Int64 = 0
        let endpoints = plan.callCounts.sorted { $0.key.rawValue < $1.key.rawValue }.map {
            endpoint, calls -> JSONTree in
            let budget = CallBudget(
                callsPerHour: endpoint.callsPerHour(in: names.key.environment))
            let took = budget.milliseconds(
                for: calls, spokenFor: spokenFor[endpoint], now: now)
            let seconds = took / 1_000 + (took % 1_000 > 0 ? 1 : 0)
            longest = max(longest, seconds)
            return [
                "endpoint": .string(endpoint.rawValue), "calls": .integer(Int64(calls)),
                "seconds": .integer(seconds),
            ]
        }
        return [
            "calls": .integer(Int64(plan.steps.count)), "seconds": .integer(longest),
            "endpoints": .array(endpoints),
        ]
    }

    // MARK: - Handlers

    private static func get(_ call: Call) throws -> Answer {
        let key = AppEnvironment(app: try call.app(), environment: try call.environment())
        let names = try AppleNames(key, call.transaction)
        let plan = plan(
            desired: names.desire.state, observed: names.observed, limits: SyncLimits(),
            now: call.now)
        return .report(try form(plan, names, call))
    }
}
