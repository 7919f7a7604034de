// /v1/apps/{appId}/messages: what is said.

enum Messages {
    static let operations: [Operation] = []
}
