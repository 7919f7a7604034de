private import Glibc
private import Synchronization

/// The process's own output and error streams, written whole: one line is one `write`, so lines
/// of several threads, and of several processes on one pipe, do not mix.
package final class StandardStream: Sendable {
    package static let output = StandardStream(descriptor: STDOUT_FILENO)
    package static let error = StandardStream(descriptor: STDERR_FILENO)

    private let descriptor: Int32
    private let turn = Mutex<Void>(())

    private init(descriptor: Int32) { self.descriptor = descriptor }

    /// What a closed or full stream does not take is lost: there is nowhere left to say so.
    package func write(_ bytes: [UInt8]) {
        turn.withLock { _ in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes {
                    unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
                }
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    package func write(_ text: String) { write(Array(text.utf8)) }
}
