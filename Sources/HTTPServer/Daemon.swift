import CMicroHTTPD
import Glibc

/// The one owner of an `MHD_Daemon`. The library calls back on its own threads from `init` to
/// `stop`.
@safe
final class Daemon {
    private let pointer: OpaquePointer

    /// `front` outlives the daemon: its owner stops the daemon before letting go of it.
    init(
        listener: borrowing Listener, settings: ServerSettings, front: Front
    ) throws(ServerError) {
        var options = unsafe HoldfastDaemonOptions()
        unsafe options.listenSocket = listener.socket
        unsafe options.flags = Daemon.flags(settings.threads)
        unsafe options.threads = UInt32(Daemon.threadCount(settings.threads))
        // The library divides its own limit among its threads and stops accepting at it; ours is
        // held by `Front.admits`, which closes what is too much. Far above it, so that ours
        // decides.
        unsafe options.connections = UInt32(
            (settings.limits.connections + 16) * (Daemon.threadCount(settings.threads) + 1))
        unsafe options.inactivitySeconds = Daemon.inactivitySeconds(settings.limits)
        // Not the library's strict mode: it refuses a missing Host with two heads in one answer and
        // a blank in the target with none. `Framing` refuses both.
        unsafe options.connectionMemoryBytes = Daemon.connectionMemoryBytes
        unsafe options.context = Unmanaged.passUnretained(front).toOpaque()
        unsafe options.accept = acceptCallback
        unsafe options.handle = handleCallback
        unsafe options.target = targetCallback
        unsafe options.completed = completedCallback
        unsafe options.connection = connectionCallback
        guard let pointer = unsafe holdfast_start_daemon(&options) else {
            throw ServerError(
                code: .startFailed,
                message: "the HTTP server did not start; check the limits on threads and open files"
            )
        }
        unsafe self.pointer = pointer
    }

    /// No further connection is accepted.
    func quiesce() { _ = unsafe MHD_quiesce_daemon(pointer) }

    /// Closes all connections and joins all threads; waits for handlers that are still running.
    func stop() { unsafe MHD_stop_daemon(pointer) }

    /// Head, parsed fields and answer head of one request must fit into this.
    private static let connectionMemoryBytes = 16 * 1024

    private static func threadCount(_ threads: ServerSettings.Threads) -> Int {
        switch threads {
        case .pool(let count): max(1, count)
        case .perConnection: 1
        }
    }

    private static func flags(_ threads: ServerSettings.Threads) -> UInt32 {
        // MHD_USE_ITC wakes threads for quiesce and stop. Without MHD_USE_ERROR_LOG the library
        // keeps quiet: standard error carries JSON lines only.
        let always = MHD_USE_INTERNAL_POLLING_THREAD.rawValue | MHD_USE_ITC.rawValue
        return switch threads {
        // Not epoll: there `MHD_quiesce_daemon` and a worker may both take the listening socket out
        // of the worker's set, and the library ends the process over the second one (0.9.75).
        case .pool: always | MHD_USE_POLL.rawValue
        case .perConnection:
            always | MHD_USE_THREAD_PER_CONNECTION.rawValue | MHD_USE_POLL.rawValue
        }
    }

    /// The library's own inactivity timer, a second belt behind the reaper's absolute deadlines.
    private static func inactivitySeconds(_ limits: Limits) -> UInt32 {
        let longest = max(limits.idleTimeout, limits.requestDeadline).nanoseconds
        return UInt32(clamping: longest / 1_000_000_000 + 2)
    }
}

/// The one owner of an `MHD_Response`: destroys our reference once; the library keeps its own.
@safe
struct ResponseHandle: ~Copyable {
    private let pointer: OpaquePointer

    /// Nil only when memory is out.
    init?(_ response: Response, closes: Bool) {
        let made = unsafe response.body.withUnsafeBytes { body in
            // The library copies; the pointer is not written through.
            unsafe MHD_create_response_from_buffer(
                body.count, UnsafeMutableRawPointer(mutating: body.baseAddress),
                .RESPMEM_MUST_COPY)
        }
        guard let pointer = unsafe made else { return nil }
        unsafe self.pointer = pointer
        for (name, value) in response.headers {
            _ = unsafe MHD_add_response_header(pointer, name, value)
        }
        if closes { _ = unsafe MHD_add_response_header(pointer, "Connection", "close") }
    }

    deinit { unsafe MHD_destroy_response(pointer) }

    @safe borrowing func queue(status: Int, on connection: OpaquePointer) -> MHD_Result {
        unsafe MHD_queue_response(connection, UInt32(clamping: status), pointer)
    }
}
