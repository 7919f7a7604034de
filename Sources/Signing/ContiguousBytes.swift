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
