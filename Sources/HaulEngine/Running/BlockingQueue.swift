import Dispatch
package import HaulCore

/// A thread for blocking calls, one at a time and in order, which keeps them off the cooperative pool.
package final class BlockingQueue: Sendable {
    private let queue: DispatchQueue

    /// Creates a queue; its thread is created when needed.
    package init(label: String) { queue = DispatchQueue(label: label) }

    /// Runs `work` and returns its value.
    ///
    /// Cancelling the waiting task does not interrupt it.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }

    /// Runs `work` after all work that was started before, without waiting for it.
    package func start(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    /// Runs work that may fail.
    package func call<Value: Sendable>(
        _ work: @escaping @Sendable () throws(DownloadError) -> Value
    ) async throws(DownloadError) -> Value {
        let result = await run { () -> Result<Value, DownloadError> in
            do throws(DownloadError) { return .success(try work()) } catch { return .failure(error) }
        }
        return try result.get()
    }
}
