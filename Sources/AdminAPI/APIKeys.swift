// /v1/api-keys: who may use this API.

enum APIKeys {
    static let operations: [Operation] = []
}
