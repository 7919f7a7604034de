// /v1/apps/{appId}/rule-set-draft, rule-sets, publications: which answer for whom.

enum RuleSets {
    static let operations: [Operation] = []
}
