// /v1/apps/{appId}/decisions: what was answered.

enum Decisions {
    static let operations: [Operation] = []
}
