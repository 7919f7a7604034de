import Foundation
import Synchronization

/// Ends one process that outlived its time, and never another that got its number later.
final class ProcessEnd: Sendable {
    private let running: Mutex<Int32?>

    init(_ identifier: Int32) { running = Mutex(identifier) }

    func isOver() { running.withLock { $0 = nil } }

    func forceIfRunning() {
        running.withLock { running in
            if let identifier = running { kill(identifier, SIGKILL) }
            running = nil
        }
    }
}
