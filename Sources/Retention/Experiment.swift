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

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, arms
    }

    package init(from decoder: any Decoder) throws {
        try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ExperimentID.self, forKey: .id)
        name = try container.decode(String.self, forKey: .name)
        arms = try container.decode([Arm].self, forKey: .arms)
        guard Self.nameBytes.contains(name.utf8.count) else {
            throw decoder.refusal("an experiment's name has 1 to 100 bytes")
        }
        // Each weight is bounded, and so is their number: the sum is.
        guard (1...Self.armsLimit).contains(arms.count),
            arms.reduce(0, { $0 + $1.weight }) == Arm.weights.upperBound
        else { throw decoder.refusal("an experiment has 1 to 8 arms that weigh 10000 together") }
    }

    package struct Arm: Codable, Equatable, Sendable {
        package static let keyBytes = 1...32
        package static let weights: ClosedRange<Int32> = 0...Int32(Buckets.count)

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

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case key, weight, treatment, buckets
        }

        package init(from decoder: any Decoder) throws {
            try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
            let container = try decoder.container(keyedBy: CodingKeys.self)
            key = try container.decode(String.self, forKey: .key)
            weight = try container.decode(Int32.self, forKey: .weight)
            treatment = try container.decode(Treatment.self, forKey: .treatment)
            buckets = try container.decode([BucketRange].self, forKey: .buckets)
            guard Self.keyBytes.contains(key.utf8.count), Self.weights.contains(weight),
                buckets.count <= Buckets.count
            else {
                throw decoder.refusal("an arm has a key of 1 to 32 bytes and weighs 0 to 10000")
            }
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

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case percent, answer
    }

    package init(from decoder: any Decoder) throws {
        try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        percent = try container.decode(Int32.self, forKey: .percent)
        answer = try container.decode(Answer.self, forKey: .answer)
        guard percent == 0 || Self.percents.contains(percent) else {
            throw decoder.refusal("a holdout is 0 to 20 percent")
        }
    }

    /// One for an app: raising the share only adds subscribers.
    package static func salt(of app: AppID) -> String { "holdout:\(app)" }

    func includes(bucket: Int) -> Bool { bucket < Int(percent) * Buckets.count / 100 }
}
