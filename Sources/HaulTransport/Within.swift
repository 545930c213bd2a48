/// What some work brings, if that is not later than a limit; then it is cancelled and waited for.
///
/// Work that does not heed its cancellation holds this up.
@discardableResult
package func within<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async -> Value
) async -> Value? {
    await withTaskGroup(of: Value?.self) { tasks in
        tasks.addTask { await work() }
        tasks.addTask {
            // Cut short only when the work was faster.
            try? await Task.sleep(for: limit)
            return nil
        }
        let first = await tasks.next() ?? nil
        tasks.cancelAll()
        return first
    }
}
