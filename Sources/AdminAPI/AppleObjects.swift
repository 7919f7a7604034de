// /v1/apps/{appId}/apple-objects: the images and messages that Apple has, ours and others'.
internal import FoundationEssentials
internal import HTTPServer
internal import Retention
internal import RetentionStore

enum AppleObjects {
    private static let path = "/v1/apps/{appId}/apple-objects"
    private static let one = "\(path)/{appleId}"

    static let operations: [Operation] = [
        .list("listAppleObjects", path, .sync, query: ["environment", "kind"], list),
        .get(
            "getAppleObjectCounts", "/v1/apps/{appId}/apple-object-counts", .sync,
            query: ["environment"], count),
        .get("getAppleObject", one, .sync, query: ["environment"], get),
        .post(
            "createResubmission", "\(one)/resubmissions", .sync, body: .none,
            query: ["environment"], idempotency: .required, resubmit),
    ]

    /// Of the query `kind`.
    private enum Kind: String, CaseIterable {
        case image, message

        var ofApple: AppleObjectKind { self == .image ? .image : .message }
    }

    // MARK: - Shapes

    private static func form(
        _ stored: StoredAppleObject, _ shown: [UUID: ShownImage], _ names: AppleNames,
        _ now: Instant
    ) -> JSONTree {
        let object = stored.object
        let current = names.current(stored.contentDigest)
        let members: [String: JSONTree] = [
            "identifier": .appleId(object.id), "kind": .string(object.kind.rawValue),
            "environment": .string(names.key.environment.rawValue),
            "isOurs": .boolean(object.isOurs), "presence": .string(object.presence.rawValue),
            "state": .string(object.state.rawValue),
            "generation": .integer(Int64(stored.generation)),
            "text": text(stored.content), "image": image(stored.content),
            "pictures": .array(
                object.images.map { id in
                    [
                        "identifier": .appleId(id),
                        "imageId": .optional(shown[id]?.image, JSONTree.id),
                        "state": .text(shown[id]?.state.rawValue),
                    ]
                }),
            "supersededAt": .optional(stored.supersededAt, JSONTree.instant),
            "successor": current == object.id ? .null : .optional(current, JSONTree.appleId),
            "refusal": .optional(object.refusal) { refusal in
                [
                    "at": .instant(refusal.at),
                    "appleCode": .optional(refusal.code) { .integer(Int64($0)) },
                    "detail": .string(refusal.sentence),
                ]
            },
        ]
        return JSONTree.object(members).merging(names.uses(of: object.id)).merging([
            "review": review(of: object, decidedAt: stored.decidedAt, now: now)
        ])
    }

    /// As it was sent, byte by byte.
    private static func text(_ content: SentContent?) -> JSONTree {
        guard case .text(let text) = content else { return .null }
        return LocalizationContent.form(text).merging(["locale": .string(text.locale)])
    }

    private static func image(_ content: SentContent?) -> JSONTree {
        guard case .image(let image, let size) = content else { return .null }
        return ["imageId": .id(image), "imageSize": .string(size.rawValue)]
    }

    /// How long Apple has had it, or took for it. Of what is not ours only Apple knows.
    static func review(of object: AppleObject, decidedAt: Instant?, now: Instant) -> JSONTree {
        let began = object.isOurs ? object.uploadedAt ?? object.listedAt : nil
        let isOpen = object.isPresent && object.state == .pending
        let ended = decidedAt ?? (isOpen ? now : nil)
        var seconds: Int64?
        if let began, let ended {
            seconds = max(0, ended.milliseconds - began.milliseconds) / 1_000
        }
        return [
            "uploadedAt": .optional(began, JSONTree.instant),
            "decidedAt": .optional(decidedAt, JSONTree.instant),
            "seconds": .optional(seconds, JSONTree.integer),
        ]
    }

