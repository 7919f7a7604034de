// /v1/apps/{appId}/credentials: In-App Purchase keys.

enum Credentials {
    static let operations: [Operation] = []
}
