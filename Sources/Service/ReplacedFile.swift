extension FileBytes {
    /// Puts `bytes` into the file in one step: whoever reads it, now or after a kill or a power
    /// failure, finds the old content or the new one, whole. Readable by this user only.
    ///
    /// One process, and one thread of it, replaces a file; beside it lies `PATH.new` meanwhile.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(FileError) {
        let new = path + ".new"
        let file = try FileDescriptor(opening: new, for: .whole)
        let written = try file.write(bytes)
        guard written == bytes.count else {
            throw FileError(
                .shortWrite, path: new,
                advice: "took \(written) of \(bytes.count) bytes; free some room")
        }
        // Before the name: a name that lasts must not lead to content that does not.
        try file.sync()
        try FileDescriptor.rename(new, to: path)
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        try syncFolder(folder.isEmpty ? "." : folder.joined(separator: "/") + "/")
    }
}
