/// The name of this machine, for people who read which process did what.
package enum HostName {
    private static let file = "/proc/sys/kernel/hostname"
    private static let fileBytesLimit = 1_024
    /// What is left of it, in bytes.
    package static let bytesLimit = 64

    /// `localhost` where the system hides it.
    package static var current: String {
        let bytes =
            (try? FileBytes.readAll(file, bytesLimit: fileBytesLimit)) ?? Array("localhost".utf8)
        return String(decoding: bytes.prefix { $0 > 32 }.prefix(bytesLimit), as: UTF8.self)
    }
}
