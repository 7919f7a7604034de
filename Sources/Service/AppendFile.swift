private import Synchronization

/// A file that only grows: a record is there whole after `append` returns, also when the process
/// is killed right then; after `sync`, also when the power fails.
///
/// Any number of threads append to one file; each record is one `write`.
package final class AppendFile: Sendable {
    package let path: String
    private let file: Mutex<FileDescriptor?>

    /// Opens or makes the file, readable by this user only.
    package init(path: String) throws(FileError) {
        self.path = path
        let descriptor = try FileDescriptor(opening: path, for: .append)
        file = Mutex(descriptor)
    }

    /// Throws `shortWrite` when only a part was taken (the disk is full): that part stands in the
    /// file, so records carry their own length and check, or the caller truncates.
    package func append(_ record: [UInt8]) throws(FileError) {
        let written = try opened().write(record)
        guard written == record.count else {
            throw FileError(
                .shortWrite, path: path,
                advice: "took \(written) of \(record.count) bytes; free some room")
        }
    }

    /// Waits until all that was appended before is on the disk. Appending goes on meanwhile.
    package func sync() throws(FileError) { try opened().sync() }

    package func sizeBytes() throws(FileError) -> Int64 { try opened().status().sizeBytes }

    /// Cuts off what follows, such as a half record left by a full disk.
    package func truncate(toBytes size: Int64) throws(FileError) {
        try opened().truncate(toBytes: size)
    }

    /// Makes the file this process's own until it is closed; `inUse` where another has it.
    package func lock() throws(FileError) { try opened().lock() }

    /// Everything after it throws `closed`; closing twice is allowed. Calls in flight end well.
    package func close() { file.withLock { $0 = nil } }

    private func opened() throws(FileError) -> FileDescriptor {
        guard let descriptor = file.withLock({ $0 }) else {
            throw FileError(.closed, path: path, advice: "is closed; open it again")
        }
        return descriptor
    }
}

/// Reading with a bound, and making names last.
package enum FileBytes {
    /// Up to `count` bytes from `offset` on; fewer, or none, at the end of the file.
    package static func read(
        _ path: String, from offset: Int64, count: Int
    ) throws(FileError) -> [UInt8] {
        try FileDescriptor(opening: path, for: .read).read(
            from: max(0, offset), count: max(0, count))
    }

    /// The whole file, or `tooLarge`.
    package static func readAll(_ path: String, bytesLimit: Int) throws(FileError) -> [UInt8] {
        let bytes = try read(path, from: 0, count: bytesLimit + 1)
        guard bytes.count <= bytesLimit else {
            throw FileError(
                .tooLarge, path: path, advice: "is larger than \(bytesLimit) bytes; is it the one?")
        }
        return bytes
    }

    /// The whole content of a file anew, readable by this user only. After it, and also after a
    /// kill or a power failure in the middle, the file is the old one or the new one.
    ///
    /// One thread at a time for each path: what is not yet whole stands beside it as `PATH.new`.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(FileError) {
        let unfinished = path + newSuffix
        // Its mode and its owner may be another's.
        try FileDescriptor.remove(unfinished)
        let file = try FileDescriptor(opening: unfinished, for: .new)
        guard try file.write(bytes) == bytes.count else {
            throw FileError(.shortWrite, path: path, advice: "was not taken whole; free some room")
        }
        try file.sync()
        try FileDescriptor.rename(unfinished, to: path)
        try syncFolder(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".")
    }

    /// What `replace` leaves where it was killed.
    package static let newSuffix = ".new"

    package static func sizeBytes(_ path: String) throws(FileError) -> Int64 {
        try FileDescriptor(opening: path, for: .read).status().sizeBytes
    }

    package static func isReadableByAll(_ path: String) throws(FileError) -> Bool {
        try FileDescriptor(opening: path, for: .read).status().isReadableByAll
    }

    /// Makes the making, renaming or removal of files in the folder last through a power failure.
    package static func syncFolder(_ path: String) throws(FileError) {
        try FileDescriptor(opening: path, for: .folder).sync()
    }
}
