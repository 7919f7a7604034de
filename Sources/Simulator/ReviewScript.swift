/// What Apple's reviewers will say of what is uploaded, and when.
package struct ReviewScript: Codable, Sendable, Equatable {
    /// What is uploaded is `PENDING` until its first step.
    package struct Step: Codable, Sendable, Equatable {
        /// From the upload, on the simulator's clock; 0 decides within the upload.
        package var afterMilliseconds: Int64
        package var state: AppState.ReviewState

        package init(afterMilliseconds: Int64, state: AppState.ReviewState) {
            self.afterMilliseconds = afterMilliseconds
            self.state = state
        }
    }

    /// For whatever is named below by neither identifier nor order.
    package var standard: [Step]
    /// By the UUID of an image or message, in any case.
    package var byIdentifier: [String: [Step]]
    /// The first is for the first image or message uploaded after the script was set.
    package var byUploadOrder: [[Step]]

    package init(
        standard: [Step] = [], byIdentifier: [String: [Step]] = [:], byUploadOrder: [[Step]] = []
    ) {
        self.standard = standard
        self.byIdentifier = byIdentifier
        self.byUploadOrder = byUploadOrder
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            standard: try fields.decodeIfPresent([Step].self, forKey: .standard) ?? [],
            byIdentifier: try fields.decodeIfPresent(
                [String: [Step]].self, forKey: .byIdentifier) ?? [:],
            byUploadOrder: try fields.decodeIfPresent([[Step]].self, forKey: .byUploadOrder) ?? [])
    }

    package static func approve(afterMilliseconds: Int64 = 0) -> [Step] {
        [Step(afterMilliseconds: afterMilliseconds, state: .approved)]
    }

    package static func reject(afterMilliseconds: Int64 = 0) -> [Step] {
        [Step(afterMilliseconds: afterMilliseconds, state: .rejected)]
    }

    /// One state after the other.
    package static func flip(
        to first: AppState.ReviewState, afterMilliseconds: Int64,
        then second: AppState.ReviewState, afterFurtherMilliseconds: Int64
    ) -> [Step] {
        [
            Step(afterMilliseconds: afterMilliseconds, state: first),
            Step(afterMilliseconds: afterMilliseconds + afterFurtherMilliseconds, state: second),
        ]
    }

    /// The sandbox approves at once; in production nothing is decided by itself.
    static func apples(in environment: Environment) -> ReviewScript {
        ReviewScript(standard: environment == .sandbox ? approve() : [])
    }

    func check() throws(ControlError) {
        let steps = standard + byIdentifier.values.joined() + byUploadOrder.joined()
        guard
            steps.allSatisfy({
                (0...ReviewScript.waitMillisecondsLimit).contains($0.afterMilliseconds)
            })
        else { throw ControlError(.invalidState, "afterMilliseconds is 0 to ten years.") }
        guard byIdentifier.keys.allSatisfy({ uuid($0) != nil }) else {
            throw ControlError(.invalidState, "byIdentifier has UUIDs as keys.")
        }
    }

    private static let waitMillisecondsLimit: Int64 = 10 * 366 * 86_400_000

    func steps(identifier: String, order: Int) -> [Step] {
        if let own = byIdentifier.first(where: { $0.key.lowercased() == identifier.lowercased() }) {
            return own.value
        }
        return order < byUploadOrder.count ? byUploadOrder[order] : standard
    }
}
