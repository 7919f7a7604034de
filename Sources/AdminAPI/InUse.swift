internal import Retention
internal import RetentionStore

extension Problem {
    /// How many uses a refusal names.
    private static let usesLimit = 20

    /// Refuses to remove what `uses` name; each is a sentence.
    static func inUse(_ uses: [String]) -> Problem {
        Problem(
            .inUse, "Something still names it; see errors, and change that first.",
            errors: uses.prefix(usesLimit).map { FieldProblem(.pointer(""), .notAllowed, $0) })
    }
}

extension Call {
    /// Which rules of the app's draft and of what it serves name something, each as a sentence.
    /// The app is to be held alone, or new ones come up meanwhile. Rules that cannot be read here
    /// may name it: so they do.
    func rules(of app: AppID, where names: (Rule) -> Bool) throws -> [String] {
        try transaction.listRulesInUse(of: app).flatMap { rules in
            let place =
                switch rules.place {
                case .draft: "the draft"
                case .published(let version, let environment):
                    "version \(version), which is published in \(environment.rawValue),"
                }
            guard let ruleSet = rules.ruleSet else {
                return ["The rules of \(place) are of another release and may name it."]
            }
            return ruleSet.rules.filter(names).map {
                "The rule \"\($0.name)\" of \(place) names it."
            }
        }
    }
}
