public import HaulCore
import HaulDigest
import HaulFiles
import Synchronization

/// Verifies existing files; nothing is written.
public enum FileVerifier {
    /// Reads a file and compares its digest.
    ///
    /// - Throws: `DownloadError`: `checksumMismatch` if the digest differs, `fileFailed` if the file can't be read or
    ///   is not a regular file, `cancelled` if the task is cancelled meanwhile.
    public static func verify(_ path: String, _ checksum: Checksum) async throws(DownloadError) {
        try await verify(path, FoundChecksum(checksum, .given))
    }

    /// Reads a file and compares its digest with one from any origin.
    package static func verify(_ path: String, _ wanted: FoundChecksum) async throws(DownloadError) {
        let isCancelled = Flag()
        let result = await withTaskCancellationHandler {
            await BlockingQueue(label: "haul.verify").run { () -> Result<String?, DownloadError> in
                do throws(DownloadError) {
                    let target = try resolved(path)
                    return .success(
                        try fileCall { () throws(FileError) in
                            try StreamingDigest.file(target, wanted.checksum.algorithm) { isCancelled.isRaised }
                        })
                } catch {
                    return .failure(error)
                }
            }
        } onCancel: {
            isCancelled.raise()
        }
        guard let hex = try result.get() else { throw DownloadError(.cancelled, "stopped") }
        guard hex != wanted.checksum.hex else { return }
        throw DownloadError(
            .checksumMismatch,
            "wrong checksum: expected \(wanted.checksum.algorithm.rawValue):\(wanted.checksum.hex) "
                + "(\(wanted.origin))",
            cause: "found \(hex)")
    }

    /// Returns the size and the modification time of a file.
    ///
    /// - Throws: `DownloadError` with code `fileFailed`.
    package static func facts(of path: String) async throws(DownloadError) -> (size: Int64, modified: Int64) {
        try await BlockingQueue(label: "haul.verify").call { () throws(DownloadError) in
            guard let there = try status(try resolved(path)) else { throw missing(path) }
            return (there.size, there.modifiedSeconds)
        }
    }

    /// Returns the bytes of a small file; nil if it does not exist, or is a folder.
    ///
    /// - Throws: `DownloadError` with code `fileFailed` if it can't be read, is not a regular file, or is larger than
    ///   `limit`.
    package static func bytes(of path: String, limit: Int) async throws(DownloadError) -> [UInt8]? {
        try await BlockingQueue(label: "haul.verify").call { () throws(DownloadError) in
            guard let target = SystemCalls.live.realPath(path) else {
                _ = try status(path)
                return nil
            }
            if try status(target)?.kind == .folder { return nil }
            guard let there = try status(try resolved(target)), there.size <= Int64(limit) else {
                throw DownloadError(
                    .fileFailed, "\(path) is too large for a list of checksums (limit: \(limit) bytes)")
            }
            return try fileCall { () throws(FileError) in
                let file = try SystemCalls.live.open(target, .read)
                var bytes = [UInt8](repeating: 0, count: Int(there.size))
                var span = bytes.mutableSpan
                // The buffer belongs to the array for the length of the call.
                let count = try unsafe span.withUnsafeMutableBytes { buffer throws(FileError) in
                    unsafe try SystemCalls.live.read(file, into: buffer, at: 0)
                }
                return Array(bytes.prefix(count))
            }
        }
    }

    /// Returns the path of the file after following links.
    private static func resolved(_ path: String) throws(DownloadError) -> String {
        guard let target = SystemCalls.live.realPath(path), let there = try status(target) else {
            // Not everything that cannot be reached is missing: this throws if a folder of the path is not accessible.
            _ = try status(path)
            throw missing(path)
        }
        guard there.kind == .regular else {
            throw DownloadError(.fileFailed, "\(path) is a \(there.kind.rawValue), not a file")
        }
        return target
    }

    private static func status(_ path: String) throws(DownloadError) -> FileStatus? {
        try fileCall { () throws(FileError) in try SystemCalls.live.status(atPath: path) }
    }

    /// Returns true if there is nothing at a path; a dangling link counts as something.
    package static func isMissing(_ path: String) async -> Bool {
        await BlockingQueue(label: "haul.verify").run {
            do throws(FileError) {
                return try SystemCalls.live.status(atPath: path) == nil
            } catch {
                return false
            }
        }
    }

    private static func missing(_ path: String) -> DownloadError {
        DownloadError(.fileFailed, "\(URLRedaction.name(path)) does not exist")
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isRaised: Bool { value.load(ordering: .acquiring) }
        func raise() { value.store(true, ordering: .releasing) }
    }
}
