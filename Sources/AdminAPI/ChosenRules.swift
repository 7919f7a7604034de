internal import Retention
internal import RetentionStore

/// Which rules a preview or a replay is about.
struct ChosenRules {
    enum Source: String {
        case body, version, draft, published, none
    }

    let source: Source
    var version: Int32?
    /// With the buckets that freezing would give its experiments.
    let ruleSet: RuleSet

    var form: JSONTree {
        [
            "source": .string(source.rawValue),
            "version": .optional(version) { .integer(Int64($0)) },
        ]
    }

    /// What the body names, else the draft, else what is in force.
    init(
        given: RuleSet?, version: Int32?, at key: AppEnvironment, _ call: Call
    ) throws {
        let transaction = call.transaction
        if let given {
            source = .body
            ruleSet = try transaction.allocated(given, of: key.app)
        } else if let version {
            source = .version
            self.version = version
            ruleSet = try Self.named(version, of: key.app, call)
        } else if let draft = try transaction.findRuleSetDraft(of: key.app) {
            source = .draft
            ruleSet = try transaction.allocated(draft, of: key.app)
        } else if let published = try transaction.findPublishedVersion(at: key) {
            source = .published
            self.version = published
            ruleSet = try RuleSets.found(published, of: key.app, call).ruleSet
        } else {
            source = .none
            ruleSet = RuleSet(rules: [])
        }
    }
}

extension ChosenRules {
    /// What only the database can say, such as that it is away, is no fault of the body.
    private static func named(
        _ version: Int32, of app: AppID, _ call: Call
    ) throws -> RuleSet {
        do {
            return try RuleSets.found(version, of: app, call).ruleSet
        } catch is Problem {
            throw Problem.validation([
                FieldProblem(
                    .pointer("/version"), .unknownReference,
                    "The app has no such version that this release can read.")
            ])
        }
    }
}

extension BodyReader {
    /// A version's number; `nil` where it is absent.
    mutating func optionalVersion(_ name: String = "version") -> Int32? {
        optionalInteger(name, in: 1...Int64(Int32.max)).map { Int32(clamping: $0) }
    }
}
