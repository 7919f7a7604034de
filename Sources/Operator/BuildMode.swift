/// How this program, and those built with it, were compiled: it stands beside each latency.
enum BuildMode {
    static var name: String {
        #if DEBUG
            "debug"
        #else
            "release"
        #endif
    }
}
