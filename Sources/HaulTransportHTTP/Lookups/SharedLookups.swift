import Dispatch
import HaulLibC
import HaulTransport
import NIOCore
import NIOPosix
import Synchronization

/// Looks up hosts for all connections of a transport, see `LookupTable`.
final class SharedLookups: Sendable {
    /// A connection that waits for addresses.
    typealias Waiter = @Sendable ([SocketAddress]) -> Void

    private let table: Mutex<LookupTable<Waiter>>
    private let lookUp: @Sendable (String) -> [SocketAddress]?
    private let queue = DispatchQueue(label: "haul.lookups", attributes: .concurrent)

    /// - Parameter lookUp: Returns the addresses of a host, without ports; nil if it failed, and may succeed later. It may block.
    init(
        _ rules: LookupTable<Waiter>.Rules = LookupTable<Waiter>.Rules(),
        lookUp: @escaping @Sendable (String) -> [SocketAddress]? = SystemLookup.addresses
    ) {
        table = Mutex(LookupTable(rules))
        self.lookUp = lookUp
    }

    /// Calls `done` with the addresses of a host, at once or later, on any thread.
    func addresses(of host: String, _ done: @escaping Waiter) {
        let host = host.lowercased()
        let answer = table.withLock { $0.ask(host, done, now: .now()) }
        if case .known(let addresses) = answer { return done(addresses) }
        startLookups()
    }

    private func startLookups() {
        while let host = table.withLock({ $0.next() }) {
            queue.async { [self] in
                let addresses = lookUp(host)
                let waiters = table.withLock { $0.ended(host, addresses, now: .now()) }
                for done in waiters { done(addresses ?? []) }
                startLookups()
            }
        }
    }
}

/// Answers a connection's questions for IPv4 and IPv6 addresses from one lookup.
final class HostLookup: Resolver, Sendable {
    static let unknownHost = TransportError(.nameNotResolved, "the host has no address")

    private let lookups: SharedLookups
    private let v4: EventLoopPromise<[SocketAddress]>
    private let v6: EventLoopPromise<[SocketAddress]>
    private let isAsked = Atomic(false)

    init(_ lookups: SharedLookups, _ loop: any EventLoop) {
        self.lookups = lookups
        v4 = loop.makePromise()
        v6 = loop.makePromise()
    }

    deinit {
        guard !isAsked.load(ordering: .relaxed) else { return }
        // NIO asks nothing if the host is an address, and complains about promises that are never kept.
        v4.fail(Self.unknownHost)
        v6.fail(Self.unknownHost)
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        isAsked.store(true, ordering: .relaxed)
        lookups.addresses(of: host) { [v4, v6] found in
            guard !found.isEmpty else {
                v6.fail(Self.unknownHost)
                v4.fail(Self.unknownHost)
                return
            }
            let addresses = found.map { address in
                var address = address
                address.port = port
                return address
            }
            v6.succeed(addresses.filter { $0.protocol == .inet6 })
            v4.succeed(addresses.filter { $0.protocol == .inet })
        }
        return v6.futureResult
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { v4.futureResult }

    /// Does nothing: a lookup may have other waiters, and always ends.
    func cancelQueries() {}
}

/// The system's lookup, which considers /etc/hosts and nsswitch.conf.
enum SystemLookup {
    /// Returns the addresses of a host in the system's order (getaddrinfo(3)); none if there are none, nil if that is not known.
    static func addresses(of host: String) -> [SocketAddress]? {
        // Unsafe: the list belongs to this function until it is freed, and nothing keeps a pointer to it.
        var hints = unsafe addrinfo()
        #if os(Linux)
            unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            unsafe hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        switch unsafe getaddrinfo(host, nil, &hints, &list) {
        case 0: break
        case EAI_NONAME: return []
        default: return nil
        }
        defer { unsafe freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            if let address = unsafe address(entry.pointee, host) { found.append(address) }
            unsafe next = entry.pointee.ai_next
        }
        return found
    }

    private static func address(_ entry: addrinfo, _ host: String) -> SocketAddress? {
        guard let address = unsafe UnsafeRawPointer(entry.ai_addr) else { return nil }
        switch unsafe entry.ai_family {
        case AF_INET: return unsafe SocketAddress(address.loadUnaligned(as: sockaddr_in.self), host: host)
        case AF_INET6: return unsafe SocketAddress(address.loadUnaligned(as: sockaddr_in6.self), host: host)
        default: return nil
        }
    }
}
