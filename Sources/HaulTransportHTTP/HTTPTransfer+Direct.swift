import HTTPTypes
import HaulTransport
import NIOCore
import NIOHTTP1

/// Over a connection of Haul's own.
extension HTTPTransfer {
    /// Sends the request, once, on the loop.
    func begin(_ request: TransferRequest, direct: DirectConnections, else clients: HTTPClients) {
        if case .ended = state.value.phase { return }
        guard let target = try? RequestTarget(request.url),
            let pool = direct.pool(for: target, insecure: request.insecure)
        else {
            return begin(request, clients: clients)
        }
        state.value.place = (clients.connections, target)
        let head = HTTPRequestHead(request, to: target, at: pool.origin)
        if let connection = pool.take() { return connection.carry(head, for: self) }
        awaitConnection(request)
        direct.connect(pool, sending: head, for: self, timeout: TimeAmount(request.connectTimeout))
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
            && !publicAddressesOnly
    }
}

extension HTTPRequestHead {
    /// The GET that a transfer asks for.
    fileprivate init(_ request: TransferRequest, to target: RequestTarget, at origin: DirectOrigin) {
        var headers = HTTPHeaders()
        headers.reserveCapacity(request.headers.count + 1)
        headers.add(name: "Host", value: origin.authority)
        for field in request.headers
        where field.name.canonicalName != "host" && field.name.canonicalName != "proxy-authorization" {
            headers.add(name: field.name.rawName, value: field.value)
        }
        self.init(version: .http1_1, method: .GET, uri: target.target, headers: headers)
    }
}
