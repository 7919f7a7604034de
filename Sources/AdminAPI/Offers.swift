// /v1/apps/{appId}/products/{productId}/offers: discounts.

enum Offers {
    static let operations: [Operation] = []
}
