internal import HTTPServer
internal import Signing

/// What an operation answers.
package struct Answer: Sendable {
    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// What a repeated request gets instead of `body`: the same without its secrets.
    package var replayBody: [UInt8]?

    private static let json = (name: "Content-Type", value: "application/json")

    /// One resource, with its `ETag`.
    ///
    /// - Parameter tagged: what the tag is of, where the resource has members that change without
    ///   being edited.
    static func resource(
        _ tree: JSONTree, taggedAs tagged: JSONTree? = nil, status: Int = 200
    ) -> Answer {
        let tag = etag(of: (tagged ?? tree).bytes)
        return Answer(status: status, headers: [json, ("ETag", tag)], body: tree.bytes)
    }

    /// A new resource at `location`, an absolute path.
    static func created(
        _ tree: JSONTree, taggedAs tagged: JSONTree? = nil, at location: String
    ) -> Answer {
        var answer = resource(tree, taggedAs: tagged, status: 201)
        answer.headers.append(("Location", location))
        return answer
    }

    /// The same with members that are shown once: a replay shows `null` for them.
    static func created(
        _ tree: JSONTree, withSecrets secrets: [String: JSONTree], at location: String
    ) -> Answer {
        let blank = secrets.mapValues { _ in JSONTree.null }
        var answer = created(tree.merging(secrets), at: location)
        // The tag is that of the resource as it will be read.
        answer.headers.removeAll { $0.name == "ETag" }
        answer.headers.append(("ETag", etag(of: tree.bytes)))
        answer.headers.append(("Cache-Control", "no-store"))
        answer.replayBody = tree.merging(blank).bytes
        return answer
    }

    /// Work that goes on: a job, or what the sync does.
    static func accepted(_ work: JSONTree, at location: String) -> Answer {
        Answer(status: 202, headers: [json, ("Location", location)], body: work.bytes)
    }

    /// How things are at this moment: nobody edits it, so it has no tag.
    static func report(_ tree: JSONTree) -> Answer {
        Answer(status: 200, headers: [json], body: tree.bytes)
    }

    static func data(_ rows: [JSONTree]) -> Answer {
        Answer(status: 200, headers: [json], body: (["data": .array(rows)] as JSONTree).bytes)
    }

    static let noContent = Answer(status: 204, headers: [], body: [])

    static func etag(of body: [UInt8]) -> String {
        "\"\(HexadecimalText.of(SHA256.digest(body).prefix(16)))\""
    }

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

extension JSONTree {
    /// An object with further members.
    package func merging(_ more: [String: JSONTree]) -> JSONTree {
        guard case .object(let members) = self else { return self }
        return .object(members.merging(more) { _, new in new })
    }
}
