internal import Glibc

/// The system calls behind `ChildProcess`: the one place of this module that handles pointers.
enum SystemProcess {
    /// Descriptors below this are closed in a child, even if someone forgot `O_CLOEXEC`.
    private static let descriptorsLimit: Int32 = 1_024

    static func canRun(_ program: String) -> Bool { unsafe access(program, X_OK) == 0 }

    /// The name of the user we act as, as the server sees it on its socket.
    static func userName() -> String? {
        guard let entry = unsafe getpwuid(geteuid()) else { return nil }
        return unsafe String(cString: entry.pointee.pw_name)
    }

    /// `posix_spawn`: nothing of this process but the three standard files and the environment
    /// given reaches the child; signals are as in a fresh login. The pid, or a negative `errno`.
    static func start(
        _ words: [String], environment: [String: String], output: ChildProcess.Output
    ) -> Int32 {
        guard let program = words.first else { return -EINVAL }
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        describe(&attributes)
        unsafe describe(&actions, output)
        let variables = environment.map { "\($0.key)=\($0.value)" }
        var pid: Int32 = 0
        let failure: Int32 = unsafe withCStrings(words) { arguments in
            unsafe withCStrings(variables) { variables in
                unsafe posix_spawn(&pid, program, &actions, &attributes, arguments, variables)
            }
        }
        return failure == 0 ? pid : -failure
    }

    /// Returns when the child has ended; it can still be reaped then.
    static func awaitEnd(of pid: Int32) {
        var info = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
    }

    /// The raw status of an ended child.
    static func reap(_ pid: Int32) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        return status
    }

    /// A group of its own, no blocked signals, and the default action for those that programs
    /// like this one ignore.
    private static func describe(_ attributes: inout posix_spawnattr_t) {
        var none = sigset_t()
        var defaults = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigemptyset(&defaults)
        for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD] {
            unsafe sigaddset(&defaults, signal)
        }
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    }

    private static func describe(
        _ actions: inout posix_spawn_file_actions_t, _ output: ChildProcess.Output
    ) {
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        switch output {
        case .inherited: break
        case .discarded: unsafe open("/dev/null", for: &actions)
        case .file(let path): unsafe open(path, for: &actions)
        }
        // Closing what is not open is no error here.
        for descriptor in 3..<descriptorsLimit {
            unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
        }
    }

    private static func open(_ path: String, for actions: inout posix_spawn_file_actions_t) {
        let flags = O_WRONLY | O_CREAT | O_APPEND
        unsafe posix_spawn_file_actions_addopen(&actions, 1, path, flags, 0o600)
        unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
    }
}

/// A nil-terminated array of C strings, valid during the call.
private func withCStrings(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
) -> Int32 {
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe strings.map { unsafe strdup($0) }
    unsafe pointers.append(nil)
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe pointers.withUnsafeBufferPointer { pointers in
        guard let base = pointers.baseAddress else { return EINVAL }
        return unsafe body(base)
    }
}
