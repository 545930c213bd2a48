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
    private let opened: Stamp?
    /// The position of the first byte: another process may have read from standard input.
    private let origin: Int64
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
        opened = Stamp(descriptor)
        origin = max(0, Int64(lseek(descriptor, 0, SEEK_CUR)))
    }

    deinit { if descriptor > 2 { _ = close(descriptor) } }

    /// The size in bytes; nil for anything but a regular file.
    var size: Int64? { Stamp(descriptor)?.size }

    /// Throws an error if the file was changed since it was opened, and begins differently from what was read.
    ///
    /// Rows that were added at its end are not a difference.
    ///
    /// - Throws: `DownloadError` with code `notPossible` or `fileFailed`.
    func requireUnchanged(_ read: ManifestStart) async throws(DownloadError) {
        guard let opened, Stamp(descriptor) != opened else { return }
        let now = try await queue.call { [self] () throws(DownloadError) in try start(atMost: read.bytes) }
        guard now == read else { throw changed("run haul batch again") }
    }

    /// The error for a manifest that was changed while it was read.
    func changed(_ advice: String) -> DownloadError {
        DownloadError(.notPossible, "\(path) was changed while it was read, and rows may be missing: \(advice)")
    }

    /// Returns the number and the digest of the first bytes; nil unless it is a regular file.
    ///
    /// Blocks. It does not change what `next` returns.
    ///
    /// - Parameter limit: Their maximum number; nil for the whole file.
    /// - Throws: `DownloadError` with code `fileFailed`.
    func start(atMost limit: Int64? = nil) throws(DownloadError) -> ManifestStart? { try starts(limit).first }

    /// Returns two starts of the file, `first` of which has at most `limit` bytes; both nil unless it is a regular file.
    func starts(_ limit: Int64?) throws(DownloadError) -> (first: ManifestStart?, whole: ManifestStart?) {
        guard let size else { return (nil, nil) }
        let end = size - origin
        var (digest, bytes) = (StreamingDigest(.sha256), Int64(0))
        var first: ManifestStart?
        var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
        while true {
            if bytes == limit { first = ManifestStart(bytes: bytes, sha256: digest.finalize()) }
            let border = limit.map { bytes < $0 ? min($0, end) : end } ?? end
            let wanted = Int(min(Int64(chunk.count), border - bytes))
            guard wanted > 0 else { break }
            // Safe: the kernel writes at most as many bytes as there is room for.
            let count = unsafe pread(descriptor, &chunk, wanted, off_t(origin + bytes))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw DownloadError(.fileFailed, "can't read \(path)", cause: Self.lastError())
            }
            guard count > 0 else { break }
            // Safe: a UInt8 has no padding.
            unsafe digest.update(chunk.span.bytes.extracting(0..<count))
            bytes += Int64(count)
        }
        let whole = ManifestStart(bytes: bytes, sha256: digest.finalize())
        return (first ?? whole, whole)
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

/// The size and dates of a regular file, which change with its content.
private struct Stamp: Equatable {
    var size: Int64
    /// The times of the last change of the content and of the file, in nanoseconds.
    var times: [Int64]

    /// Looks at an open file; nil for anything but a regular file.
    init?(_ descriptor: Int32) {
        var found = stat()
        // Unsafe: the kernel fills a value that outlives the call.
        guard unsafe fstat(descriptor, &found) == 0, found.st_mode & S_IFMT == S_IFREG else { return nil }
        size = Int64(found.st_size)
        #if canImport(Darwin)
            let all = [found.st_mtimespec, found.st_ctimespec]
        #else
            let all = [found.st_mtim, found.st_ctim]
        #endif
        times = all.map { Int64($0.tv_sec) * 1_000_000_000 + Int64($0.tv_nsec) }
    }
}

/// The way the rows of a manifest are read.
struct RowForm: Hashable, Sendable {
    /// The column with their ids, empty if they have none.
    var idColumn: String
    /// The format, as it was given or guessed.
    var format: ManifestFormat
}

