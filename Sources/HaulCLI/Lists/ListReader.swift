import Dispatch
package import HaulCore
import HaulLibC
import Synchronization

/// Reads the lines of an input list, from a file or from standard input, never more of it than one chunk.
///
/// Reading blocks, so it happens on a queue of its own; a task that waits for a line can be cancelled within 100 ms.
package final class ListReader: Sendable {
    private let queue = DispatchQueue(label: "haul.list")
    private let state: Mutex<(splitter: LineSplitter, ended: Bool)>
    private let cancelled = Atomic(false)
    private let descriptor: Int32

    /// Opens a list; `-` is standard input.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` where it can't be opened.
    package init(path: String) throws(DownloadError) {
        state = Mutex((LineSplitter(), false))
        guard path != "-" else {
            descriptor = 0
            return
        }
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw DownloadError(
                .invalidRequest, "can't read the list: give a file, or - for standard input",
                cause: Self.lastError())
        }
    }

    deinit {
        if descriptor > 2 { _ = close(descriptor) }
    }

    /// So many lines come at once where they are there: one would wake threads for each.
    package static let portion = 64

    /// What reading brings.
    package enum Reading: Hashable, Sendable {
        /// Lines: at least one, and at most `portion`.
        case lines([LineSplitter.Line])
        /// Nothing came in the time allowed, but something may yet.
        case idle
        /// The list is at its end, or the task was cancelled.
        case end
    }

    /// How long to wait for a line.
    package enum Patience: Hashable, Sendable {
        /// For as long as it takes.
        case unlimited
        /// For 100 ms.
        case moment
        /// Not at all: only what is there is read.
        case none
    }

    /// The next line, and those behind it that were read with it.
    ///
    /// - Throws: `DownloadError` with code `fileFailed` where reading fails.
    package func next(_ patience: Patience = .unlimited) async throws(DownloadError) -> Reading {
        let result: Result<Reading, DownloadError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { [self] in continuation.resume(returning: read(patience)) }
            }
        } onCancel: {
            cancelled.store(true, ordering: .relaxed)
        }
        return try result.get()
    }

    private func read(_ patience: Patience) -> Result<Reading, DownloadError> {
        state.withLock { state in
            while !cancelled.load(ordering: .relaxed) {
                let lines = Self.portion(of: &state.splitter)
                if !lines.isEmpty { return .success(.lines(lines)) }
                if state.ended { return .success(.end) }
                guard isReadable(within: patience == .none ? 0 : 100) else {
                    if patience == .unlimited { continue }
                    return .success(.idle)
                }
                guard let bytes = Self.chunk(of: descriptor) else {
                    state.ended = true
                    return .failure(DownloadError(.fileFailed, "can't read the list", cause: Self.lastError()))
                }
                guard !bytes.contains(0) else {
                    state.ended = true
                    return .failure(DownloadError(.invalidRequest, "the list is not a text file"))
                }
                state.ended = bytes.isEmpty
                state.splitter.append(bytes)
            }
            return .success(.end)
        }
    }

    private static func portion(of splitter: inout LineSplitter) -> [LineSplitter.Line] {
        var lines: [LineSplitter.Line] = []
        while lines.count < portion, let line = splitter.next() { lines.append(line) }
        return lines
    }

    /// poll(2) with a time-out instead of a read that nothing could interrupt.
    private func isReadable(within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // Unsafe: poll reads and writes one entry, which outlives the call.
        return unsafe poll(&entry, 1, milliseconds) > 0
    }

    /// The next bytes; none at the end, nil after an error.
    private static func chunk(of descriptor: Int32) -> [UInt8]? {
        var count = 0
        // Unsafe: the kernel writes at most the capacity, and only what it wrote becomes part of the array.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 64 * 1024) { buffer, initialized in
            repeat {
                count = unsafe systemRead(descriptor, buffer)
            } while count < 0 && errno == EINTR
            initialized = max(0, count)
        }
        return count < 0 ? nil : bytes
    }

    private static func lastError() -> String {
        // Unsafe: the text belongs to the C library and is copied at once.
        unsafe String(cString: strerror(errno))
    }
}

// read(2) under a name that the method `read` does not hide. Unsafe: the caller owns the buffer during the call.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    unsafe HaulLibC.read(descriptor, buffer.baseAddress, buffer.count)
}
