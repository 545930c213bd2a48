import HTTPTypes
import HaulTransport
import NIOCore

/// Over a connection of Haul's own.
extension HTTPTransfer {
    /// Sends the request, once, on the loop.
    func begin(_ request: TransferRequest, direct: DirectConnections, else clients: HTTPClients) {
        if case .ended = state.value.phase { return }
        guard let target = try? RequestTarget(request.url),
            let pool = direct.pool(for: target, insecure: request.insecure)
        else {
            return begin(request, clients: clients, direct: direct)
        }
        state.value.authority = (clients.connections, target)
        let sent = DirectRequest(request, to: target, at: pool.origin)
        if let connection = direct.idle(in: pool) { return connection.carry(sent, for: self) }
        awaitConnection(request)
        direct.connect(pool, sending: sent, for: self, timeout: TimeAmount(request.connectTimeout))
    }

    /// Takes a connection, unless none is wanted any more.
    func takes(_ connection: DirectConnection) -> Bool {
        guard case .connecting = state.value.phase else { return false }
        state.value.connection = connection
        return true
    }
}

extension TransferRequest {
    /// Whether nothing about it needs AsyncHTTPClient.
    var isPlain: Bool {
        proxy == nil && authentication == nil && clientCertificate == nil && localAddress == nil && largestRead == nil
            && !publicAddressesOnly && headers.allSatisfy(\.isPlain)
    }
}

extension HTTPField {
    /// Whether it says nothing about the connection or a body: AsyncHTTPClient knows what to do with those.
    fileprivate var isPlain: Bool {
        !["connection", "content-length", "transfer-encoding"].contains(name.canonicalName)
    }
}
