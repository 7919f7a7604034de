/// A group of resources that a key may read or write.
package enum ResourceGroup: String, Sendable, CaseIterable {
    case clients
    /// Apps, products, offers, copies of an app.
    case apps
    case credentials, endpoints
    /// Images, messages, localizations, defaults, imports and exports.
    case content
    case rules
    /// Decisions and snapshots.
    case decisions
    /// What the App Store told of subscriptions.
    case subscribers
    /// Plans, runs, calls of Apple, objects at Apple, performance tests.
    case sync
    case keys, audit, jobs
}

/// What a key may do to a group of resources, as it is written outside: `content:write`.
package struct AccessScope: Hashable, Sendable, CustomStringConvertible {
    package enum Access: String, Sendable, CaseIterable { case read, write }

    package let group: ResourceGroup
    package let access: Access

    package static let all: [AccessScope] = ResourceGroup.allCases.flatMap { group in
        Access.allCases.map { AccessScope(group, $0) }
    }

    package init(_ group: ResourceGroup, _ access: Access) {
        self.group = group
        self.access = access
    }

    /// `nil` for a group or an access that this build does not know.
    package init?(_ text: String) {
        guard let found = Self.all.first(where: { isSame($0.description, text) }) else {
            return nil
        }
        self = found
    }

    package static func read(_ group: ResourceGroup) -> AccessScope { .init(group, .read) }
    package static func write(_ group: ResourceGroup) -> AccessScope { .init(group, .write) }

    package var description: String { "\(group.rawValue):\(access.rawValue)" }

    /// Whether whoever holds this may do `other`: to write includes to read.
    package func includes(_ other: AccessScope) -> Bool {
        group == other.group && (access == .write || other.access == .read)
    }
}
