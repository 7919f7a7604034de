import Foundation

/// The most memory this process has ever had resident; 0 where the system does not tell.
func peakMemoryBytes() -> Int {
    let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    let kibibytes = line?.split(separator: " ").compactMap { Int($0) }.first
    return (kibibytes ?? 0) * 1024
}

/// What `body` answers and how long this thread worked for it: a machine busy with other tests
/// changes nothing.
func timed<R>(_ body: () -> R) -> (R, Duration) {
    func worked() -> Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let start = worked()
    let result = body()
    return (result, worked() - start)
}
