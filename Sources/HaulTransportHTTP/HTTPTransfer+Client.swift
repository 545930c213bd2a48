import AsyncHTTPClient
import HaulTransport
import NIOCore
import NIOHTTP1

/// Transfers over AsyncHTTPClient, which continues reading when the returned future is completed.
extension HTTPTransfer: HTTPClientResponseDelegate {
    typealias Response = Void

    /// Sends the request through AsyncHTTPClient, once, on the loop.
    ///
    /// - Parameter direct: Used to find out why a certificate is not accepted, because AsyncHTTPClient does not report
    ///   that.
    func begin(_ request: TransferRequest, clients: HTTPClients, direct: DirectConnections) {
        if case .ended = state.value.phase { return }
        state.value.restart = { self.begin(request, clients: clients, direct: direct) }
        if let (limits, number) = state.value.readLimit { limits.remove(number) }
        let message: HTTPClient.Request
        let lease: (client: HTTPClient, release: @Sendable () -> Void)
        let limit = request.largestRead.map { (clients.readLimits, clients.readLimits.add($0)) }
        state.value.readLimit = limit
        do {
            let target = try RequestTarget(request.url)
            state.value.authority = (clients.connections, target)
            let route = try Route(request, to: target)
            let isAlone = state.value.wasRestarted || !request.sharesConnections
            message = try HTTPClient.Request(
                request, to: target, by: route, isAlone: isAlone, readLimit: limit?.1, clients.blankRequest)
            lease = try clients.client(for: request, to: target, by: route, isAlone: isAlone)
            state.value.proxy = ProxyUse(route)
            state.value.showsCertificate = request.clientCertificate != nil
            if route == .direct {
                let timeout = TimeAmount(request.timeToConnect)
                state.value.examine = { direct.examine(target, timeout: timeout, $0) }
            }
            state.value.hint = request.localAddress.map { address in
                switch address {
                case "0.0.0.0": "over IPv4 only"
                case "::": "over IPv6 only"
                default: "from the local address asked for"
                }
            }
        } catch {
            return end(.failed(TransportError(error)))
        }
        awaitConnection(request)
        let task = lease.client.execute(request: message, delegate: self)
        task.futureResult.whenComplete { [release = lease.release] _ in release() }
        if case .ended = state.value.phase { return }
        state.value.task = task
        // A client that is shut down informs only the future.
        task.futureResult.whenFailure { self.received($0) }
    }

    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) { connected() }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        future(receive(head))
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        future(receive(buffer))
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) { receivedEnd() }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) { received(error) }

    private func future(_ flow: Flow) -> EventLoopFuture<Void> {
        switch flow {
        case .proceed: return loop.makeSucceededVoidFuture()
        // Makes AsyncHTTPClient close the connection, or forget the request.
        case .stop: return loop.makeFailedFuture(Stopped())
        case .wait:
            let promise = loop.makePromise(of: Void.self)
            state.value.demand = promise
            return promise.futureResult
        }
    }
}
