import Foundation
import Responder
import Retention
import RetentionStore
import Service
import TestSupport
import Testing

@Suite struct DecisionSpoolTests {
    @Test func `every kind of decision comes back as it was`() throws {
        for decision in Samples.decisions {
            let spooled = Samples.spooled(decision)
            let batch = SpoolBatch(spooled.encoded())
            #expect(batch.decisions == [spooled])
            #expect(!batch.hasRest && batch.damagedBytes == 0)
        }
    }

    /// As versions 1 and 2 wrote it: a build that comes after them ships what they left.
    @Test(arguments: [UInt8(1), 2]) func `a record of an earlier form is read`(
        version: UInt8
    ) throws {
        let (tenant, rule, offer) = (TenantID(UUID()), UUID(), UUID())
        let isFirst = version == 1
        let record = DecisionRecord(
            key: AppEnvironment(app: AppID(UUID()), environment: .production),
            signedDate: Instant(milliseconds: 1), requestIdentifier: UUID(),
            decidedAt: Instant(milliseconds: 2), originalTransactionId: "2000000000000001",
            productId: "monthly", localeAsked: "ja-JP",
            decision: Decision(
                answer: .promotionalOffer(
                    offer, productId: "monthly", offerIdentifier: "half",
                    signature: isFirst ? .v2 : .v1),
                rule: RuleID(rule), localeServed: "ja",
                assignment: isFirst
                    ? nil : Assignment(experiment: ExperimentID(UUID()), arm: "half")),
            snapshotNumber: 7, durationMicroseconds: 812, basis: isFirst ? nil : Samples.basis)
        let body = Self.body(of: record, tenant, version: version)
        let read = try #require(SpooledDecision(body: body))
        #expect(read == SpooledDecision(tenant: tenant, record: record))
        #expect(read.row.requestIdentifier == record.requestIdentifier)
        #expect(SpooledDecision(body: [0] + body.dropFirst()) == nil)
        #expect(SpooledDecision(body: body + [0]) == nil)
    }

    private static func body(
        of record: DecisionRecord, _ tenant: TenantID, version: UInt8
    ) -> [UInt8] {
        var writer = CompactWriter()
        writer.append(version)
        writer.append(tenant.uuid)
        writer.append(record.key.app.uuid)
        writer.append(UInt8(record.key.environment == .production ? 1 : 0))
        for number in [
            record.signedDate.milliseconds, record.decidedAt.milliseconds, record.snapshotNumber,
            record.durationMicroseconds,
        ] {
            writer.append(number)
        }
        writer.append(record.requestIdentifier)
        for text in [record.originalTransactionId, record.productId, record.localeAsked] {
            writer.append(text)
        }
        let (decision, parts) = (record.decision, AnswerParts(record.decision.answer))
        writer.append(decision.rule?.uuid)
        writer.append(decision.localeServed)
        if version == 2 {
            writer.append(true)
            writer.append(decision.assignment?.experiment.uuid ?? UUID())
            writer.append(decision.assignment?.arm ?? "")
            writer.append(decision.isHoldout)
        }
        writer.append("promotionalOffer")
        writer.append(parts.messageIdentifier ?? UUID())
        writer.append("monthly")
        writer.append("half")
        guard version == 2, let basis = record.basis else { return writer.bytes }
        writer.append(UInt8(parts.signature?.rawValue ?? 0))
        writer.append(true)
        writer.append(basis.source.rawValue)
        writer.append(bytes: basis.inputs.encoded())
        for time in [
            basis.timings.verify, basis.timings.lookup, basis.timings.decide, basis.timings.sign,
        ] {
            writer.append(time)
        }
        return writer.bytes
    }

