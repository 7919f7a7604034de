private import CLinux
private import Glibc

/// For processes that hold keys: their memory stays theirs.
package enum Hardening {
    /// No core file, and no other process of the same user may attach or read the memory. A key
    /// on disk in a crash dump is a key lost. To be called before the first key is read; throws
    /// when the system refuses, and the service should not start then.
    ///
    /// A debugger needs root afterwards.
    package static func keepMemoryPrivate() throws(HardeningError) {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0 else {
            throw HardeningError(step: "RLIMIT_CORE", number: errno)
        }
        guard linux_deny_dump() == 0 else {
            throw HardeningError(step: "PR_SET_DUMPABLE", number: errno)
        }
    }

    package static var isMemoryPrivate: Bool {
        var limit = rlimit()
        let result = unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        return result == 0 && limit.rlim_cur == 0 && linux_is_dumpable() == 0
    }
}

package struct HardeningError: Error, CustomStringConvertible {
    package let step: String
    package let number: Int32

    package var description: String {
        "the system refused \(step) (errno \(number)): "
            + "allow prctl and setrlimit, or run where they are allowed"
    }
}
