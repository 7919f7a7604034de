internal import FoundationEssentials
internal import Retention
internal import RetentionStore
internal import Service

/// A file of profiles: one JSON object a line, in any order, empty lines allowed. The body's form
/// is in `docs/profiles.md`.
///
///     {"originalTransactionId":"20000001","bodyBase64":"AQgAAQE=","asOf":"2026-11-30T04:05:06Z"}
struct ProfileFile: ProfileBatches {
    private static let identifierCharactersLimit = 64

    private struct Line: Decodable {
        let originalTransactionId: String
        let bodyBase64: Data
        let asOf: String
    }

    private var lines: LineReader

    init(_ path: String) { lines = LineReader(path) }

    mutating func next(_ limit: Int) throws -> [NewProfile]? {
        var batch: [(number: Int, text: ArraySlice<UInt8>)] = []
        while batch.count < limit, let line = try lines.next() {
            if !line.text.isEmpty { batch.append(line) }
        }
        return batch.isEmpty ? nil : Self.newest(try read(batch))
    }

    /// All in one go, which is several times faster than line by line; where that fails, line by
    /// line, to name the one that is wrong.
    private func read(
        _ batch: [(number: Int, text: ArraySlice<UInt8>)]
    ) throws -> [NewProfile] {
        var list = [UInt8(ascii: "[")]
        for line in batch {
            list += line.text
            list.append(UInt8(ascii: ","))
        }
        list[list.count - 1] = UInt8(ascii: "]")
        if let read = try? JSONDecoder().decode([Line].self, from: Data(list)),
            read.count == batch.count
        {
            return try zip(batch, read).map { try profile($1, at: $0.number) }
        }
        return try batch.map { line in
            guard let read = try? JSONDecoder().decode(Line.self, from: Data(line.text)) else {
                throw bad(line.number, "is no object of originalTransactionId, bodyBase64 and asOf")
            }
            return try profile(read, at: line.number)
        }
    }

    private func profile(_ line: Line, at number: Int) throws -> NewProfile {
        let identifier = line.originalTransactionId
        guard (1...Self.identifierCharactersLimit).contains(identifier.unicodeScalars.count) else {
            throw bad(number, "has an originalTransactionId that is empty or too long")
        }
        guard (1...StoredProfile.bodyLimit).contains(line.bodyBase64.count) else {
            throw bad(number, "has a body of 0 or more than \(StoredProfile.bodyLimit) bytes")
        }
        let body = Array(line.bodyBase64)
        // Later nobody would be told: a responder takes such a profile for none.
        guard SubscriberProfile(body: body) != nil else {
            throw bad(number, "has a body that is no profile (its form: docs/profiles.md)")
        }
        guard let asOf = InstantText.milliseconds(rfc3339: line.asOf) else {
            throw bad(number, "has an asOf that is no RFC 3339 time")
        }
        return NewProfile(
            originalTransactionId: identifier,
            profile: StoredProfile(
                body: body, asOf: Instant(milliseconds: asOf)))
    }

    private func bad(_ number: Int, _ problem: String) -> BadLine {
        BadLine(path: lines.path, number: number, problem: problem)
    }

    /// A subscriber may stand there more than once; one statement takes each once.
    private static func newest(_ profiles: [NewProfile]) -> [NewProfile] {
        var newest: [[UInt8]: NewProfile] = [:]
        for new in profiles {
            let key = Array(new.originalTransactionId.utf8)
            if let known = newest[key], known.profile.asOf > new.profile.asOf { continue }
            newest[key] = new
        }
        return newest.count == profiles.count ? profiles : Array(newest.values)
    }
}

/// A line of a file that cannot be taken; nothing of the line is repeated.
struct BadLine: Error, CustomStringConvertible {
    let path: String
    let number: Int
    let problem: String

    var description: String { "line \(number) of \(path) \(problem); correct it, then load again" }
}

/// The lines of a file of any size, with little of it in memory.
private struct LineReader {
    private static let chunkBytes = 1 << 20
    /// A body of 1,024 bytes takes 1,368 characters.
    private static let lineBytesLimit = 4_096

    let path: String
    private var offset: Int64 = 0
    private var chunk: [UInt8] = []
    private var place = 0
    private var isAtEnd = false
    private var number = 0

    init(_ path: String) { self.path = path }

    /// Nil at the end. Without the white space around it.
    mutating func next() throws -> (number: Int, text: ArraySlice<UInt8>)? {
        while true {
            let end = chunk[place...].firstIndex(of: UInt8(ascii: "\n"))
            guard (end ?? chunk.count) - place <= Self.lineBytesLimit else {
                throw BadLine(path: path, number: number + 1, problem: "is too long")
            }
            if let end { return take(to: end, skipping: 1) }
            guard !isAtEnd else {
                return place < chunk.count ? take(to: chunk.count, skipping: 0) : nil
            }
            let more = try FileBytes.read(path, from: offset, count: Self.chunkBytes)
            isAtEnd = more.count < Self.chunkBytes
            offset += Int64(more.count)
            chunk = Array(chunk[place...]) + more
            place = 0
        }
    }

    private mutating func take(
        to end: Int, skipping: Int
    ) -> (number: Int, text: ArraySlice<UInt8>) {
        var text = chunk[place..<end]
        while let first = text.first, Self.isSpace(first) { text = text.dropFirst() }
        while let last = text.last, Self.isSpace(last) { text = text.dropLast() }
        place = end + skipping
        number += 1
        return (number, Array(text)[...])
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
}
