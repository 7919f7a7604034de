// /v1/apps/{appId}/endpoints: the real-time URLs.

enum Endpoints {
    static let operations: [Operation] = []
}
