import Dispatch
package import HaulCore
import HaulLibC
import Synchronization

/// An open file to which the bytes of a stream are written.
///
/// It has its own thread, since a pipe blocks if its reader is slow.
package final class ByteOutput: Sendable {
    /// The reason why nothing more can be written.
    package enum Failure: Hashable, Sendable {
        /// The output has no reader any more.
        case closed
        /// The system reported an error.
        case failed(DownloadError)
    }

    private struct State {
        var failure: Failure?
        var hasBegun = false
        var waiting: CheckedContinuation<Bool, Never>?
    }

    private let file: OutputFile
    private let name: String
    private let queue = DispatchQueue(label: "haul.output")
    private let state = Mutex(State())

    /// Makes the output for an open file, which is not closed.
    package init(_ file: OutputFile, name: String = "standard output") { (self.file, self.name) = (file, name) }

    /// The error of the last write, or nil.
    package var failure: Failure? { state.withLock { $0.failure } }

    /// True if bytes were to be written: they can't be taken back.
    package var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// Writes all of the bytes; only one call at a time.
    ///
    /// A cancelled task does not wait for a reader that has stopped: the blocked thread is abandoned until the process
    /// ends.
    ///
    /// - Returns: False if the write failed, see `failure`, or if the task was cancelled.
    package func write(_ bytes: [UInt8]) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { ($0.waiting, $0.hasBegun) = (continuation, true) }
                guard !Task.isCancelled else { return response(false) }
                queue.async { [self] in
                    let number = file.write(bytes)
                    if number != 0 { fail(number) }
                    response(number == 0)
                }
            }
        } onCancel: {
            response(false)
        }
    }

    private func response(_ isWritten: Bool) {
        state.withLock { $0.waiting.take() }?.resume(returning: isWritten)
    }

    private func fail(_ number: Int32) {
        let failure: Failure
        if number == EPIPE {
            failure = .closed
        } else {
            // Unsafe: the text belongs to the C library and is copied at once.
            let cause = unsafe String(cString: strerror(number))
            let code: DownloadError.Code = number == ENOSPC || number == EDQUOT ? .noSpace : .fileFailed
            failure = .failed(
                DownloadError(
                    code, "can't write to \(name); the output is incomplete", cause: cause))
        }
        state.withLock { $0.failure = failure }
    }
}
