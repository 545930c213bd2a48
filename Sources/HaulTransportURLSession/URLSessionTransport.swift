import Foundation
package import HaulTransport
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// HTTP and HTTPS over Foundation's `URLSession`: the default on iOS, tvOS, watchOS and visionOS, where it uses the
/// proxies of the system's settings and the VPN of an app, and where watchOS allows nothing else.
///
///     start -> [lane: a session and its serial queue] -> URLSessionTransfer -> sink
///
/// Each transfer is bound to one lane: all calls of its sink come from the lane's queue. A transfer goes to the lane with
/// the fewest of them, so that consecutive requests find the connection of the previous one.
///
/// What `URLSession` decides by itself: it adds headers of its own (`Accept-Language`), joins fields of the same name,
/// and decodes gzip, deflate and Brotli, so that the size and the validators of such a response are dropped. It has no
/// timeout for the connection alone: the engine's idle timeout ends an attempt without a response. A proxy given by the
/// caller, a client certificate, a local address and `publicAddressesOnly` fail with `unusable`.
///
/// On Linux, only tests use it. FoundationNetworking lacks more there: it can't pause a task, so that the data for a
/// paused sink is kept in memory; it ignores the decision about a response, so that a rejected one is cancelled; and it
/// supports neither logins nor unverified certificates.
package final class URLSessionTransport: Transport {
    private struct State {
        var isDown = false
        var running: [ObjectIdentifier: URLSessionTransfer] = [:]
        var load: [Int]
    }

    private let lanes: [URLSessionLane]
    private let state: Mutex<State>

    /// Creates a transport.
    ///
    /// - Parameter lanes: The number of sessions, each of which calls its sinks one after the other.
    package init(lanes: Int = 4) {
        self.lanes = (0..<max(1, lanes)).map { _ in URLSessionLane() }
        state = Mutex(State(load: Array(repeating: 0, count: max(1, lanes))))
    }

    package func start(_ request: TransferRequest, sink: any TransferSink) -> any TransferHandle {
        state.withLock { state in
            let index = state.load.indices.min { state.load[$0] < state.load[$1] } ?? 0
            let lane = lanes[index]
            let transfer = URLSessionTransfer(request, sink: sink, queue: lane.queue) { [weak self] in
                self?.ended($0, on: index)
            }
            guard !state.isDown else {
                transfer.cancel()
                return transfer
            }
            state.load[index] += 1
            state.running[ObjectIdentifier(transfer)] = transfer
            // Inside the lock, so that `shutdown` cancels it later on the same queue.
            lane.queue.addOperation { transfer.begin(in: lane) }
            return transfer
        }
    }

    /// Ends every transfer with `.cancelled`, and closes all connections.
    package func shutdown() async {
        let running: [URLSessionTransfer]? = state.withLock { state in
            guard !state.isDown else { return nil }
            state.isDown = true
            return Array(state.running.values)
        }
        guard let running else { return }
        for transfer in running { transfer.cancel() }
        for lane in lanes { await lane.close() }
    }

    private func ended(_ transfer: URLSessionTransfer, on index: Int) {
        state.withLock { state in
            guard state.running.removeValue(forKey: ObjectIdentifier(transfer)) != nil else { return }
            state.load[index] -= 1
        }
    }

    deinit {
        guard !state.withLock(\.isDown) else { return }
        for lane in lanes { lane.session.invalidateAndCancel() }
    }
}

/// A session, and the serial queue that its delegate and all sinks of its transfers are called on.
struct URLSessionLane: Sendable {
    let session: URLSession
    let queue: OperationQueue
    let events: URLSessionEvents

    init() {
        queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        events = URLSessionEvents()
        session = URLSession(configuration: Self.configuration, delegate: events, delegateQueue: queue)
    }

    /// Waits for the calls that are under way, and closes the connections.
    func close() async {
        await withCheckedContinuation { continuation in queue.addOperation { continuation.resume() } }
        session.invalidateAndCancel()
    }

    /// A configuration that stores nothing, and leaves cookies, logins and timeouts to the engine.
    private static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        // The engine's governors decide.
        configuration.httpMaximumConnectionsPerHost = 256
        configuration.timeoutIntervalForRequest = URLRequest.noTimeout
        configuration.timeoutIntervalForResource = URLRequest.noTimeout
        return configuration
    }
}
