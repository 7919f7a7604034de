// /v1/apps: what the agency looks after.

enum Apps {
    static let operations: [Operation] = []
}
