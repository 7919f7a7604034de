// /v1/jobs: work that goes on after its request.

enum Jobs {
    static let operations: [Operation] = []
}
