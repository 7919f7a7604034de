private import CLinux
private import Glibc

/// A thread of the operating system. The libraries below block, and the pool that `async` shares
/// has only as many threads as cores; so whatever waits gets its own.
package enum NativeThread {
    /// What Linux keeps of a thread's name.
    private static let nameBytesLimit = 15

    /// Starts a detached thread; `body` is its whole life. False when the system has no thread to
    /// give. It inherits the signal mask: see `StopSignal.catchingSignals()`.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let life = unsafe Unmanaged.passRetained(
            ThreadLife(
                name: String(decoding: name.utf8.prefix(nameBytesLimit), as: UTF8.self), body)
        )
        var thread = pthread_t()
        let result = unsafe pthread_create(&thread, nil, runThread, life.toOpaque())
        guard result == 0 else {
            unsafe life.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}

private final class ThreadLife: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, _ body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    let life = unsafe Unmanaged<ThreadLife>.fromOpaque(context).takeRetainedValue()
    unsafe linux_name_thread(life.name)
    life.body()
    return nil
}
