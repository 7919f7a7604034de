// /v1/apps/{appId}/localization-exports: every text as rows.

enum LocalizationExports {
    static let operations: [Operation] = []
}