/// The rows of a manifest, one portion after the other.
///
/// A regular file must not change while it is read, except at its end.
struct ManifestRows {
    /// The open manifest.
    let file: ManifestFile
    private let columns: ManifestColumns
    private var format: ManifestFormat?
    private var reader: ManifestReader?
    private var isEnded = false
    /// Bytes that were read before one that shows the format.
    private var lead: [UInt8] = []
    /// The first rows, if they were read before they were asked for.
    private var first: [ManifestRow]?
    /// The number of bytes that were read.
    private(set) var bytes: Int64 = 0
    private var digest = StreamingDigest(.sha256)
    /// The bytes that `start()` has read, before it is known how the manifest must begin; nil otherwise.
    private var unchecked: [UInt8]?
    /// The start that the manifest must have; nil if nothing is known about it, or after it was compared.
    private var expected: ManifestStart?

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

    /// The way the rows are read; nil if no valid one has been read.
    private(set) var form: RowForm?

    /// The bytes that were read so far.
    var read: ManifestStart { ManifestStart(bytes: bytes, sha256: digest.finalize()) }

    /// Sets how the manifest must begin; `next` throws an error as soon as it does not.
    ///
    /// Call it before `next`.
    ///
    /// - Parameter start: The start that the division of the rows among shards belongs to; nil if it is unknown.
    mutating func expect(_ start: ManifestStart?) throws(DownloadError) {
        let early = unchecked ?? []
        (expected, unchecked, bytes, digest) = (start, nil, 0, StreamingDigest(.sha256))
        try add(early)
    }

    /// Reads the first rows, so that a wrong column is reported before anything else happens; `next` returns them.
    ///
    /// - Throws: As `next`.
    mutating func start() async throws(DownloadError) {
        unchecked = []
        first = try await next()
    }

    /// Returns the next rows; nil at the end, and after the task was cancelled.
    ///
    /// - Throws: `DownloadError` with code `fileFailed`, or `invalidRequest` if a column is missing.
    mutating func next() async throws(DownloadError) -> [ManifestRow]? {
        if let first {
            self.first = nil
            return first
        }
        while !isEnded {
            var bytes = try await file.next()
            // Bytes that were not read are not the end of the manifest.
            if bytes.isEmpty, Task.isCancelled { return nil }
            try add(bytes)
            isEnded = bytes.isEmpty
            if reader == nil {
                lead += bytes
                // A pipe may return a line break, and the first row later.
                let guess = ManifestFormat(start: lead) ?? (isEnded ? ManifestFormat.list : nil)
                guard let format = self.format ?? guess else { continue }
                self.format = format
                if let fault = format.fault(start: lead, columns) {
                    throw DownloadError(.invalidRequest, fault.message)
                }
                var reader = ManifestReader(format, columns)
                // An empty array would mark the end.
                if isEnded, !lead.isEmpty { reader.append(lead) } else { bytes = lead }
                self.reader = reader
                lead = []
            }
            var rows: [ManifestRow] = []
            reader?.append(bytes)
            do throws(ManifestReader.Fault) {
                while let row = try reader?.next() { rows.append(row) }
            } catch {
                throw DownloadError(.invalidRequest, error.message)
            }
            if form == nil, let format, let row = rows.first(where: { $0.problem == nil }) {
                form = RowForm(idColumn: row.id == nil ? "" : columns.id, format: format)
            }
            if isEnded {
                if expected != nil { throw file.changed(Self.newFolder) }
                try await file.requireUnchanged(read)
            }
            if !rows.isEmpty { return rows }
        }
        return nil
    }

    /// Adds bytes to the digest, and compares the start as soon as all of it was read.
    private mutating func add(_ new: [UInt8]) throws(DownloadError) {
        unchecked?.append(contentsOf: new)
        // Safe: a UInt8 has no padding.
        let span = unsafe new.span.bytes
        var done = 0
        if let start = expected, bytes + Int64(new.count) >= start.bytes {
            done = Int(start.bytes - bytes)
            digest.update(span.extracting(0..<done))
            guard digest.finalize() == start.sha256 else { throw file.changed(Self.newFolder) }
            expected = nil
        }
        digest.update(span.extracting(done..<new.count))
        bytes += Int64(new.count)
    }

    private static let newFolder = "use a new folder"
}
