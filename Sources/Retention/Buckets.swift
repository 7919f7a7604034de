/// Everybody falls into one of 10,000 buckets of a salt: by SHA-256 of the salt and the
/// originalTransactionId, and so into the same one in every process, after every restart and
/// whatever happens to other salts.
package enum Buckets {
    package static let count = 10_000

    /// What is hashed. The zero byte keeps a salt and an id apart: no text of ours holds it.
    package static func hashed(salt: String, originalTransactionId: String) -> [UInt8] {
        Array(salt.utf8) + [0] + Array(originalTransactionId.utf8)
    }

    /// - Parameter digest: SHA-256 of `hashed`; its first eight bytes are read as one number.
    package static func bucket(digest: [UInt8]) -> Int {
        let number = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(number % UInt64(count))
    }
}

/// Buckets from `first` up to but not with `end`.
package struct BucketRange: Hashable, Codable, Sendable {
    package let first: Int32
    package let end: Int32

    package init(_ first: Int32, _ end: Int32) {
        self.first = first
        self.end = end
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case first, end
    }

    package init(from decoder: any Decoder) throws {
        try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
        let container = try decoder.container(keyedBy: CodingKeys.self)
        first = try container.decode(Int32.self, forKey: .first)
        end = try container.decode(Int32.self, forKey: .end)
        guard 0 <= first, first < end, end <= Int32(Buckets.count) else {
            throw decoder.refusal("buckets are 0 to 9999, and a range has one at least")
        }
    }

    /// Those that exist.
    package var buckets: Range<Int> {
        let first = min(max(0, Int(first)), Buckets.count)
        return first..<max(first, min(Int(end), Buckets.count))
    }

    func contains(_ bucket: Int) -> Bool { Int(first) <= bucket && bucket < Int(end) }
}

/// Which arm of an experiment has which buckets.
///
/// Weights may change; then as few buckets as can be change hands, since a subscriber who changes
/// arms is lost to the comparison. An arm that shrinks gives up buckets, one that grows takes given
/// up ones, and no other bucket moves.
package enum BucketAllocation {
    /// - Parameters:
    ///   - weights: hundredths of a percent of each arm; 10,000 in all.
    ///   - former: what each of the same arms had before; empty for a new one.
    /// - Returns: the ranges of each arm, in the order of the buckets.
    package static func allocate(
        weights: [Int32], former: [[BucketRange]]
    ) -> [[BucketRange]] {
        var owners = [Int?](repeating: nil, count: Buckets.count)
        var counts = [Int32](repeating: 0, count: weights.count)
        for (arm, ranges) in former.prefix(weights.count).enumerated() {
            for bucket in ranges.flatMap(\.buckets)
            where owners[bucket] == nil && counts[arm] < weights[arm] {
                owners[bucket] = arm
                counts[arm] += 1
            }
        }
        var arm = 0
        for bucket in owners.indices where owners[bucket] == nil {
            while arm < weights.count, counts[arm] >= weights[arm] { arm += 1 }
            guard arm < weights.count else { break }
            owners[bucket] = arm
            counts[arm] += 1
        }
        return weights.indices.map { arm in ranges(of: arm, in: owners) }
    }

    private static func ranges(of arm: Int, in owners: [Int?]) -> [BucketRange] {
        var ranges: [BucketRange] = []
        for (bucket, owner) in owners.enumerated() where owner == arm {
            let bucket = Int32(bucket)
            if let last = ranges.last, last.end == bucket {
                ranges[ranges.count - 1] = BucketRange(last.first, bucket + 1)
            } else {
                ranges.append(BucketRange(bucket, bucket + 1))
            }
        }
        return ranges
    }
}
