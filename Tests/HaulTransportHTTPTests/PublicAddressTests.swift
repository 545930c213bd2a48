import HTTPTypes
import HaulTesting
import HaulTransport
import HaulTransportHTTP
import Testing

@Suite("Public addresses only")
struct PublicAddressTests {
    private func error(_ request: TransferRequest, _ transport: HTTPTransport) async -> TransportError? {
        guard case .failed(let error)? = await transport.fetch(request).outcome else { return nil }
        return error
    }

    @Test(
        "A connection to this machine is not used, and nothing is asked over it", arguments: ["127.0.0.1", "localhost"])
    func refused(host: String) async throws {
        try await FaultServer.run(["/f": .text("x")]) { server in
            let transport = try HTTPTransport()
            var request = TransferRequest(url: "http://\(host):\(server.port)/f", headers: [:])
            request.publicAddressesOnly = true
            let refusal = await error(request, transport)
            #expect(refusal?.kind == .unusable && refusal?.detail.contains("not a public address") == true)
            #expect(server.requests("/f").isEmpty)
            // The same host may be asked by those who may, also afterwards.
            request.publicAddressesOnly = false
            #expect(await error(request, transport) == nil)
            request.publicAddressesOnly = true
            #expect(await error(request, transport)?.kind == .unusable)
            #expect(server.requests("/f").count == 1)
            await transport.shutdown()
        }
    }

    @Test("Behind a proxy an address in the URL counts", arguments: ["127.0.0.1", "[::1]", "10.0.0.1"])
    func proxied(host: String) async throws {
        let transport = try HTTPTransport()
        var request = TransferRequest(url: "http://\(host)/f", headers: [:])
        request.proxy = Proxy(.http, host: "127.0.0.1", port: 1)
        request.publicAddressesOnly = true
        #expect(await error(request, transport)?.kind == .unusable)
        await transport.shutdown()
    }
}
