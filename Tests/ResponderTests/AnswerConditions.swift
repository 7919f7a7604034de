import Foundation
import Postgres
import Responder
import Retention
import RetentionStore
import Service
import Synchronization
import TestSupport

/// How things are with the responder of an `AnswerStage`, as the checker brings it about. Ages are
/// in milliseconds, and `nil` where nobody can tell.
struct AnswerConditions: Decodable {
    let snapshotsAge: Int64?
    let subscribersAge: Int64?
    let findsSubscribers: Bool
    let readsBudgets: Bool

    static let good = AnswerConditions(
        snapshotsAge: 0, subscribersAge: 0, findsSubscribers: true, readsBudgets: true)

    private init(
        snapshotsAge: Int64?, subscribersAge: Int64?, findsSubscribers: Bool, readsBudgets: Bool
    ) {
        self.snapshotsAge = snapshotsAge
        self.subscribersAge = subscribersAge
        self.findsSubscribers = findsSubscribers
        self.readsBudgets = readsBudgets
    }
}

/// The conditions under which requests are answered now.
final class CurrentConditions: Sendable {
    private let current = Mutex(AnswerConditions.good)
    /// The time since the snapshots were last asked for passes by this clock alone.
    let uptime = ManualClock(milliseconds: 0)

    var value: AnswerConditions { current.withLock { $0 } }

    func set(_ body: [UInt8]) throws {
        let conditions = try JSONDecoder().decode(AnswerConditions.self, from: Data(body))
        uptime.set(milliseconds: conditions.snapshotsAge ?? 0)
        current.withLock { $0 = conditions }
    }

    /// Each from where it can be had now: from the good sources, or from such as reach no database.
    func sources(_ good: DecisionSources, _ metrics: ResponderMetrics) throws -> DecisionSources {
        var settings = PoolSettings(url: "postgresql:///holdfast?host=/nowhere")
        settings.connectTimeout = .seconds(1)
        let nowhere = RetentionStore(pool: try Pool(settings))
        let dark = DecisionSources(
            lookup: ProfileLookup(
                table: ProfileTable(bytes: 1 << 20, shards: 1, hash: { $0.hashOfProcess }),
                store: nowhere, limit: 1, metrics: metrics),
            budgets: DiscountBudgets(store: nowhere))
        return DecisionSources(
            subscriber: { [self] tenant, key, transaction, mayAskDatabase, isGenuine in
                (value.findsSubscribers ? good : dark)
                    .subscriber(tenant, key, transaction, mayAskDatabase, isGenuine)
            }, budget: { [self] in (value.readsBudgets ? good : dark).budget($0, $1) },
            age: { [self] in value.subscribersAge.map { .milliseconds($0) } })
    }
}