    /// Byte for byte: whoever changes the row's form raises the version.
    @Test func `a record of the third form has these bytes`() throws {
        let ids = (1...5).map { UUID(uuid: ($0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
        func id(_ number: UInt8) -> [UInt8] { [number] + [UInt8](repeating: 0, count: 15) }
        func number(_ value: Int64) -> [UInt8] {
            (0..<8).map { UInt8(truncatingIfNeeded: value >> Int64(56 - 8 * $0)) }
        }
        // PostgreSQL's microseconds, from 2000 on.
        let epoch: Int64 = 946_684_800_000
        let values: [[UInt8]?] = [
            id(1), Array("Production".utf8), number(5_000), id(2), number(7_000),
            Array("20".utf8), Array("monthly".utf8), Array("promotionalOffer".utf8), nil, id(3),
            Array("ja-JP".utf8), Array("ja".utf8), id(4), Array("monthly".utf8), nil,
            Array("half".utf8), number(9), number(812), id(5), Array("arm".utf8), [0],
            Array("memory".utf8), Samples.basis.inputs.encoded(), [0, 1],
            Array("noBudgetedOffers".utf8), number(95), number(1), number(2), number(40),
        ]
        let row = values.flatMap { value in
            guard let value else { return [UInt8](repeating: 0xff, count: 4) }
            return number(Int64(value.count)).suffix(4) + value
        }
        let record = DecisionRecord(
            key: AppEnvironment(app: AppID(ids[0]), environment: .production),
            signedDate: Instant(milliseconds: epoch + 5), requestIdentifier: ids[1],
            decidedAt: Instant(milliseconds: epoch + 7), originalTransactionId: "20",
            productId: "monthly", localeAsked: "ja-JP",
            decision: Decision(
                answer: .promotionalOffer(
                    ids[3], productId: "monthly", offerIdentifier: "half", signature: .v1),
                rule: RuleID(ids[2]), localeServed: "ja",
                assignment: Assignment(experiment: ExperimentID(ids[4]), arm: "arm")),
            snapshotNumber: 9, durationMicroseconds: 812, basis: Samples.basis)
        let spooled = SpooledDecision(tenant: TenantID(ids[0]), record: record).encoded()
        let expected: [UInt8] = [3] + id(1) + row
        #expect(Array(spooled[SpooledDecision.headBytes...]) == expected)
    }

    @Test func `a locale from outside is cut to whole characters without NUL`() {
        #expect(SpooledDecision.cut("en\u{0}-US") == "en-US")
        let long = String(repeating: "語", count: 100)
        let cut = SpooledDecision.cut(long)
        #expect(cut.utf8.count <= SpooledDecision.localeBytesLimit && long.hasPrefix(cut))
        #expect(!cut.isEmpty)
    }

    @Test func `a tail cut off anywhere is a rest, and what is before it whole`() {
        let first = Samples.spooled(Samples.decisions[0])
        let second = Samples.spooled(Samples.decisions[1])
        let whole = first.encoded() + second.encoded()
        for length in first.encoded().count..<whole.count {
            let batch = SpoolBatch(Array(whole[..<length]))
            #expect(batch.decisions == [first])
            #expect(batch.consumedBytes == Int64(first.encoded().count))
            #expect(batch.hasRest == (length > first.encoded().count))
        }
    }

    @Test func `one wrong byte never yields another decision`() {
        let good = Samples.spooled(Samples.decisions[2]).encoded()
        for index in good.indices {
            for bit in 0..<8 {
                var bytes = good
                bytes[index] ^= 1 << UInt8(bit)
                let batch = SpoolBatch(bytes)
                #expect(batch.decisions.isEmpty)
                #expect(batch.hasRest || batch.damagedBytes > 0)
            }
        }
    }

    @Test func `random bytes are no decisions and no crash`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...300, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(SpoolBatch(bytes).decisions.isEmpty)
        }
    }

    @Test func `a folder belongs to one process`() throws {
        let folder = try SpoolFolder()
        let first = try DecisionSpool(directory: folder.path)
        let error = #expect(throws: FileError.self) {
            _ = try DecisionSpool(directory: folder.path)
        }
        #expect(error?.code == .inUse)
        try first.append(Samples.spooled(Samples.decisions[0]))
    }

    @Test func `a new start writes a new file and finds what the last one left`() throws {
        let folder = try SpoolFolder()
        let kept = Samples.spooled(Samples.decisions[0])
        do {
            let spool = try DecisionSpool(directory: folder.path)
            try spool.append(kept)
        }
        let spool = try DecisionSpool(directory: folder.path)
        let segments = try spool.segments()
        #expect(segments.all.count == 2 && segments.all.last == segments.growing)
        #expect(try spool.read(segments.all[0], from: 0).decisions == [kept])
    }

