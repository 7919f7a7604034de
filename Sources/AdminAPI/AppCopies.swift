// /v1/apps/{appId}/copies: a whole app's set-up for another app.

enum AppCopies {
    static let operations: [Operation] = []
}
