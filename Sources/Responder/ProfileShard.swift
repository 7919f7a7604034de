internal import Retention
internal import RetentionStore

/// One part of the table, used under its lock: open addressing into records of fixed size, whose
/// bodies lie in chains of cells. Everything is in a few flat arrays, none of which grows past its
/// share of the memory.
///
///     hash ──> slots ──> record (key, times, counters) ──> cell ──> cell   (body)
///                           ^
///                         hand: clears "used lately", or evicts what was not (CLOCK)
struct ProfileShard: ~Copyable {
    static let cellBytes = 64
    /// A profile of about 120 bytes takes two.
    private static let cellsPerFourRecords = 9
    /// Of one record with its share of slots, cells and free lists, at most.
    static let recordBytes =
        Record.words * 8 + 22 + 4 + cellsPerFourRecords * (cellBytes + 4) / 4

    let recordLimit: Int
    private let cellLimit: Int
    private let mask: Int
    /// The number of the record above 0, and the lower half of its hash.
    private var slots: [(record: UInt32, tag: UInt32)]
    private var records: [UInt64] = []
    private var freeRecords: [UInt32] = []
    private var cells: [UInt8] = []
    /// Of each cell the next one above 0, in its chain or in that of the free ones.
    private var nextCells: [UInt32] = []
    private var freeCell: UInt32 = 0
    private var freeCells = 0
    private var hand = 0
    private(set) var count = 0
    private(set) var evictions: UInt64 = 0
    /// Rises with every change told by the feed.
    private(set) var version: UInt64 = 0

    init(bytes: Int) {
        recordLimit = max(1, min(bytes / Self.recordBytes, Int(Int32.max)))
        cellLimit = max(
            Self.cells(ProfileKey.identifierBytesLimit + StoredProfile.bodyLimit),
            recordLimit * Self.cellsPerFourRecords / 4)
        var slotCount = 4
        while slotCount < recordLimit * 4 / 3 { slotCount *= 2 }
        mask = slotCount - 1
        slots = Array(repeating: (record: 0, tag: 0), count: slotCount)
        // Once and for all: memory that is not written yet costs nothing.
        records.reserveCapacity(recordLimit * Record.words)
        cells.reserveCapacity(cellLimit * Self.cellBytes)
        nextCells.reserveCapacity(cellLimit)
    }

    /// In use, in bytes.
    var bytes: Int {
        records.count * 8 + freeRecords.count * 4 + cells.count + nextCells.count * 4
            + slots.count * 8
    }

    // MARK: - What the table does

    /// - Parameter now: asked for an entry that says "nothing" only.
    mutating func find(
        _ key: ProfileKey, _ hash: UInt64, now: () -> Int64
    ) -> ProfileReading? {
        guard let record = record(of: key, hash) else { return nil }
        let meta = Meta(records[record + Record.meta])
        if meta.isAbsent {
            if Int64(bitPattern: records[record + Record.asOf]) <= now() {
                remove(record)
                return nil
            }
        }
        // Not written again for nothing: other cores have the line too.
        if !meta.isUsedLately { records[record + Record.meta] = meta.usedLately.bits }
        return meta.isAbsent ? .absent : reading(record, meta)
    }

    func holds(_ key: ProfileKey, _ hash: UInt64) -> Bool {
        record(of: key, hash) != nil
    }

    /// Whether it fits in without an eviction.
    func hasRoom(_ key: ProfileKey, _ reading: ProfileReading) -> Bool {
        let needed = Self.cells(key.identifierTailBytes + reading.bodyBytes)
        return count < recordLimit && freeCells + cellLimit - nextCells.count >= needed
    }

    /// Puts an entry in the place of the one that may be there; others that were not used lately
    /// make room.
    ///
    /// - Parameter expiry: of an entry that says "nothing", on the clock of `find`.
    mutating func put(
        _ key: ProfileKey, _ hash: UInt64, _ reading: ProfileReading,
        isUsed: Bool, expiry: Int64
    ) {
        forget(key, hash)
        let needed = Self.cells(key.identifierTailBytes + reading.bodyBytes)
        while count >= recordLimit || freeCells + cellLimit - nextCells.count < needed { evict() }
        let record = takeRecord()
        write(record, key, hash, reading, isUsed: isUsed, expiry: expiry)
        insert(record, hash)
        count += 1
    }

