internal import Postgres
internal import Retention
package import RetentionStore
package import Service
internal import Synchronization

/// Carries decisions from the spool into PostgreSQL, oldest first, one transaction a tenant.
///
/// A position moves on only after the commit, so an outage loses nothing; whatever is sent twice
/// falls on the same key. A record that the database refuses for what it is, not for a passing
/// fault, is set aside in `rejected.spool-rejects` and counted, and those after it go on.
package final class DecisionShipper: Sendable {
    private struct Position {
        var segment = 0
        var offset: Int64 = 0
        /// Records of this file that only another build can read.
        var unreadRecords = 0
    }

    private let spool: DecisionSpool
    private let store: RetentionStore
    private let clock: Clock
    private let log: Log
    private let metrics: ResponderMetrics
    private let position = Mutex(Position())

    package init(
        spool: DecisionSpool, store: RetentionStore, clock: Clock, log: Log,
        metrics: ResponderMetrics
    ) {
        self.spool = spool
        self.store = store
        self.clock = clock
        self.log = log
        self.metrics = metrics
    }

    /// Ships all that is there now. Called from one thread at a time.
    ///
    /// - Throws: where the database or the disk fails; the next call goes on from the same place.
    package func ship() throws {
        var at = position.withLock { $0 }
        defer {
            position.withLock { $0 = at }
            metrics.shipWaiting.set(Double((try? waitingBytes(after: at)) ?? 0))
        }
        let segments = try spool.segments()
        for segment in segments.all where segment >= at.segment {
            if segment > at.segment { at = Position(segment: segment, offset: 0) }
            let isGrowing = segment >= segments.growing
            try drain(&at, isGrowing: isGrowing)
            if !isGrowing { try finish(at) }
        }
    }

    private func finish(_ at: Position) throws {
        guard at.unreadRecords > 0 else { return try spool.remove(at.segment) }
        try spool.keep(at.segment)
        metrics.spoolKept.add(UInt64(at.unreadRecords))
        log.error(
            "spool_kept",
            [("segment", LogValue(at.segment)), ("decisions", LogValue(at.unreadRecords))])
    }

    private func drain(_ at: inout Position, isGrowing: Bool) throws {
        while true {
            let batch = try spool.read(at.segment, from: at.offset, isClosed: !isGrowing)
            try commit(batch.decisions)
            at.offset += batch.consumedBytes
            at.unreadRecords += batch.unreadRecords
            if batch.damagedBytes > 0 { count(damagedBytes: batch.damagedBytes, at) }
            if batch.consumedBytes == 0 { return }
        }
    }

    private func commit(_ decisions: [SpooledDecision]) throws {
        for (tenant, group) in Dictionary(grouping: decisions, by: \.tenant) {
            do {
                try record(group, of: tenant)
            } catch let error as PostgresError where error.isFaultOfRow {
                try commitOneByOne(group, of: tenant)
            }
        }
    }

    private func commitOneByOne(_ decisions: [SpooledDecision], of tenant: TenantID) throws {
        for decision in decisions {
            do {
                try record([decision], of: tenant)
            } catch let error as PostgresError where error.isFaultOfRow {
                try setAside(decision, error)
            }
        }
    }

    private func record(_ decisions: [SpooledDecision], of tenant: TenantID) throws {
        let now = Instant(milliseconds: clock.now())
        try store.transaction(.spooledRecord(tenant: tenant), at: now) { transaction in
            try transaction.recordDecisions(decisions.map(\.record))
        }
        metrics.shipped.add(UInt64(decisions.count))
    }

    private func setAside(_ decision: SpooledDecision, _ error: PostgresError) throws {
        let file = try AppendFile(path: spool.directory + "/rejected.spool-rejects")
        defer { file.close() }
        try file.append(decision.encoded())
        try file.sync()
        metrics.shipRejected.add()
        log.error(
            "decision_rejected",
            [
                ("tenant", .string(decision.tenant.description)),
                ("requestIdentifier", .string("\(decision.record.requestIdentifier)")),
                ("error", .string("\(error)")),
            ])
    }

    private func count(damagedBytes: Int64, _ at: Position) {
        metrics.spoolDamaged.add(UInt64(max(0, damagedBytes)))
        log.error(
            "spool_damaged",
            [("segment", LogValue(at.segment)), ("bytes", LogValue(damagedBytes))])
    }

    private func waitingBytes(after at: Position) throws -> Int64 {
        let segments = try spool.segments().all.filter { $0 >= at.segment }
        let bytes = try segments.reduce(Int64(0)) { try $0 + spool.sizeBytes($1) }
        return max(0, bytes - at.offset)
    }
}

extension PostgresError {
    /// The same row would be refused again: bad data (class 22), a constraint or a month without
    /// a partition (class 23), or text that no column takes.
    fileprivate var isFaultOfRow: Bool {
        if code == .encoding { return true }
        guard let sqlState else { return false }
        return sqlState.utf8.starts(with: "22".utf8) || sqlState.utf8.starts(with: "23".utf8)
    }
}
