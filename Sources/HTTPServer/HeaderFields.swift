/// Header fields in the order they came: one run of bytes and the places in it, so that a request
/// costs two allocations however many fields it has. Names are compared as ASCII bytes without
/// regard to case, never as text: canonically equal characters are not the same name.
struct HeaderFields: Sendable {
    private struct Place {
        let nameStart: Int
        let valueStart: Int
        let end: Int
    }

    private var bytes: [UInt8] = []
    private var places: [Place] = []

    init() {}

    init(_ fields: [(String, String)]) {
        for (name, value) in fields {
            append(name: Array(name.utf8), value: Array(value.utf8))
        }
    }

    var count: Int { places.count }
    /// Names and values together.
    var byteCount: Int { bytes.count }

    mutating func append(name: some Collection<UInt8>, value: some Collection<UInt8>) {
        let nameStart = bytes.count
        bytes.append(contentsOf: name)
        let valueStart = bytes.count
        bytes.append(contentsOf: value)
        places.append(Place(nameStart: nameStart, valueStart: valueStart, end: bytes.count))
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    func name(at index: Int) -> ArraySlice<UInt8> {
        bytes[places[index].nameStart..<places[index].valueStart]
    }

    func value(at index: Int) -> ArraySlice<UInt8> {
        bytes[places[index].valueStart..<places[index].end]
    }

    /// The place of the first field of this name.
    func firstIndex(of name: String) -> Int? {
        places.indices.first { isNamed($0, name.utf8) }
    }

    func first(_ name: String) -> String? {
        firstIndex(of: name).map { String(decoding: value(at: $0), as: UTF8.self) }
    }

    /// How many fields bear this name.
    func count(of name: String) -> Int {
        places.indices.reduce(0) { isNamed($1, name.utf8) ? $0 + 1 : $0 }
    }

    private func isNamed(_ index: Int, _ wanted: some Collection<UInt8>) -> Bool {
        equalIgnoringASCIICase(name(at: index), wanted)
    }
}

/// Equal but for the case of the letters A to Z.
func equalIgnoringASCIICase(
    _ left: some Collection<UInt8>, _ right: some Collection<UInt8>
) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { lowercased($0) == lowercased($1) }
}

private func lowercased(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
}