    mutating func forget(_ key: ProfileKey, _ hash: UInt64) {
        if let record = record(of: key, hash) { remove(record) }
    }

    mutating func noteChange() { version &+= 1 }

    mutating func removeAll() {
        for slot in slots.indices { slots[slot] = (record: 0, tag: 0) }
        records.removeAll(keepingCapacity: true)
        freeRecords.removeAll()
        cells.removeAll(keepingCapacity: true)
        nextCells.removeAll(keepingCapacity: true)
        (freeCell, freeCells, hand, count) = (0, 0, 0, 0)
        noteChange()
    }

    // MARK: - Slots

    private static func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash) }

    /// Where the record of exactly this key begins.
    private func record(of key: ProfileKey, _ hash: UInt64) -> Int? {
        let tag = Self.tag(hash)
        var place = Int(tag) & mask
        while slots[place].record != 0 {
            if slots[place].tag == tag {
                let record = Record.start(slots[place].record)
                if isRecord(record, key) { return record }
            }
            place = (place + 1) & mask
        }
        return nil
    }

    private func isRecord(_ record: Int, _ key: ProfileKey) -> Bool {
        guard records[record + Record.tenant] == key.tenant.0,
            records[record + Record.tenant + 1] == key.tenant.1,
            records[record + Record.app] == key.app.0,
            records[record + Record.app + 1] == key.app.1,
            records[record + Record.identifier] == key.identifier[0],
            records[record + Record.identifier + 1] == key.identifier[1]
        else { return false }
        let meta = Meta(records[record + Record.meta])
        guard meta.isSandbox == key.isSandbox, meta.identifierBytes == key.identifierBytes else {
            return false
        }
        return key.identifierTailBytes == 0 || hasTail(record, key)
    }

    /// What of the identifier does not fit into the record stands at the begin of the cells; it
    /// always fits into the first.
    private func hasTail(_ record: Int, _ key: ProfileKey) -> Bool {
        let start = (Int(records[record + Record.cell]) - 1) * Self.cellBytes
        for place in 0..<key.identifierTailBytes
        where cells[start + place] != key.identifierByte(ProfileKey.identifierHeadBytes + place) {
            return false
        }
        return true
    }

    private mutating func insert(_ record: Int, _ hash: UInt64) {
        let tag = Self.tag(hash)
        var place = Int(tag) & mask
        while slots[place].record != 0 { place = (place + 1) & mask }
        slots[place] = (record: Record.number(record), tag: tag)
    }

    private mutating func evict() {
        while true {
            hand = (hand + Record.words) < records.count ? hand + Record.words : 0
            let meta = Meta(records[hand + Record.meta])
            guard meta.isThere else { continue }
            guard meta.isUsedLately else {
                evictions &+= 1
                return remove(hand)
            }
            records[hand + Record.meta] = meta.notUsedLately.bits
        }
    }

    /// Those behind it that were pushed past their place move up, so that no search stops short.
    private mutating func remove(_ record: Int) {
        let number = Record.number(record)
        var hole = Int(Self.tag(records[record + Record.hash])) & mask
        while slots[hole].record != number { hole = (hole + 1) & mask }
        var next = (hole + 1) & mask
        while slots[next].record != 0 {
            let home = Int(slots[next].tag) & mask
            if (next - home) & mask >= (next - hole) & mask {
                slots[hole] = slots[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        slots[hole] = (record: 0, tag: 0)
        freeCells(from: UInt32(truncatingIfNeeded: records[record + Record.cell]))
        records[record + Record.meta] = 0
        freeRecords.append(number)
        count -= 1
    }

    // MARK: - Records

    private mutating func takeRecord() -> Int {
        if let free = freeRecords.popLast() { return Record.start(free) }
        let record = records.count
        for _ in 0..<Record.words { records.append(0) }
        return record
    }

    private mutating func write(
        _ record: Int, _ key: ProfileKey, _ hash: UInt64,
        _ reading: ProfileReading, isUsed: Bool, expiry: Int64
    ) {
        records[record + Record.hash] = hash
        records[record + Record.tenant] = key.tenant.0
        records[record + Record.tenant + 1] = key.tenant.1
        records[record + Record.app] = key.app.0
        records[record + Record.app + 1] = key.app.1
        records[record + Record.identifier] = key.identifier[0]
        records[record + Record.identifier + 1] = key.identifier[1]
        var content: [UInt8] = []
        for place in 0..<key.identifierTailBytes {
            content.append(key.identifierByte(ProfileKey.identifierHeadBytes + place))
        }
        var meta = Meta(
            identifierBytes: key.identifierBytes, isSandbox: key.isSandbox, isUsedLately: isUsed)
        if case .found(let profile, let counters) = reading {
            if let profile {
                meta.setBody(profile.body.count)
                content += profile.body
                records[record + Record.asOf] = UInt64(bitPattern: profile.asOf.milliseconds)
            }
            let last = counters.lastOfferAt?.milliseconds ?? Record.never
            records[record + Record.lastOffer] = UInt64(bitPattern: last)
            records[record + Record.counters] =
                UInt64(UInt32(bitPattern: counters.offersTaken)) << 32
                | UInt64(UInt32(bitPattern: counters.escalationLevel))
        } else {
            meta.setAbsent()
            records[record + Record.asOf] = UInt64(bitPattern: expiry)
        }
        records[record + Record.meta] = meta.bits
        records[record + Record.cell] = UInt64(writeCells(content))
    }

    private func reading(_ record: Int, _ meta: Meta) -> ProfileReading {
        let last = Int64(bitPattern: records[record + Record.lastOffer])
        let counts = records[record + Record.counters]
        let counters = GovernorCounters(
            offersTaken: Int32(truncatingIfNeeded: counts >> 32),
            lastOfferAt: last == Record.never ? nil : Instant(milliseconds: last),
            escalationLevel: Int32(truncatingIfNeeded: counts))
        guard meta.hasProfile else { return .found(nil, counters) }
        let body = body(
            from: Int(records[record + Record.cell]),
            skipping: max(0, meta.identifierBytes - ProfileKey.identifierHeadBytes),
            count: meta.bodyBytes)
        let asOf = Instant(milliseconds: Int64(bitPattern: records[record + Record.asOf]))
        return .found(StoredProfile(body: body, asOf: asOf), counters)
    }

    // MARK: - Cells

    private static func cells(_ bytes: Int) -> Int { (bytes + cellBytes - 1) / cellBytes }

    /// - Returns: the first of the chain, above 0; 0 for nothing.
    private mutating func writeCells(_ content: [UInt8]) -> UInt32 {
        var next: UInt32 = 0
        // From the end, so that each knows the next.
        for part in stride(from: Self.cells(content.count) - 1, through: 0, by: -1) {
            let cell = takeCell()
            let start = (Int(cell) - 1) * Self.cellBytes
            let from = part * Self.cellBytes
            for place in 0..<min(Self.cellBytes, content.count - from) {
                cells[start + place] = content[from + place]
            }
            nextCells[Int(cell) - 1] = next
            next = cell
        }
        return next
    }

    private mutating func takeCell() -> UInt32 {
        guard freeCell == 0 else {
            let cell = freeCell
            freeCell = nextCells[Int(cell) - 1]
            freeCells -= 1
            return cell
        }
        nextCells.append(0)
        cells.append(contentsOf: repeatElement(0, count: Self.cellBytes))
        return UInt32(nextCells.count)
    }

    private mutating func freeCells(from first: UInt32) {
        var cell = first
        while cell != 0 {
            let next = nextCells[Int(cell) - 1]
            nextCells[Int(cell) - 1] = freeCell
            freeCell = cell
            freeCells += 1
            cell = next
        }
    }

    private func body(from first: Int, skipping: Int, count: Int) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(count)
        var (cell, offset) = (first, skipping)
        while body.count < count, cell != 0 {
            let start = (cell - 1) * Self.cellBytes
            let taken = min(Self.cellBytes - offset, count - body.count)
            body.append(contentsOf: cells[start + offset..<start + offset + taken])
            (cell, offset) = (Int(nextCells[cell - 1]), 0)
        }
        return body
    }
}
