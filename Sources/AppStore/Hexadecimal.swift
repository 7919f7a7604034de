internal import FoundationEssentials

/// Hexadecimal digits in bytes.
enum Hexadecimal {
    static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Of a number below 16, in lower case.
    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// A UUID in its one textual form of 36 characters, either case; nil for any other.
    static func uuid(_ text: ArraySlice<UInt8>) -> UUID? {
        guard text.count == 36 else { return nil }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for (index, byte) in text.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard let value = value(byte) else { return nil }
                high = high << 4 | low >> 60
                low = low << 4 | UInt64(value)
            }
        }
        let halves = (high.bigEndian, low.bigEndian)
        return UUID(uuid: unsafe unsafeBitCast(halves, to: uuid_t.self))
    }
}
