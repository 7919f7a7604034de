// /v1/apps/{appId}/localization-imports: many texts at once.

enum LocalizationImports {
    static let operations: [Operation] = []
}
