import Dispatch
import HaulCore

/// A thread for calls that block, one at a time and in order, so that none of them ever holds up the cooperative pool.
final class BlockingQueue: Sendable {
    private let queue: DispatchQueue

    /// Makes a queue; the thread is made when it is needed.
    init(label: String) { queue = DispatchQueue(label: label) }

    /// Runs `work` and returns its value.
    ///
    /// Cancelling the waiting task does not cut it short.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }

    /// Runs work that may fail.
    func call<Value: Sendable>(
        _ work: @escaping @Sendable () throws(DownloadError) -> Value
    ) async throws(DownloadError) -> Value {
        let result = await run { () -> Result<Value, DownloadError> in
            do throws(DownloadError) { return .success(try work()) } catch { return .failure(error) }
        }
        return try result.get()
    }
}
