import HaulLibC
public import HaulTransport
import Synchronization

/// A transport without a network: each URL has the responses that a test gives it.
///
///     let transport = ScriptedTransport()
///     transport.set("https://example.com/a", .fails(.refused), .file(bytes))
///     let manager = try await DownloadManager(scripted: transport)
///
/// Its delays, and those of a manager over it, pass only when the test advances its clock. A URL without responses gets
/// `404 Not Found`.
public final class ScriptedTransport: Transport {
    /// Decides the response to a request; the number counts the requests for the URL, from 1.
    public typealias Behaviour = @Sendable (_ request: TransferRequest, _ number: Int) -> ScriptedResponse

    private struct State {
        var behaviours: [String: Behaviour] = [:]
        var requests: [TransferRequest] = []
        var transfers: [Int: PushedTransfer] = [:]
        var lastTransfer = 0
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
    }

    private struct Waiter {
        var condition: @Sendable ([TransferRequest]) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    /// The clock of the transport and of a manager over it.
    public let clock: ManualClock
    private let state = Mutex(State())

    /// Creates a transport.
    public init(clock: ManualClock = ManualClock()) { self.clock = clock }

    /// Sets the responses to the requests for a URL, in order; the last one is repeated.
    ///
    /// The count begins with this call. The URL has a path, `/` at least, and no fragment.
    public func set(_ url: String, _ responses: ScriptedResponse...) {
        let before = requests(url).count
        set(url) { _, number in responses.isEmpty ? .status(404) : responses[min(number - before, responses.count) - 1]
        }
    }

    /// Sets the response to each request for a URL by a function, which is called from any thread.
    public func set(_ url: String, _ behaviour: @escaping Behaviour) {
        state.withLock { $0.behaviours[url] = behaviour }
    }

    /// All requests so far, in the order of their start.
    public var requests: [TransferRequest] { state.withLock { $0.requests } }

    /// Returns the requests for a URL, in the order of their start.
    public func requests(_ url: String) -> [TransferRequest] { requests.filter { $0.url == url } }

    /// Starts a transfer.
    public func start(_ request: TransferRequest, sink: any TransferSink) -> any TransferHandle {
        // Before anyone learns of the request: a delay begins with it.
        let now = clock.source.now
        let (behaviour, number, id) = state.withLock { state in
            state.requests.append(request)
            state.lastTransfer += 1
            let number = state.requests.count { $0.url == request.url }
            return (state.behaviours[request.url], number, state.lastTransfer)
        }
        let response = behaviour?(request, number) ?? .status(404)
        let transfer = response.transfer(of: request, sink, clock.source) { [weak self] in
            self?.state.withLock { _ = $0.transfers.removeValue(forKey: id) }
        }
        state.withLock { $0.transfers[id] = transfer }
        transfer.begin(at: response.delay > .zero ? now + response.delay : nil)
        notify()
        return transfer
    }

    /// Waits until the requests so far satisfy a condition.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    public func wait(until condition: @escaping @Sendable ([TransferRequest]) -> Bool) async throws {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if Task.isCancelled || condition(state.requests) { return true }
                    state.waiters[id] = Waiter(condition: condition, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume()
        }
        try Task.checkCancellation()
    }

    private func notify() {
        let satisfied = state.withLock { state in
            let requests = state.requests
            let found = state.waiters.filter { $0.value.condition(requests) }
            for id in found.keys { state.waiters[id] = nil }
            return found.values.map(\.continuation)
        }
        for continuation in satisfied { continuation.resume() }
    }

    /// Ends all transfers.
    public func shutdown() async {
        for transfer in state.withLock({ Array($0.transfers.values) }) { await transfer.end() }
    }
}