    /// Otherwise the shipper would remove the file that is being written.
    @Test func `no listed file is newer than the growing one, whenever it is asked`() throws {
        let folder = try SpoolFolder()
        var limits = DecisionSpool.Limits()
        limits.segmentBytes = 1
        let spool = try DecisionSpool(directory: folder.path, limits: limits)
        let writer = ParallelWork {
            for _ in 0..<500 { try spool.append(Samples.spooled(Samples.decisions[0])) }
        }
        var looks = 0
        while try spool.segments().growing < 500 {
            let segments = try spool.segments()
            try #require(segments.all.allSatisfy { $0 <= segments.growing })
            looks += 1
        }
        try writer.value()
        #expect(looks > 10)
    }

    @Test func `files are closed at their size, and the whole has a limit`() throws {
        let folder = try SpoolFolder()
        var limits = DecisionSpool.Limits()
        let record = Samples.spooled(Samples.decisions[0])
        limits.segmentBytes = Int64(record.encoded().count * 2)
        limits.spoolBytes = Int64(record.encoded().count * 5)
        let spool = try DecisionSpool(directory: folder.path, limits: limits)
        for _ in 0..<5 { try spool.append(record) }
        #expect(try spool.segments().all.count == 3)
        #expect(throws: SpoolFull.self) { try spool.append(record) }
        try spool.remove(try spool.segments().all[0])
        try spool.append(record)
    }
}

/// Decisions of every kind, for spool and shipper.
enum Samples {
    static let rule = RuleID(UUID())

    static let decisions: [Decision] = [
        Decision(answer: .message(UUID()), rule: rule, localeServed: "en-US"),
        Decision(answer: .defaultMessage(UUID()), rule: nil, localeServed: "zh-Hant"),
        Decision(
            answer: .alternateProduct(UUID(), productId: "annual", billingPlanType: .monthly),
            rule: rule, localeServed: "ja"),
        Decision(
            answer: .alternateProduct(UUID(), productId: "年間", billingPlanType: nil), rule: rule,
            localeServed: "ja"),
        Decision(
            answer: .promotionalOffer(UUID(), productId: "monthly", offerIdentifier: "half"),
            rule: rule, localeServed: "es-MX"),
        Decision(answer: .fallback(.chosenByRule), rule: rule, localeServed: nil),
        Decision(answer: .fallback(.nothingToShow), rule: nil, localeServed: nil),
        Decision(
            answer: .promotionalOffer(
                UUID(), productId: "monthly", offerIdentifier: "half", signature: .v1),
            rule: rule, localeServed: "en-US",
            assignment: Assignment(experiment: ExperimentID(UUID()), arm: "half")),
        Decision(answer: .appStoreConnectMessage(UUID()), rule: rule, localeServed: nil),
        Decision(
            answer: .fallback(.holdout), rule: nil, localeServed: nil, assignment: nil,
            isHoldout: true),
    ]

    static let basis = DecisionBasis(
        source: .memory,
        inputs: RecordedInputs(
            subscriber: .known(
                KeptProfile(SubscriberProfile()), asOf: Instant(milliseconds: 3),
                GovernorCounters(offersTaken: 1, lastOfferAt: nil, escalationLevel: 2)),
            budget: .spent(milliunits: 5, currency: "EUR"), mode: .noBudgetedOffers,
            canSignOffers: true),
        timings: DecisionTimings(verify: 95, lookup: 1, decide: 2, sign: 40))

    static func spooled(
        _ decision: Decision, tenant: TenantID = TenantID(UUID()), app: AppID = AppID(UUID()),
        transaction: String = "2000000000000001", at date: Date = Date()
    ) -> SpooledDecision {
        let now = Int64(date.timeIntervalSince1970 * 1_000)
        return SpooledDecision(
            tenant: tenant,
            record: DecisionRecord(
                key: AppEnvironment(app: app, environment: .sandbox),
                signedDate: Instant(milliseconds: now), requestIdentifier: UUID(),
                decidedAt: Instant(milliseconds: now + 5), originalTransactionId: transaction,
                productId: "monthly", localeAsked: "en-US", decision: decision, snapshotNumber: 7,
                durationMicroseconds: 812, basis: decision.isHoldout ? nil : basis))
    }
}
