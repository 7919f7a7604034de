internal import Dispatch
// For `Thread` alone; nothing smaller starts a thread without pointers.
internal import Foundation
internal import Glibc
internal import Synchronization

/// A program started by this one, and ended with it.
///
/// ```
///   start ─▶ running ──────────────────────────────▶ ended(how)
///               │  terminate: signal, bounded wait,      ▲
///               └─ then SIGKILL ─────────────────────────┘
/// ```
///
/// It runs in its own process group, so that Ctrl-C in a terminal reaches only the parent, which
/// then ends its children in order. If the parent dies without a word (`kill -9`), the kernel
/// sends the child a signal, through `setpriv --pdeathsig`.
///
/// The kernel takes the end of the *thread* that started the child for the end of the parent. So
/// all children are started by one thread that lives as long as the process.
package final class ChildProcess: Sendable {
    package struct Plan: Sendable {
        /// The program's full path.
        package var program: String
        package var arguments: [String]
        /// The whole environment of the child.
        package var environment: [String: String]
        package var output: Output = .inherited
        /// The user to run as; nil is the one we are. Needs root.
        package var user: String?
        /// What the kernel sends when we die; nil lets the child live on.
        package var signalOnParentDeath: Signal? = .terminate

        package init(
            _ program: String, _ arguments: [String] = [],
            environment: [String: String] = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
        ) {
            self.program = program
            self.arguments = arguments
            self.environment = environment
        }
    }

    /// Where standard output and standard error go, together.
    package enum Output: Sendable {
        case inherited
        case discarded
        /// Appended to this file.
        case file(String)
    }

    package enum Signal: String, Sendable {
        case terminate = "TERM"
        case interrupt = "INT"
        case quit = "QUIT"
        case kill = "KILL"
        case stop = "STOP"
        case resume = "CONT"

        var number: Int32 {
            switch self {
            case .terminate: SIGTERM
            case .interrupt: SIGINT
            case .quit: SIGQUIT
            case .kill: SIGKILL
            case .stop: SIGSTOP
            case .resume: SIGCONT
            }
        }
    }

    package enum End: Sendable, Hashable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    package struct Failure: Error, Sendable, CustomStringConvertible {
        package let message: String
        package var description: String { message }
    }

    /// How long a child that was sent SIGKILL may take to be gone. Only the kernel can be late.
    private static let killDeadline: Duration = .seconds(10)

    package let pid: Int32
    private let end = EndOfChild()

    private init(pid: Int32) {
        self.pid = pid
    }

    /// Starts the program. Throws if it is not there or may not be run.
    package static func start(_ plan: Plan) throws(Failure) -> ChildProcess {
        guard SystemProcess.canRun(plan.program) else {
            throw Failure(message: "\(plan.program) cannot be run; install it or correct the path")
        }
        let words = wrapped(plan)
        let pid = Launcher.shared.launch(words, plan)
        guard pid > 0 else {
            throw Failure(message: "\(plan.program) could not be started (error \(-pid))")
        }
        let child = ChildProcess(pid: pid)
        // Holds the end, not the child: a forgotten child is still reaped.
        Thread.detachNewThread { [end = child.end] in end.follow(pid) }
        return child
    }

    /// How it ended, or nil while it runs.
    package var ended: End? { end.value }

    /// Waits for the end, at most so long; nil if it still runs then.
    package func wait(for limit: Duration) -> End? { end.wait(for: limit) }

    /// Does nothing once the child has ended: its number may be another's by then.
    package func send(_ signal: Signal) {
        end.send(signal.number, to: pid)
    }

    /// Asks with `signal`, waits up to `limit`, then uses SIGKILL. Returns how it ended.
    @discardableResult
    package func terminate(_ signal: Signal = .terminate, within limit: Duration) -> End? {
        send(signal)
        if let end = wait(for: limit) { return end }
        send(.kill)
        return wait(for: ChildProcess.killDeadline)
    }

    /// `setpriv` sets what only the child itself can set, then becomes the program: same pid.
    private static func wrapped(_ plan: Plan) -> [String] {
        var options: [String] = []
        if let user = plan.user {
            options += ["--reuid", user, "--regid", user, "--init-groups"]
        }
        if let signal = plan.signalOnParentDeath {
            options += ["--pdeathsig", signal.rawValue]
        }
        guard !options.isEmpty else { return [plan.program] + plan.arguments }
        return ["/usr/bin/setpriv"] + options + ["--", plan.program] + plan.arguments
    }
}

/// The end of one child, followed by a thread of its own that does nothing else.
private final class EndOfChild: Sendable {
    private let state = Mutex<ChildProcess.End?>(nil)
    /// Entered until the child has ended; any number may wait.
    private let running = DispatchGroup()

    init() { running.enter() }

    var value: ChildProcess.End? { state.withLock { $0 } }

    func follow(_ pid: Int32) {
        // Looks first and reaps under the lock: until then the number cannot become another's.
        SystemProcess.awaitEnd(of: pid)
        state.withLock { end in
            let status = SystemProcess.reap(pid)
            let signal = status & 0x7F
            end = signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal: signal)
        }
        running.leave()
    }

    func wait(for limit: Duration) -> ChildProcess.End? {
        let (seconds, attoseconds) = limit.components
        let milliseconds = Int(clamping: seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
        _ = running.wait(timeout: .now() + .milliseconds(milliseconds))
        return value
    }

    func send(_ signal: Int32, to pid: Int32) {
        state.withLock { end in
            if end == nil { _ = kill(pid, signal) }
        }
    }
}

/// The one thread that starts children; see `ChildProcess`.
private final class Launcher: Sendable {
    static let shared = Launcher()

    private final class Order: Sendable {
        let words: [String]
        let plan: ChildProcess.Plan
        let pid = Mutex<Int32>(0)
        let done = DispatchSemaphore(value: 0)

        init(_ words: [String], _ plan: ChildProcess.Plan) {
            self.words = words
            self.plan = plan
        }
    }

    private let orders = Mutex<[Order]>([])
    private let ordered = DispatchSemaphore(value: 0)

    private init() {
        Thread.detachNewThread { [self] in
            while true {
                ordered.wait()
                guard let order = orders.withLock({ $0.isEmpty ? nil : $0.removeFirst() })
                else { continue }
                let pid = SystemProcess.start(
                    order.words, environment: order.plan.environment, output: order.plan.output)
                order.pid.withLock { $0 = pid }
                order.done.signal()
            }
        }
    }

    /// The pid, or a negative error number.
    func launch(_ words: [String], _ plan: ChildProcess.Plan) -> Int32 {
        let order = Order(words, plan)
        orders.withLock { $0.append(order) }
        ordered.signal()
        order.done.wait()
        return order.pid.withLock { $0 }
    }
}
