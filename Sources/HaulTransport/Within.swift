/// Returns the result of some work if it completes within a limit.
///
/// Otherwise the work is cancelled and awaited.
///
/// Work that ignores its cancellation delays the return.
@discardableResult
package func within<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async -> Value
) async -> Value? {
    await withTaskGroup(of: Value?.self) { tasks in
        tasks.addTask { await work() }
        tasks.addTask {
            // Interrupted only if the work was faster.
            try? await Task.sleep(for: limit)
            return nil
        }
        let first = await tasks.next() ?? nil
        tasks.cancelAll()
        return first
    }
}
