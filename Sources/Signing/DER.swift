/// Writing through OpenSSL's `i2d_*` calls.
enum DER {
    /// Runs an `i2d_*` call twice, once for the length and once for the bytes.
    static func encoded(
        _ call: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) -> [UInt8]? {
        let length = call(nil)
        guard length > 0 else { return nil }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
            var cursor = buffer.baseAddress
            let written = unsafe call(&cursor)
            count = written == length ? Int(length) : 0
        }
        return bytes.isEmpty ? nil : bytes
    }
}
