import HTTPTypes
import HaulTransport
import NIOCore

/// Transfers over Haul's own connections.
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
        state.value.restart = { self.begin(request, direct: direct, else: clients) }
        let sent = DirectRequest(request, to: target, at: pool.origin)
        if !state.value.wasRestarted, let connection = direct.idle(in: pool) {
            return connection.carry(sent, for: self)
        }
        awaitConnection(request)
        direct.connect(pool, sending: sent, for: self, timeout: TimeAmount(request.timeToConnect))
    }

    /// Accepts a connection, unless none is wanted any more; returns true if it was accepted.
    func takes(_ connection: DirectConnection) -> Bool {
        guard case .connecting = state.value.phase else { return false }
        state.value.connection = connection
        return true
    }
}

extension TransferRequest {
    /// True if the connection has no TLS.
    var isUnencrypted: Bool { url.utf8.prefix(5).elementsEqual("http:".utf8) }

    /// True if nothing in the request needs AsyncHTTPClient.
    var isPlain: Bool {
        method == "GET" && body == nil && proxy == nil && authentication == nil && clientCertificate == nil
            && localAddress == nil && !publicAddressesOnly && headers.allSatisfy(\.isPlain)
    }
}

extension HTTPField {
    /// True if the field does not concern the connection or a body, which are left to AsyncHTTPClient.
    fileprivate var isPlain: Bool {
        !["connection", "content-length", "transfer-encoding"].contains(name.canonicalName)
    }
}
