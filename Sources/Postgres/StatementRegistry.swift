/// Which statements one connection has prepared, least recently used first out.
///
/// Keyed by the bytes of the text *and* the types of the values: the same text with other types
/// is another statement, since the values travel in binary. Not by `String`, whose equality is
/// Unicode's and would take two different texts for one.
struct StatementRegistry {
    /// Per connection. Each costs the server some tens of kilobytes for its plan.
    static let statementsLimit = 256

    struct Key: Hashable {
        let sql: [UInt8]
        let types: [UInt32]

        init(_ query: Query) {
            sql = query.sql
            types = query.parameters.map(\.type.oid)
        }

        func hash(into hasher: inout Hasher) {
            unsafe sql.withUnsafeBytes { bytes in unsafe hasher.combine(bytes: bytes) }
            hasher.combine(types.count)
        }
    }

    private struct Entry {
        let name: String
        var used: UInt64
    }

    private var entries: [Key: Entry] = [:]
    private var uses: UInt64 = 0
    private var names: UInt64 = 0

    var count: Int { entries.count }

    mutating func find(_ key: Key) -> String? {
        guard let index = entries.index(forKey: key) else { return nil }
        uses += 1
        entries.values[index].used = uses
        return entries.values[index].name
    }

    /// Names are never used twice on a connection, so a stale one cannot meet another statement.
    mutating func makeName() -> String {
        names += 1
        return "hf\(names)"
    }

    mutating func insert(_ key: Key, name: String) {
        uses += 1
        entries[key] = Entry(name: name, used: uses)
    }

    /// The statement to give up before `count` others are prepared, if they do not all fit in.
    func nameToEvict(before count: Int) -> (key: Key, name: String)? {
        guard count > 0, entries.count + count > StatementRegistry.statementsLimit else {
            return nil
        }
        return entries.min { $0.value.used < $1.value.used }.map { ($0.key, $0.value.name) }
    }

    @discardableResult
    mutating func remove(_ key: Key) -> String? {
        entries.removeValue(forKey: key)?.name
    }

    mutating func removeAll() {
        entries.removeAll()
    }
}
