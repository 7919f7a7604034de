internal import FoundationEssentials
internal import RetentionStore

/// What a command changed of one member, as audit events hold it.
struct RecordedChange: Encodable {
    enum Value: Encodable {
        case none
        case text(String)
        case list([String])

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .none: try container.encodeNil()
            case .text(let text): try container.encode(text)
            case .list(let texts): try container.encode(texts)
            }
        }
    }

    var from = Value.none
    let to: Value
}

extension AuditEvent {
    /// An event of an operator's command: it comes from no address.
    init(
        action: String, resourceType: String, resourceId: String,
        changed: [String: RecordedChange]
    ) throws {
        self.init(
            action: action, resourceType: resourceType, resourceId: resourceId, app: nil,
            changes: Array(try JSONEncoder().encode(changed)))
    }
}
