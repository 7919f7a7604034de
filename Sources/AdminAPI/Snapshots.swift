// /v1/apps/{appId}/snapshots: what responders serve.

enum Snapshots {
    static let operations: [Operation] = []
}
