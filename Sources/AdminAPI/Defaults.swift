// /v1/apps/{appId}/defaults: the message of a product where no rule speaks.

enum Defaults {
    static let operations: [Operation] = []
}
