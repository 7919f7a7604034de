// /v1/apps/{appId}/images: pictures of messages.

enum Images {
    static let operations: [Operation] = []
}
