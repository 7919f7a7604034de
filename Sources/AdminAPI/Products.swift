// /v1/apps/{appId}/products: subscriptions, their plans and prices.

enum Products {
    static let operations: [Operation] = []
}
