import Foundation
import HTTPTypes
import HaulTesting
import HaulTransport
import HaulTransportHTTP
import NIOCore
import NIOPosix
import Testing

@Suite struct HTTPTransportAddressTests {
    private func with(_ ca: String? = nil, _ body: (HTTPTransport) async throws -> Void) async throws {
        let transport = try HTTPTransport(HTTPTransportConfiguration(caCertificatePath: ca))
        try await body(transport)
        await transport.shutdown()
    }

    private static let hasIPv6: Bool = {
        let devices = (try? System.enumerateDevices()) ?? []
        return devices.contains { $0.address?.ipAddress == "::1" }
    }()

    @Test(.enabled(if: hasIPv6)) func literalIPv6() async throws {
        try await FaultServer.run(["/f": .text("hello")]) { server in
            try await TestProxy.run(.relay(to: server.port), host: "::1") { relay in
                try await with { transport in
                    #expect(await transport.fetch("http://[::1]:\(relay.port)/f").text == "hello")
                    #expect(server.log.requests.first?.facts.header("Host") == "[::1]:\(relay.port)")
                }
            }
        }
    }

    @Test(.enabled(if: hasIPv6)) func aProxyWithAnIPv6Address() async throws {
        try await FaultServer.run(["/f": .text("hello")]) { server in
            try await TestProxy.run(.http(), host: "::1") { proxy in
                try await with { transport in
                    var request = TransferRequest(url: server.url("/f"), headers: [:])
                    for host in ["::1", "[::1]"] {
                        request.proxy = Proxy(.http, host: host, port: proxy.port)
                        #expect(await transport.fetch(request).text == "hello")
                    }
                }
            }
        }
    }

    @Test(.enabled(if: hasIPv6), arguments: ["IP:::1", "IP:::2"])
    func literalIPv6OverTLS(name: String) async throws {
        let server = try await TLSServer(for: name, answers: ["f": "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"])
        try await TestProxy.run(.relay(to: server.port), host: "::1") { relay in
            try await with(server.certificate) { transport in
                let outcome = await transport.fetch("https://[::1]:\(relay.port)/f").outcome
                #expect(name == "IP:::1" ? outcome == .complete : outcome?.failure == .untrusted)
            }
        }
    }

    /// Where this machine gives `localhost` both addresses, the first one that is tried leads nowhere.
    @Test func aNameIsTriedAtEachOfItsAddresses() async throws {
        try await FaultServer.run(["/f": .text("hello")]) { server in
            try await with { transport in
                #expect(await transport.fetch("http://localhost:\(server.port)/f").text == "hello")
            }
        }
    }

    #if os(Linux)
        @Test(arguments: ["127.0.0.3", "0.0.0.0", "lo"])
        func theLocalAddressIsTheOneAskedFor(address: String) async throws {
            try await FaultServer.run(["/f": .text("hello")]) { server in
                try await with { transport in
                    var request = TransferRequest(url: server.url("/f"), headers: [:])
                    request.localAddress = address
                    #expect(await transport.fetch(request).text == "hello")
                    // One that was made from elsewhere is not used.
                    #expect(await transport.fetch(server.url("/f")).text == "hello")
                    #expect(server.log.connections == 2)
                }
            }
        }

        @Test func theServerSeesTheLocalAddress() async throws {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let (seen, continuation) = AsyncStream<String>.makeStream()
            let server = try await ServerBootstrap(group: group).childChannelInitializer { channel in
                continuation.yield(channel.remoteAddress?.ipAddress ?? "")
                return channel.close()
            }
            .bind(host: "127.0.0.1", port: 0).get()
            try await with { transport in
                var request = TransferRequest(url: "http://127.0.0.1:\(server.localAddress?.port ?? 0)/", headers: [:])
                request.localAddress = "127.0.0.3"
                _ = await transport.fetch(request)
                var iterator = seen.makeAsyncIterator()
                #expect(await iterator.next() == "127.0.0.3")
            }
            try await group.shutdownGracefully()
        }
    #endif

    @Test(arguments: ["no-such-interface", "", "1.2.3", "127.0.0.1:80"])
    func whatIsNoAddressIsNamed(address: String) async throws {
        try await with { transport in
            var request = TransferRequest(url: "http://127.0.0.1:1/", headers: [:])
            request.localAddress = address
            guard case .failed(let error) = await transport.fetch(request).outcome else {
                Issue.record("it did not fail")
                return
            }
            #expect(error.kind == .unusable && error.detail.contains("\"\(address)\""))
        }
    }

    @Test(arguments: [
        ("::", "127.0.0.1 is an IPv4 address, but only IPv6 is to be used"),
        ("192.0.2.1", "from the local address asked for: "),
    ])
    func anAddressThatCantReachTheServer(address: String, hint: String) async throws {
        try await with { transport in
            var request = TransferRequest(url: "http://127.0.0.1:1/", headers: [:])
            request.localAddress = address
            guard case .failed(let error) = await transport.fetch(request).outcome else {
                Issue.record("it did not fail")
                return
            }
            #expect(error.detail.hasPrefix(hint), "\(error)")
        }
    }
}
