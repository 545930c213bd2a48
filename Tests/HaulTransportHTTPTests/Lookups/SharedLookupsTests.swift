import HaulTransport
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HaulTransportHTTP

@Suite("Lookups shared by connections")
struct SharedLookupsTests {
    @Test("All who ask for a host get the addresses of one lookup, with their port; IPv4 and IPv6 apart")
    func shared() async throws {
        let count = Mutex(0)
        let lookups = SharedLookups { _ in
            count.withLock { $0 += 1 }
            return ["127.0.0.1", "::1", "127.0.0.2"].compactMap { try? SocketAddress(ipAddress: $0, port: 0) }
        }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        for port in 1...20 {
            let lookup = HostLookup(lookups, loop)
            let (v6, v4) = (
                lookup.initiateAAAAQuery(host: "Host", port: port), lookup.initiateAQuery(host: "Host", port: port)
            )
            #expect(try await v6.get().map(\.ipAddress) == ["::1"])
            let addresses = try await v4.get()
            #expect(
                addresses.map(\.ipAddress) == ["127.0.0.1", "127.0.0.2"] && addresses.allSatisfy { $0.port == port })
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test("A host without addresses is an unknown host for both questions")
    func unknown() async throws {
        let lookup = HostLookup(SharedLookups { _ in [] }, MultiThreadedEventLoopGroup.singleton.next())
        let (v6, v4) = (lookup.initiateAAAAQuery(host: "h", port: 1), lookup.initiateAQuery(host: "h", port: 1))
        await #expect(throws: HostLookup.unknownHost) { try await v6.get() }
        await #expect(throws: HostLookup.unknownHost) { try await v4.get() }
    }

    @Test("A lookup that is never started, as for an address, leaves no promise behind")
    func unused() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let future = HostLookup(SharedLookups { _ in [] }, loop).initiateAQuery(host: "h", port: 1)
        await #expect(throws: HostLookup.unknownHost) { try await future.get() }
    }

    @Test("The system knows localhost, and no name that is reserved for tests")
    func system() {
        #expect(
            SystemLookup.addresses(of: "localhost")?.contains { $0.ipAddress == "127.0.0.1" || $0.ipAddress == "::1" }
                == true)
        // Without a name server, it is not known.
        #expect(SystemLookup.addresses(of: "nobody.invalid")?.isEmpty != false)
    }
}
