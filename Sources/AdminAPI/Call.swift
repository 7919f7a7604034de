internal import Foundation
internal import HTTPServer
internal import Retention
internal import RetentionStore
internal import Service
internal import Signing

/// One request of one key, inside its transaction.
package struct Call {
    /// What a `prepare` step made of the body.
    package protocol Prepared: Sendable {}

    let operation: Operation
    let request: Request
    let path: PathParameters
    let query: QueryReader
    let principal: Principal
    /// Everything read and written here is the key's tenant's, and commits when the call returns.
    let transaction: TenantTransaction
    let requestId: String
    /// The caller's address, for the audit.
    let address: String?
    let prepared: (any Prepared)?
    let gateway: Gateway

    /// Business time of the whole call.
    var now: Instant { transaction.now }

    // MARK: - What was asked

    /// An identifier in the path. One that cannot exist is as absent as one that does not.
    func identifier<Kind>(_ name: String) throws(Problem) -> Identifier<Kind> {
        guard let text = path[name], let identifier = Identifier<Kind>(text) else {
            throw .notFound
        }
        return identifier
    }

    /// A number in the path, from 1. One that cannot exist is as absent as one that does not.
    func number<N: FixedWidthInteger>(_ name: String) throws(Problem) -> N {
        guard let text = path[name], text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text.utf8.first != UInt8(ascii: "0"), let number = N(text)
        else { throw .notFound }
        return number
    }

    /// Apple's own name in the path, such as a product identifier.
    func name(_ name: String, limit: Int = 255) throws(Problem) -> String {
        guard let text = path[name], (1...limit).contains(text.utf16.count) else {
            throw .notFound
        }
        return text
    }

    func appId() throws(Problem) -> AppID { try identifier("appId") }

    /// The app in the path, which is there and which the key may see. Where something is changed it
    /// stays there until the commit; who only reads waits for nobody.
    ///
    /// - Parameter alone: nobody else adds anything to the app meanwhile; see `hasApp`.
    func app(alone: Bool = false) throws -> AppID {
        let id = try appId()
        let lock: AppLock =
            switch request.method {
            case .get, .head: .none
            default: alone ? .alone : .shared
            }
        guard try transaction.hasApp(id, lock) else { throw Problem.notFound }
        return id
    }

    /// `environment` of the query; production where it is absent.
    func environment() throws(Problem) -> StoreEnvironment {
        try query.choice("environment", StoreEnvironment.self) ?? .production
    }

    /// The body's object. `{}` where an optional body is absent.
    func body() throws(Problem) -> JSONTree {
        if request.body.isEmpty, operation.body == .optionalJSON { return .object([:]) }
        return try JSONTree(document: request.body)
    }

    // MARK: - Lists

    /// - Parameter keys: how many keys the order has.
    func page(keys: Int = 1) throws(Problem) -> Page {
        let limit = try query.integer("limit", in: Page.limitRange) ?? Page.defaultLimit
        let cursor = try Cursor(
            try query.text("cursor", limit: 4_096), of: listName, keys: keys)
        return Page(limit: Int(limit), after: cursor?.keys ?? [])
    }

    /// What a cursor belongs to: this list of this tenant, with these filters.
    private var listName: String {
        let filters = (request.query ?? "").split(separator: "&").filter {
            !$0.hasPrefix("cursor=") && !$0.hasPrefix("limit=")
        }
        let whole =
            [principal.tenant.description, request.path] + filters.sorted().map(String.init)
        let digest = SHA256.digest(Array(whole.joined(separator: "\n").utf8)).prefix(8)
        return operation.id + " " + HexadecimalText.of(digest)
    }

    /// A page's answer; `rows` holds up to `page.rowsWanted`.
    func list<Row>(
        _ rows: [Row], _ page: Page, keys: (Row) -> [String], form: (Row) -> JSONTree
    ) -> Answer {
        let shown = rows.prefix(page.limit)
        var next: String?
        if rows.count > page.limit, let last = shown.last {
            next = Cursor.text(of: listName, keys: keys(last))
        }
        let body: JSONTree = ["data": .array(shown.map(form)), "nextCursor": .text(next)]
        var headers = [(name: "Content-Type", value: "application/json")]
        if let next { headers.append(("Link", "<\(link(cursor: next))>; rel=\"next\"")) }
        return Answer(status: 200, headers: headers, body: body.bytes)
    }

    /// This request's target with another cursor.
    private func link(cursor: String) -> String {
        let others = (request.query ?? "").split(separator: "&").filter {
            !$0.hasPrefix("cursor=")
        }
        return request.path + "?" + (others + ["cursor=\(cursor)"]).joined(separator: "&")
    }

    // MARK: - Editing

    /// Demands that the caller has seen the resource as it is now.
    ///
    /// - Parameter current: as `GET` shows it.
    /// - Throws: 428 without `If-Match`, 412 where none of its tags is the current one.
    func requireMatch(_ current: JSONTree) throws(Problem) {
        guard let wanted = request.header("If-Match") else {
            throw Problem(
                .preconditionRequired,
                "Read the resource first and send its ETag as If-Match, so that nobody's change "
                    + "is lost.",
                errors: [
                    FieldProblem(.header("If-Match"), .required, "If-Match is required here.")
                ])
        }
        guard EntityTags(wanted).contain(Answer.etag(of: current.bytes)) else {
            throw Problem(
                .preconditionFailed,
                "The resource has changed; read it again and repeat the change on what it is now.")
        }
    }

    /// The same for a `PUT`, which makes what is not there: whoever names a tag then has seen
    /// something that is gone.
    func requireMatch(ifThere current: JSONTree?) throws(Problem) {
        if let current { return try requireMatch(current) }
        guard request.header("If-Match") == nil else {
            throw Problem(
                .preconditionFailed, "There is nothing to replace; leave out If-Match to make it.")
        }
    }

    // MARK: - Audit

    /// Notes what this call does. `before` and `after` are the resource as the API shows it, which
    /// holds no secret; `nil` where it is not there.
    func audit(
        _ action: String, _ type: String, _ id: String, app: AppID? = nil,
        before: JSONTree? = nil, after: JSONTree? = nil
    ) throws {
        try transaction.recordAudit(
            AuditEvent(
                action: action, resourceType: type, resourceId: id, app: app,
                changes: JSONTree.changes(from: before, to: after).bytes, address: address,
                requestId: requestId))
    }
}

/// `If-Match` and `If-None-Match`: `*` or a list of tags.
struct EntityTags {
    private let text: String

    init(_ text: String) { self.text = text }

    func contain(_ tag: String) -> Bool {
        text.utf8.split(separator: UInt8(ascii: ",")).contains { piece in
            let word = piece.drop { $0 == 0x20 || $0 == 0x09 }
            let bare = Array(word.reversed().drop { $0 == 0x20 || $0 == 0x09 }.reversed())
            // A proxy that compresses makes tags weak; what they stand for is the same resource.
            let strong = bare.starts(with: "W/".utf8) ? Array(bare.dropFirst(2)) : bare
            return bare == Array("*".utf8) || strong == Array(tag.utf8)
        }
    }
}

extension JSONTree {
    static func instant(_ instant: Instant) -> JSONTree {
        .string(InstantText.rfc3339(milliseconds: instant.milliseconds))
    }

    static func id<Kind>(_ identifier: Identifier<Kind>) -> JSONTree {
        .string(identifier.description)
    }
}
