private import Glibc

/// The one owner of an open file: closes it once nobody uses it any more, so that no call in
/// flight on another thread meets a number that has been given to another file.
final class FileDescriptor: Sendable {
    private let number: Int32
    let path: String

    enum Purpose {
        case read, append, new, folder
    }

    init(opening path: String, for purpose: Purpose) throws(FileError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw FileError(.notFound, path: path, advice: "is no path; give one without NUL")
        }
        // O_NONBLOCK: opening a pipe that nobody writes must not hang; files ignore it.
        let flags =
            switch purpose {
            case .read: O_RDONLY | O_NONBLOCK
            case .append: O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK
            case .new: O_RDWR | O_CREAT | O_EXCL | O_NONBLOCK
            case .folder: O_RDONLY | O_DIRECTORY
            }
        number = unsafe Glibc.open(path, flags | O_CLOEXEC, 0o600)
        self.path = path
        guard number >= 0 else { throw FileError(errno: errno, path: path) }
        if purpose != .folder {
            guard try status().isRegular else {
                throw FileError(.notAFile, path: path, advice: "must be a regular file")
            }
        }
    }

    deinit { if number >= 0 { close(number) } }

    /// Takes the name away from whatever has it; nothing where none has.
    static func remove(_ path: String) throws(FileError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else {
            throw FileError(errno: errno, path: path)
        }
    }

    /// Gives the file another name, in place of whatever has that name.
    static func rename(_ path: String, to other: String) throws(FileError) {
        guard unsafe Glibc.rename(path, other) == 0 else {
            throw FileError(errno: errno, path: path)
        }
    }

    func status() throws(FileError) -> FileStatus {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw FileError(errno: errno, path: path) }
        return FileStatus(
            sizeBytes: Int64(status.st_size),
            isRegular: status.st_mode & S_IFMT == S_IFREG,
            isReadableByAll: status.st_mode & S_IROTH != 0)
    }

    /// Up to `count` bytes from `offset` on; fewer at the end of the file.
    func read(from offset: Int64, count: Int) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let part = try readOnce(from: offset + Int64(bytes.count), count: count - bytes.count)
            if part.isEmpty { break }
            bytes += part
        }
        return bytes
    }

    private func readOnce(from offset: Int64, count: Int) throws(FileError) -> [UInt8] {
        var part = [UInt8](repeating: 0, count: count)
        var received: Int
        repeat {
            received = unsafe pread(number, &part, count, Int(offset))
        } while received < 0 && errno == EINTR
        guard received >= 0 else { throw FileError(errno: errno, path: path) }
        part.removeSubrange(received...)
        return part
    }

    /// How many bytes one `write` took.
    func write(_ bytes: [UInt8]) throws(FileError) -> Int {
        var written: Int
        repeat {
            written = unsafe Glibc.write(number, bytes, bytes.count)
        } while written < 0 && errno == EINTR
        guard written >= 0 else { throw FileError(errno: errno, path: path) }
        return written
    }

    func truncate(toBytes size: Int64) throws(FileError) {
        guard ftruncate(number, Int(size)) == 0 else { throw FileError(errno: errno, path: path) }
    }

    /// Held until the file is closed, also by a kill: no lock outlives its process.
    func lock() throws(FileError) {
        guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
            throw FileError(errno: errno, path: path)
        }
    }

    func sync() throws(FileError) {
        guard fsync(number) == 0 else { throw FileError(errno: errno, path: path) }
    }
}

struct FileStatus: Sendable {
    let sizeBytes: Int64
    let isRegular: Bool
    let isReadableByAll: Bool
}

extension FileError {
    fileprivate init(errno number: Int32, path: String) {
        let (code, advice): (Code, String) =
            switch number {
            case ENOENT, ENOTDIR: (.notFound, "does not exist; make it or correct the path")
            case EACCES, EPERM, EROFS:
                (.denied, "may not be used by this user; change its owner or mode")
            case EISDIR, ENXIO: (.notAFile, "must be a regular file")
            case ENOSPC, EDQUOT: (.noSpace, "has no room left; free some on its file system")
            case EWOULDBLOCK: (.inUse, "is in use by another process; give each its own")
            case EFBIG: (.tooLarge, "may not grow further; raise the limit of file sizes")
            default: (.failed, "was refused by the system")
            }
        self.init(code, path: path, number: number, advice: advice)
    }
}
