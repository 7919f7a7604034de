/// A comparison of treatments inside a rule: everybody whom the rule matches has one arm for good.
package struct Experiment: Codable, Equatable, Sendable {
    package static let armsLimit = 8
    package static let nameBytes = 1...100

    /// Names the experiment, and is its salt: a rename moves nobody.
    package let id: ExperimentID
    package let name: String
    package let arms: [Arm]

    package init(id: ExperimentID, name: String, arms: [Arm]) {
        self.id = id
        self.name = name
        self.arms = arms
    }

    package struct Arm: Codable, Equatable, Sendable {
        package static let keyBytes = 1...32

        /// Names the arm in decisions and reports: `control`, `halfPrice`.
        package let key: String
        /// Hundredths of a percent; 10,000 in all arms.
        package let weight: Int32
        package let treatment: Treatment
        /// Empty until the version is stored: see `BucketAllocation`.
        package let buckets: [BucketRange]

        package init(
            key: String, weight: Int32, treatment: Treatment, buckets: [BucketRange] = []
        ) {
            self.key = key
            self.weight = weight
            self.treatment = treatment
            self.buckets = buckets
        }
    }

    package var salt: String { "experiment:\(id)" }

    /// `nil` only for an experiment that was never given its buckets.
    func arm(ofBucket bucket: Int) -> Arm? {
        arms.first { arm in arm.buckets.contains { $0.contains(bucket) } }
    }

    /// The same with buckets for its weights, moved as little as can be from what `former` had.
    package func allocated(after former: Experiment?) -> Experiment {
        let ranges = BucketAllocation.allocate(
            weights: arms.map(\.weight),
            former: arms.map { arm in
                former?.arms.first { isSame($0.key, arm.key) }?.buckets ?? []
            })
        return Experiment(
            id: id, name: name,
            arms: zip(arms, ranges).map {
                Arm(key: $0.key, weight: $0.weight, treatment: $0.treatment, buckets: $1)
            })
    }
}

/// The share of an app's subscribers who get no rule at all, in production: against them is
/// measured what the rules earn.
package struct Holdout: Codable, Equatable, Sendable {
    package enum Answer: String, Codable, Sendable, CaseIterable {
        /// The product's default message.
        case defaultMessage
        /// Nothing of ours: Apple shows its next layer.
        case fallback
    }

    package static let percents: ClosedRange<Int32> = 1...20
    package static let standard = Holdout(percent: 5, answer: .defaultMessage)
    /// Nobody is held out: nothing can be proved then.
    package static let nobody = Holdout(percent: 0, answer: .defaultMessage)

    /// 1 to 20; 0 for nobody.
    package let percent: Int32
    package let answer: Answer

    package init(percent: Int32, answer: Answer) {
        self.percent = percent
        self.answer = answer
    }

    /// One for an app: raising the share only adds subscribers.
    package static func salt(of app: AppID) -> String { "holdout:\(app)" }

    func includes(bucket: Int) -> Bool { bucket < Int(percent) * Buckets.count / 100 }
}
