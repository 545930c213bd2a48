import HaulBatch
import HaulCore
import HaulDigest
import HaulEngine
import HaulLibC
import Synchronization

/// An open manifest that is read in chunks, on a thread of its own.
final class ManifestFile: Sendable {
    private static let chunkBytes = 256 << 10

    private let path: String
    private let descriptor: Int32
    private let queue = BlockingQueue(label: "haul.manifest")
    private let isCancelled = Atomic(false)

    /// Opens a manifest; `-` is standard input.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    init(_ path: String) throws(DownloadError) {
        self.path = path == "-" ? "standard input" : path
        // Unsafe: the path is read up to its NUL during the call.
        descriptor = path == "-" ? 0 : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw DownloadError(.invalidRequest, "can't read the manifest \(path)", cause: Self.lastError())
        }
    }

    deinit { if descriptor > 2 { _ = close(descriptor) } }

    /// The size in bytes; nil for anything but a regular file.
    var size: Int64? {
        var found = stat()
        // Unsafe: the kernel fills a value that outlives the call.
        guard unsafe fstat(descriptor, &found) == 0, found.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(found.st_size)
    }

    /// Returns the number and the digest of the first bytes; nil unless it is a regular file.
    ///
    /// Blocks. It does not change what `next` returns.
    ///
    /// - Parameter limit: Their maximum number; nil for the whole file.
    /// - Throws: `DownloadError` with code `fileFailed`.
    func start(atMost limit: Int64? = nil) throws(DownloadError) -> ManifestStart? {
        guard let size else { return nil }
        let end = min(size, limit ?? size)
        var (digest, bytes) = (StreamingDigest(.sha256), Int64(0))
        var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
        while bytes < end {
            let wanted = Int(min(Int64(chunk.count), end - bytes))
            // Safe: the kernel writes at most as many bytes as there is room for.
            let count = unsafe pread(descriptor, &chunk, wanted, off_t(bytes))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw DownloadError(.fileFailed, "can't read \(path)", cause: Self.lastError())
            }
            guard count > 0 else { break }
            // Safe: a UInt8 has no padding.
            unsafe digest.update(chunk.span.bytes.extracting(0..<count))
            bytes += Int64(count)
        }
        return ManifestStart(bytes: bytes, sha256: digest.finalize())
    }

    /// Returns the next bytes; none at the end, and after the task was cancelled.
    ///
    /// - Throws: `DownloadError` with code `fileFailed`.
    func next() async throws(DownloadError) -> [UInt8] {
        let result: Result<[UInt8], DownloadError> = await withTaskCancellationHandler {
            await queue.run { [self] in read() }
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
        }
        return try result.get()
    }

    private func read() -> Result<[UInt8], DownloadError> {
        while !isCancelled.load(ordering: .relaxed) {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // poll(2) with a timeout, since a read of a pipe could not be interrupted.
            // Unsafe: poll reads and writes one entry, which outlives the call.
            guard unsafe poll(&entry, 1, 100) > 0 else { continue }
            var count = 0
            // Unsafe: the kernel writes at most the capacity, and only what it wrote becomes part of the array.
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.chunkBytes) { buffer, initialized in
                repeat {
                    count = unsafe HaulLibC.read(descriptor, buffer.baseAddress, buffer.count)
                } while count < 0 && errno == EINTR
                initialized = max(0, count)
            }
            guard count >= 0 else {
                return .failure(DownloadError(.fileFailed, "can't read \(path)", cause: Self.lastError()))
            }
            return .success(bytes)
        }
        return .success([])
    }

    private static func lastError() -> String {
        // Unsafe: the text belongs to the C library and is copied at once.
        unsafe String(cString: strerror(errno))
    }
}

/// The rows of a manifest, one portion after the other.
struct ManifestRows {
    /// The open manifest.
    let file: ManifestFile
    private let columns: ManifestColumns
    private var format: ManifestFormat?
    private var reader: ManifestReader?
    private var isEnded = false
    /// The first rows, if they were read before they were asked for.
    private var first: [ManifestRow]?
    /// The number of bytes that were read.
    private(set) var bytes: Int64 = 0

    /// Opens a manifest; without a format, it is guessed from the name or from the first byte.
    init(_ path: String, _ format: ManifestFormat?, _ columns: ManifestColumns) throws(DownloadError) {
        file = try ManifestFile(path)
        self.format = format ?? ManifestFormat(path: path)
        self.columns = columns
    }

    /// Opens the manifest of a job.
    init(_ job: BatchJob) throws(DownloadError) { try self.init(job.manifest, job.format, job.columns) }

    /// The size of the file in bytes; nil if it is a pipe.
    var size: Int64? { file.size }

    /// Reads the first rows, so that a wrong column is reported before anything else happens; `next` returns them.
    ///
    /// - Throws: As `next`.
    mutating func start() async throws(DownloadError) { first = try await next() }

    /// Returns the next rows; nil at the end, and after the task was cancelled.
    ///
    /// - Throws: `DownloadError` with code `fileFailed`, or `invalidRequest` if a column is missing.
    mutating func next() async throws(DownloadError) -> [ManifestRow]? {
        if let first {
            self.first = nil
            return first
        }
        while !isEnded {
            let bytes = try await file.next()
            // Bytes that were not read are not the end of the manifest.
            if bytes.isEmpty, Task.isCancelled { return nil }
            self.bytes += Int64(bytes.count)
            if reader == nil {
                let format = format ?? ManifestFormat(start: bytes)
                if let fault = format.fault(start: bytes, columns) {
                    throw DownloadError(.invalidRequest, fault.message)
                }
                reader = ManifestReader(format, columns)
            }
            isEnded = bytes.isEmpty
            var rows: [ManifestRow] = []
            reader?.append(bytes)
            do throws(ManifestReader.Fault) {
                while let row = try reader?.next() { rows.append(row) }
            } catch {
                throw DownloadError(.invalidRequest, error.message)
            }
            if !rows.isEmpty { return rows }
        }
        return nil
    }
}
