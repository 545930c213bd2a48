import Synchronization

/// Keeps the log and resumes the tasks that wait for a condition.
final class LogKeeper: Sendable {
    private struct Waiter {
        let id: Int
        let condition: @Sendable (ServerLog) -> Bool
        let continuation: CheckedContinuation<ServerLog, any Error>
    }

    private struct State {
        var log = ServerLog()
        var counts: [String: Int] = [:]
        var onConnection: [Int: Int] = [:]
        var waiters: [Waiter] = []
        var nextWaiter = 0
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    var log: ServerLog { state.withLock { $0.log } }

    func connected() -> Int {
        change { state in
            state.log.connections += 1
            state.log.openConnections += 1
            state.log.maximumOpenConnections = max(state.log.maximumOpenConnections, state.log.openConnections)
            return state.log.connections
        }
    }

    func disconnected() {
        change { $0.log.openConnections -= 1 }
    }

    /// Records a request and returns its facts; `globalNumber - 1` is its index in the log.
    func began(_ head: ReceivedHead, body: [UInt8] = [], connection: Int) -> RequestFacts {
        change { state in
            let path = String(head.target.prefix { $0 != "?" })
            state.counts[path, default: 0] += 1
            state.onConnection[connection, default: 0] += 1
            state.log.concurrent += 1
            state.log.maximumConcurrent = max(state.log.maximumConcurrent, state.log.concurrent)
            let facts = RequestFacts(
                method: head.method, target: head.target, version: head.version, headers: head.headers, body: body,
                number: state.counts[path, default: 1], globalNumber: state.log.requests.count + 1,
                connection: connection, numberOnConnection: state.onConnection[connection, default: 1],
                concurrent: state.log.concurrent, openConnections: state.log.openConnections)
            state.log.requests.append(RequestRecord(facts: facts))
            return facts
        }
    }

    func responding(_ facts: RequestFacts, _ reply: Reply) {
        change { state in
            state.log.requests[facts.globalNumber - 1].status = reply.status
            state.log.requests[facts.globalNumber - 1].responded = reply.served
        }
    }

    func sent(_ facts: RequestFacts, _ count: Int) {
        change { state in
            state.log.requests[facts.globalNumber - 1].bodyBytes += Int64(count)
            state.log.totalBodyBytes += Int64(count)
        }
    }

    func ended(_ facts: RequestFacts, _ ending: RequestRecord.Ending) {
        change { state in
            state.log.requests[facts.globalNumber - 1].ending = ending
            state.log.requests[facts.globalNumber - 1].finished = .now
            state.log.concurrent -= 1
        }
    }

    /// Waits until the condition holds; throws `CancellationError` if the task is cancelled first.
    func wait(_ condition: @escaping @Sendable (ServerLog) -> Bool) async throws -> ServerLog {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { begin(Waiter(id: id, condition: condition, continuation: $0)) }
        } onCancel: {
            cancel(id)
        }
    }

    private func begin(_ waiter: Waiter) {
        let result = state.withLock { state -> Result<ServerLog, any Error>? in
            // The cancellation handler may run before the continuation exists.
            if state.cancelled.remove(waiter.id) != nil { return .failure(CancellationError()) }
            if waiter.condition(state.log) { return .success(state.log) }
            state.waiters.append(waiter)
            return nil
        }
        if let result { waiter.continuation.resume(with: result) }
    }

    private func cancel(_ id: Int) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    @discardableResult
    private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, served, log) = state.withLock { state in
            let value = body(&state)
            if state.waiters.isEmpty { return (value, [Waiter](), ServerLog()) }
            let served = state.waiters.filter { $0.condition(state.log) }
            state.waiters.removeAll { waiter in served.contains { $0.id == waiter.id } }
            return (value, served, state.log)
        }
        for waiter in served { waiter.continuation.resume(returning: log) }
        return value
    }
}
