extension Collection<UInt8> {
    /// The bytes as one piece of memory, valid inside `body` only. Arrays, slices and a string's
    /// UTF-8 lend theirs; anything else is copied first.
    func withBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        if let result = withContiguousStorageIfAvailable(body) { return result }
        return unsafe Array(self).withUnsafeBufferPointer(body)
    }
}
