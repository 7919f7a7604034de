/// A version of an app, compared number by number: `9.0.0` is below `10.0.0`, `2.1` is `2.1.0`,
/// `2.1-beta.9` is below `2.1-beta.10`, and both are below `2.1`. What follows a `+` is ignored.
package struct AppVersion: Comparable, Sendable, CustomStringConvertible {
    static let partsLimit = 8
    static let bytesLimit = 64

    private enum Part: Comparable {
        // In this order: a number is below a word, as in Semantic Versioning.
        case number(Int64)
        case word([UInt8])

        static func < (a: Part, b: Part) -> Bool {
            switch (a, b) {
            case (.number(let a), .number(let b)): a < b
            case (.word(let a), .word(let b)): a.lexicographicallyPrecedes(b)
            case (.number, .word): true
            case (.word, .number): false
            }
        }
    }

    package let description: String
    private let numbers: [Int64]
    private let stage: [Part]

    /// `nil` for what is no version: nothing may be concluded from it.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...Self.bytesLimit).contains(bytes.count) else { return nil }
        let release = bytes.prefix { $0 != UInt8(ascii: "+") }
        let main = release.prefix { $0 != UInt8(ascii: "-") }
        let numbers = Self.pieces(main).map(Self.number)
        guard (1...Self.partsLimit).contains(numbers.count), !numbers.contains(nil) else {
            return nil
        }
        var trimmed = numbers.compactMap(\.self)
        while trimmed.count > 1, trimmed.last == 0 { trimmed.removeLast() }
        self.numbers = trimmed
        guard main.count < release.count else {
            stage = []
            description = text
            return
        }
        let pieces = Self.pieces(release[(main.endIndex + 1)...])
        guard pieces.count <= Self.partsLimit, pieces.allSatisfy({ !$0.isEmpty }) else {
            return nil
        }
        stage = pieces.map { piece in Self.number(piece).map(Part.number) ?? .word(Array(piece)) }
        description = text
    }

    private static func pieces(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard (1...18).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) })
        else {
            return nil
        }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    package static func == (a: AppVersion, b: AppVersion) -> Bool {
        a.numbers == b.numbers && a.stage == b.stage
    }

    package static func < (a: AppVersion, b: AppVersion) -> Bool {
        if a.numbers != b.numbers { return a.numbers.lexicographicallyPrecedes(b.numbers) }
        // A release is above its stages.
        if a.stage.isEmpty || b.stage.isEmpty { return !a.stage.isEmpty && b.stage.isEmpty }
        return a.stage.lexicographicallyPrecedes(b.stage)
    }
}
