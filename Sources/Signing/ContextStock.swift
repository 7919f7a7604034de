internal import COpenSSL
internal import Synchronization

/// Contexts of one key, made ready for one operation and used again and again: to make and prepare
/// one costs a tenth of a verification. As many are kept as threads used it at one time.
final class ContextStock: Sendable {
    enum Purpose: Sendable {
        case verify, sign
    }

    /// Beyond it contexts are thrown away after use: more threads than any server of ours has.
    private static let idleLimit = 64

    private let key: KeyHandle
    private let purpose: Purpose
    private let idle = Mutex<[ReadyContext]>([])

    init(_ key: KeyHandle, _ purpose: Purpose) {
        self.key = key
        self.purpose = purpose
    }

    /// What `body` gives; nil also where OpenSSL has no context for this key and purpose.
    func use<R>(_ body: (borrowing KeyContext) -> R) -> R? {
        guard let ready = idle.withLock({ $0.popLast() }) ?? ReadyContext(key, purpose) else {
            return nil
        }
        let result = body(ready.context)
        idle.withLock { if $0.count < Self.idleLimit { $0.append(ready) } }
        return result
    }
}

/// Used by one thread at a time: whoever has taken it out of the stock.
private final class ReadyContext: @unchecked Sendable {
    let context: KeyContext

    init?(_ key: KeyHandle, _ purpose: ContextStock.Purpose) {
        guard let context = KeyContext(key) else { return nil }
        let isReady =
            switch purpose {
            case .verify: context.prepareToVerify()
            case .sign: context.prepareToSign()
            }
        guard isReady else { return nil }
        self.context = context
    }
}