    private static func counts(_ kind: AppleObjectKind, _ observed: ObservedState) -> JSONTree {
        let there = observed.objects.values.filter { $0.kind == kind && $0.takesRoom }
        func sum(where isCounted: (AppleObject) -> Bool) -> JSONTree {
            .integer(Int64(there.count(where: isCounted)))
        }
        return [
            "count": sum { _ in true }, "limit": .integer(Int64(SyncLimits().most(kind))),
            "ours": sum(where: \.isOurs), "foreign": sum { !$0.isOurs },
            "pending": sum { $0.state == .pending }, "approved": sum { $0.state == .approved },
            "rejected": sum { $0.state == .rejected },
            "listedAt": .optional(observed.listedAt(kind), JSONTree.instant),
            "fullAt": .optional(observed.fullAt[kind], JSONTree.instant),
        ]
    }

    // MARK: - Handlers

    private static func list(_ call: Call) throws -> Answer {
        let key = try place(call)
        let kind = try call.query.choice("kind", Kind.self)?.ofApple
        let page = try call.page()
        let rows = try call.transaction.listAppleObjects(
            at: key, kind: kind, after: try after(page), limit: page.rowsWanted)
        let names = try AppleNames(key, call.transaction)
        let shown = try call.transaction.shownImages(
            rows.flatMap(\.object.images), at: key)
        return call.list(
            rows, page, keys: { [$0.object.id.uuidString] },
            form: { form($0, shown, names, call.now) })
    }

    private static func after(_ page: Page) throws(Problem) -> UUID? {
        guard let text = page.after.last else { return nil }
        guard let id = UUID(uuidString: text) else {
            throw Problem(.invalidCursor, "The cursor is not one of this list.")
        }
        return id
    }

    private static func count(_ call: Call) throws -> Answer {
        let key = try place(call)
        let observed = try call.transaction.observedState(at: key)
        return .report([
            "environment": .string(key.environment.rawValue),
            "images": counts(.image, observed), "messages": counts(.message, observed),
        ])
    }

    private static func get(_ call: Call) throws -> Answer {
        let key = try place(call)
        return .report(try form(try found(call, key), key, call))
    }

    private static func resubmit(_ call: Call) throws -> Answer {
        let key = try place(call)
        let stored = try found(call, key)
        guard try call.transaction.supersedeAppleObject(stored.object.id, at: key) else {
            throw Problem(.notResubmittable, obstacle(to: stored))
        }
        let new = try form(try found(call, key), key, call)
        let id = stored.object.id.uuidString.lowercased()
        try call.audit(
            "appleObject.resubmit", "appleObject", id, app: key.app,
            before: ["supersededAt": .null, "successor": .null],
            after: [
                "supersededAt": new["supersededAt"] ?? .null,
                "successor": new["successor"] ?? .null,
            ])
        return .accepted(
            new,
            at: "/v1/apps/\(key.app)/apple-objects/\(id)?environment=\(key.environment.rawValue)")
    }

    private static func obstacle(to stored: StoredAppleObject) -> String {
        let object = stored.object
        if !object.isOurs { return "Another tool made it; submit it anew with that tool." }
        if stored.supersededAt != nil {
            return "It was submitted anew before; look at its successor."
        }
        if !object.isPresent { return "Apple does not have it; there is nothing to submit anew." }
        if object.state != .rejected {
            return
                "Its state is \(object.state.rawValue); only what Apple rejected is submitted anew."
        }
        return "Its content is not known here; change the text, which makes a new object."
    }

    private static func place(_ call: Call) throws -> AppEnvironment {
        AppEnvironment(app: try call.app(), environment: try call.environment())
    }

    /// The object in the path. One that cannot exist is as absent as one that does not.
    private static func found(_ call: Call, _ key: AppEnvironment) throws -> StoredAppleObject {
        guard let id = UUID(uuidString: try call.name("appleId")),
            let stored = try call.transaction.findAppleObject(id, at: key)
        else { throw Problem.notFound }
        return stored
    }

    private static func form(
        _ stored: StoredAppleObject, _ key: AppEnvironment, _ call: Call
    ) throws -> JSONTree {
        let shown = try call.transaction.shownImages(stored.object.images, at: key)
        return form(stored, shown, try AppleNames(key, call.transaction), call.now)
    }
}
