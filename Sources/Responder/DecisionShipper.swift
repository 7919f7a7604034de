internal import Postgres
internal import Retention
package import RetentionStore
package import Service
internal import Synchronization

/// Carries decisions from the spool into PostgreSQL, oldest first, one transaction a tenant.
///
/// A position moves on only after the commit, so an outage loses nothing; whatever is sent twice
/// falls on the same key. What PostgreSQL refuses is one of three things:
///
///     a record, for what it is      set aside in `rejected.spool-rejects`; those after it go on
///     a tenant's, until somebody    the tenant is held: all others go on, its files stay, and it
///     mends something               is tried again every `heldRetryInterval`
///     everybody's                   thrown; the next call goes on from the same place
package final class DecisionShipper: Sendable {
    private struct State {
        var progress = SpoolProgress()
        var lastRetry: ContinuousClock.Instant?
    }

    private let spool: DecisionSpool
    private let store: RetentionStore
    private let clock: Clock
    private let log: Log
    private let metrics: ResponderMetrics
    private let heldRetryInterval: Duration
    private let state = Mutex(State())

    /// - Parameter heldRetryInterval: so that many held tenants do not keep PostgreSQL busy.
    package init(
        spool: DecisionSpool, store: RetentionStore, clock: Clock, log: Log,
        metrics: ResponderMetrics, heldRetryInterval: Duration = .seconds(5)
    ) {
        self.spool = spool
        self.store = store
        self.clock = clock
        self.log = log
        self.metrics = metrics
        self.heldRetryInterval = heldRetryInterval
    }

    /// Ships all that is there now. Called from one thread at a time.
    ///
    /// - Throws: where the database or the disk fails; the next call goes on from the same place.
    package func ship() throws {
        var progress = state.withLock { $0.progress }
        defer {
            state.withLock { $0.progress = progress }
            metrics.shipHeld.set(Double(progress.held.count))
            metrics.shipWaiting.set(Double((try? waitingBytes(after: progress.oldest)) ?? 0))
        }
        try shipNew(&progress)
        if isTimeToRetry() { try shipHeld(&progress) }
        try removeShipped(&progress)
    }

    private func isTimeToRetry() -> Bool {
        let now = ContinuousClock.now
        return state.withLock { state in
            if let last = state.lastRetry, now < last + heldRetryInterval { return false }
            state.lastRetry = now
            return true
        }
    }

    private func shipNew(_ progress: inout SpoolProgress) throws {
        let segments = try spool.segments()
        for segment in segments.all where segment >= progress.at.segment {
            if segment > progress.at.segment { progress.at = SpoolPosition(segment: segment) }
            let isGrowing = segment >= segments.growing
            try drain(&progress, isGrowing: isGrowing)
            if isGrowing { return }
            progress.at = SpoolPosition(segment: segment + 1)
            try removeShipped(&progress)
        }
    }

    private func drain(_ progress: inout SpoolProgress, isGrowing: Bool) throws {
        while true {
            let at = progress.at
            let batch = try spool.read(at.segment, from: at.offset, isClosed: !isGrowing)
            for (tenant, group) in Dictionary(grouping: batch.decisions, by: \.tenant)
            where progress.held[tenant] == nil {
                if let error = try commit(group, of: tenant) {
                    hold(tenant, error, at: at, &progress)
                }
            }
            progress.at.offset += batch.consumedBytes
            if batch.unreadRecords > 0 {
                progress.unreadRecords[at.segment, default: 0] += batch.unreadRecords
            }
            if batch.damagedBytes > 0 { count(damagedBytes: batch.damagedBytes, at) }
            if batch.consumedBytes == 0 { return }
        }
    }

    /// One pass for all held tenants, from the first held place on, over what the others have
    /// behind them. A tenant that is refused again drops out; who reaches the end is held no more.
    private func shipHeld(_ progress: inout SpoolProgress) throws {
        let segments = try spool.segments().all
        let end = progress.at
        var waiting = progress.held
        var place = SpoolPosition()
        while let first = waiting.values.map(\.at).min(), max(first, place) < end {
            place = max(first, place)
            let isClosed = place.segment < end.segment
            let batch = try spool.read(place.segment, from: place.offset, isClosed: isClosed)
            let behind = SpoolPosition(
                segment: place.segment, offset: place.offset + batch.consumedBytes)
            for (tenant, group) in Dictionary(grouping: batch.decisions, by: \.tenant) {
                guard let hold = waiting[tenant], hold.at < behind else { continue }
                guard let error = try commit(group, of: tenant) else { continue }
                self.hold(tenant, error, at: max(hold.at, place), &progress)
                waiting[tenant] = nil
            }
            if batch.consumedBytes > 0 {
                place = behind
            } else {
                let next = segments.first { $0 > place.segment }
                place = next.map { SpoolPosition(segment: $0) } ?? end
            }
        }
        for tenant in waiting.keys {
            progress.release(tenant)
            log.info("tenant_shipped_again", [("tenant", .string(tenant.description))])
        }
    }

    private func hold(
        _ tenant: TenantID, _ error: PostgresError, at: SpoolPosition,
        _ progress: inout SpoolProgress
    ) {
        guard progress.hold(tenant, at: at, reason: "\(error)") else { return }
        log.error(
            "tenant_not_shipped",
            [("tenant", .string(tenant.description)), ("error", .string("\(error)"))])
    }

    /// Forgets the files that nobody needs any more.
    private func removeShipped(_ progress: inout SpoolProgress) throws {
        let needed = progress.oldest.segment
        for segment in try spool.segments().all where segment < needed {
            if let records = progress.unreadRecords[segment] {
                try spool.keep(segment)
                metrics.spoolKept.add(UInt64(records))
                log.error(
                    "spool_kept",
                    [("segment", LogValue(segment)), ("decisions", LogValue(records))])
            } else {
                try spool.remove(segment)
            }
            progress.unreadRecords[segment] = nil
        }
    }

    /// - Returns: why the tenant is to be held; nil when its decisions are in PostgreSQL, or are
    ///   set aside.
    private func commit(
        _ decisions: [SpooledDecision], of tenant: TenantID
    ) throws -> PostgresError? {
        do {
            try record(decisions, of: tenant)
            return nil
        } catch let error as PostgresError where error.isFaultOfRow {
            return try commitOneByOne(decisions, of: tenant)
        } catch let error as PostgresError where error.concernsTenant {
            return error
        }
    }

    /// What is refused is set aside last: all of it is tried again if the tenant is held after all,
    /// or the database lost, and must not be set aside twice.
    private func commitOneByOne(
        _ decisions: [SpooledDecision], of tenant: TenantID
    ) throws -> PostgresError? {
        var refused: [(SpooledDecision, PostgresError)] = []
        for decision in decisions {
            do {
                try record([decision], of: tenant)
            } catch let error as PostgresError where error.isFaultOfRow {
                refused.append((decision, error))
            } catch let error as PostgresError where error.concernsTenant {
                return error
            }
        }
        for (decision, error) in refused { try setAside(decision, error) }
        return nil
    }

    private func record(_ decisions: [SpooledDecision], of tenant: TenantID) throws {
        let now = Instant(milliseconds: clock.now())
        let inserted = try store.transaction(.spooledRecord(tenant: tenant), at: now) {
            try $0.recordDecisions(rows: decisions.map(\.row))
        }
        metrics.shipped.add(UInt64(inserted))
    }

    private func setAside(_ decision: SpooledDecision, _ error: PostgresError) throws {
        let isWritten = try spool.setAside(decision)
        let request = decision.row.requestIdentifier
        metrics.shipRejected.add()
        if !isWritten { metrics.shipRejectedLost.add() }
        log.error(
            isWritten ? "decision_rejected" : "rejected_decision_lost",
            [
                ("tenant", .string(decision.tenant.description)),
                ("requestIdentifier", .string(request.map { "\($0)" } ?? "unknown")),
                ("error", .string("\(error)")),
            ])
    }

    private func count(damagedBytes: Int64, _ at: SpoolPosition) {
        metrics.spoolDamaged.add(UInt64(max(0, damagedBytes)))
        log.error(
            "spool_damaged",
            [("segment", LogValue(at.segment)), ("bytes", LogValue(damagedBytes))])
    }

    private func waitingBytes(after at: SpoolPosition) throws -> Int64 {
        let segments = try spool.segments().all.filter { $0 >= at.segment }
        let bytes = try segments.reduce(Int64(0)) { try $0 + spool.sizeBytes($1) }
        return max(0, bytes - at.offset)
    }
}

extension PostgresError {
    /// The same row would be refused again: bad data (class 22), a constraint (class 23), or text
    /// that no column takes.
    fileprivate var isFaultOfRow: Bool {
        if code == .encoding { return true }
        return (sqlStateClass == "22" || sqlStateClass == "23") && !isWithoutPartition
    }

    /// PostgreSQL gives it the code of a broken `check`, of which it names none; every partition
    /// made later takes the row.
    private var isWithoutPartition: Bool { sqlState == "23514" && constraint == nil }

    /// A refusal of the statement that other tenants need not meet.
    fileprivate var concernsTenant: Bool {
        guard code == .server, let sqlStateClass else { return false }
        return !Self.classesOfEverybody.contains(sqlStateClass)
    }

    /// Passing, or the whole server's: connection, a standby, a roll-back, resources, a lock,
    /// somebody's intervention, the system, the server itself.
    private static let classesOfEverybody = ["08", "25", "40", "53", "55", "57", "58", "XX"]

    private var sqlStateClass: String? { sqlState.map { String($0.prefix(2)) } }
}
