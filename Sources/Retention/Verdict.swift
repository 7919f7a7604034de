/// Whether a condition holds. `unknown` is an answer of its own: a fact that is missing or too old
/// says neither yes nor no, and neither does its negation (Kleene's three-valued logic).
package enum Verdict: String, Equatable, Sendable, CaseIterable {
    case no, unknown, yes

    package init(_ holds: Bool) {
        self = holds ? .yes : .no
    }

    package static prefix func ! (verdict: Verdict) -> Verdict {
        switch verdict {
        case .no: .yes
        case .unknown: .unknown
        case .yes: .no
        }
    }

    /// No where one is no, yes where all are yes; of nothing: yes.
    static func all<Part>(_ parts: [Part], _ judge: (Part) -> Verdict) -> Verdict {
        var verdict = Verdict.yes
        for part in parts {
            switch judge(part) {
            case .no: return .no
            case .unknown: verdict = .unknown
            case .yes: break
            }
        }
        return verdict
    }

    /// Yes where one is yes, no where all are no; of nothing: no.
    static func any<Part>(_ parts: [Part], _ judge: (Part) -> Verdict) -> Verdict {
        !all(parts) { !judge($0) }
    }
}
