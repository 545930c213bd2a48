import HTTPTypes
import HaulTransport
import NIOCore
import NIOPosix
import Testing

@testable import HaulTransportHTTP

@Suite("HTTP clients")
struct HTTPClientsTests {
    @Test("tunnels share a TLS context, and a client without a request is dropped")
    func tunnels() throws {
        let clients = HTTPClients(
            loop: MultiThreadedEventLoopGroup.singleton.any(), configuration: HTTPTransportConfiguration(),
            trustRoots: try TrustRoots(caCertificatePath: nil), connections: ClientConnections())
        var releases: [@Sendable () -> Void] = []
        for host in ["a", "b", "c"] {
            var request = TransferRequest(url: "https://\(host)/", headers: [:])
            request.proxy = Proxy(.http, host: "proxy", port: 1)
            let target = try RequestTarget(request.url)
            let lease = try clients.client(for: request, to: target, by: Route(request, to: target))
            releases.append(lease.release)
        }
        #expect(clients.count == 3 && clients.contextCount == 1)
        for release in releases.prefix(2) { release() }
        clients.dropIdle(before: .now())
        #expect(clients.count == 1 && clients.contextCount == 1)
        releases[2]()
        clients.dropIdle(before: .now())
        #expect(clients.count == 0 && clients.contextCount == 0)
    }

    @Test("an interface stands for its present address")
    func interface() throws {
        let clients = HTTPClients(
            loop: MultiThreadedEventLoopGroup.singleton.any(), configuration: HTTPTransportConfiguration(),
            trustRoots: try TrustRoots(caCertificatePath: nil), connections: ClientConnections())
        let devices = try System.enumerateDevices()
        let loopback = try #require(devices.first { $0.address?.ipAddress == "127.0.0.1" })
        for address in ["127.0.0.1", loopback.name] {
            var request = TransferRequest(url: "http://h/", headers: [:])
            request.localAddress = address
            let target = try RequestTarget(request.url)
            try clients.client(for: request, to: target, by: Route(request, to: target)).release()
        }
        #expect(clients.count == 1)
        clients.dropIdle(before: .now())
    }

    @Test("an interface without an address stands for its last one")
    func lostAddress() throws {
        let devices = try System.enumerateDevices()
        let loopback = try #require(devices.first { $0.address?.ipAddress == "127.0.0.1" })
        #expect(try LocalAddress.resolve(loopback.name, to: "h") == "127.0.0.1")
        #expect(try LocalAddress.resolve(loopback.name, to: "h") { [] } == "127.0.0.1")
        #expect(throws: TransportError.self) { try LocalAddress.resolve("absent0", to: "h") { [] } }
    }

    @Test("an IPv6 address is reached from one, and not from an IPv4 address")
    func families() throws {
        let devices = try System.enumerateDevices()
        let loopback = try #require(devices.first { $0.address?.ipAddress == "127.0.0.1" })
        // Not every machine has IPv6.
        let hasSix = devices.contains { $0.name == loopback.name && $0.address?.ipAddress == "::1" }
        #expect(try LocalAddress.resolve(loopback.name, to: "[::1]") == (hasSix ? "::1" : "127.0.0.1"))
        #expect(try LocalAddress.resolve(loopback.name, to: "[::1]") { [loopback] } == "127.0.0.1")
        #expect(try LocalAddress.resolve("0.0.0.0", to: "10.0.0.2") == "0.0.0.0")
        let error = #expect(throws: TransportError.self) { try LocalAddress.resolve("0.0.0.0", to: "[::1]") }
        #expect(error?.detail == "[::1] is an IPv6 address, but only IPv4 is to be used")
    }
}
