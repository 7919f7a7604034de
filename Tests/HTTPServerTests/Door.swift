import Glibc
import Testing

/// A real HAProxy with `deploy/haproxy.cfg` in front of a server; ended with the object. A machine
/// without HAProxy fails the test: `deploy/test` installs it.
final class Door {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let port: UInt16
    private let process: pid_t

    /// `overrides` are further settings of the environment, `bindWords` of the listening socket.
    /// Without a gateway's port nobody answers for the admin API.
    init(
        to responder: UInt16, gateway: UInt16? = nil, overrides: [String] = [],
        bindWords: String = ""
    ) throws {
        // Inherited, so that no other test takes the port in between; whoever connects before
        // HAProxy is ready waits in its backlog.
        let (descriptor, port) = try boundSocket()
        defer { close(descriptor) }
        self.port = port
        listen(descriptor, 128)
        process = try Door.spawn(
            ["-db", "-f", Door.configuration],
            environment: [
                "HOLDFAST_PROXY_BIND=fd@\(Door.inheritedDescriptor) \(bindWords)",
                "HOLDFAST_RESPONDER_ADDRESS=127.0.0.1:\(responder)",
                "HOLDFAST_GATEWAY_ADDRESS=127.0.0.1:\(gateway ?? Door.discardPort)",
            ] + overrides, inheriting: descriptor)
    }

    deinit {
        kill(process, SIGKILL)
        _ = waitpid(process, nil, 0)
    }

    /// What `haproxy -c` returns for an environment. A warning counts as a fault: HAProxy warns of
    /// a line that it ignores.
    static func check(environment: [String]) throws -> Int32 {
        let process = try spawn(
            ["-c", "-dW", "-f", configuration], environment: environment, inheriting: nil)
        var status: Int32 = -1
        _ = unsafe waitpid(process, &status, 0)
        return status
    }

    private static let inheritedDescriptor: Int32 = 33
    /// RFC 863's; nobody listens there.
    private static let discardPort: UInt16 = 9
    private static let program = "/usr/sbin/haproxy"
    private static var configuration: String {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return "/\(root)/deploy/haproxy.cfg"
    }

    private static func spawn(
        _ arguments: [String], environment: [String], inheriting descriptor: Int32?
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        if let descriptor {
            unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, inheritedDescriptor)
        }
        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var process: pid_t = 0
        let result = unsafe posix_spawn(&process, program, &actions, nil, &words, &variables)
        if result != 0 {
            throw Failure(
                description: "\(program) did not start (errno \(result)); apt install haproxy")
        }
        return process
    }
}
