internal import Glibc

/// Equal byte for byte: many times faster than `==` over slices where they are long. How long it
/// takes tells where they differ, so it is not for secrets.
package func sameBytes(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBytes { left in
        unsafe right.withUnsafeBytes { right in
            guard let one = left.baseAddress, let other = right.baseAddress else { return true }
            return unsafe memcmp(one, other, left.count) == 0
        }
    }
}

package func sameBytes(_ left: ArraySlice<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBytes { left in
        guard let one = left.baseAddress, let other = right.baseAddress else { return true }
        return unsafe memcmp(one, other, left.count) == 0
    }
}

/// Where the run of plain text ends that begins at `start`: at the first byte that is no visible
/// ASCII or blank, or is a quote or a backslash; at the end where there is none. Eight bytes at a
/// time: all but a few of a real-time body's 5,000 bytes are one such run.
package func endOfPlainText(in bytes: [UInt8], from start: Int) -> Int {
    unsafe bytes.withUnsafeBytes { bytes in
        var place = start
        while place + 8 <= bytes.count {
            let word = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            guard !holdsOther(word) else { break }
            place += 8
        }
        while place < bytes.count {
            let byte = unsafe bytes[place]
            guard byte &- 0x20 < 0x60, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\")
            else { break }
            place += 1
        }
        return place
    }
}

/// Whether one of the eight bytes is no plain text. A byte is zero exactly where subtracting one
/// borrows into its top bit, which was not set before; a borrow may only add to a find.
private func holdsOther(_ word: UInt64) -> Bool {
    let (ones, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    func holdsZero(_ word: UInt64) -> UInt64 { (word &- ones) & ~word & tops }
    let controls = (word &- ones &* 0x20) & ~word & tops
    let quotes = holdsZero(word ^ ones &* 0x22)
    let backslashes = holdsZero(word ^ ones &* 0x5C)
    return (word & tops) | controls | quotes | backslashes != 0
}

extension ArraySlice<UInt8> {
    /// As `firstIndex(of:)`, many bytes at a time.
    func place(of byte: UInt8) -> Int? {
        let offset: Int? = unsafe withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress,
                let found = unsafe memchr(start, Int32(byte), bytes.count)
            else { return nil }
            return unsafe start.distance(to: found)
        }
        return offset.map { startIndex + $0 }
    }
}

extension Collection<UInt8> {
    /// The bytes as one piece of memory, valid inside `body` only. Arrays, slices and a string's
    /// UTF-8 lend theirs; anything else is copied first.
    func withBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        if let result = withContiguousStorageIfAvailable(body) { return result }
        return unsafe Array(self).withUnsafeBufferPointer(body)
    }
}
