// /v1/apps/{appId}/messages/{messageId}/localizations: a message in Apple's locales.

enum Localizations {
    static let operations: [Operation] = []
}
