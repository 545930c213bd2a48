import HaulCore
import HaulTransport
import NIOCore
import Synchronization

/// The local address of connections.
enum LocalAddress {
    /// Returns the address that a text names: the text itself, or the address of that network interface, IPv4 first unless
    /// the host is an IPv6 address.
    ///
    /// An interface that has lost its address, as while a network changes, stands for its last one: the connection fails
    /// then, and is tried again.
    ///
    /// - Parameters:
    ///   - host: The host to connect to.
    ///   - list: Returns the interfaces of this machine.
    /// - Throws: `TransportError` of kind `unusable` if this machine has no such interface, or none of its addresses
    ///   can be used; of kind `refused` if text and host are addresses of different kinds.
    static func resolve(
        _ text: String, to host: String, _ list: () throws -> [NIONetworkDevice] = System.enumerateDevices
    ) throws(TransportError) -> String {
        let wanted = CertificateNames.address(host)?.protocol
        if let own = CertificateNames.address(text) {
            if let wanted, wanted != own.protocol {
                let allowed = ["0.0.0.0": "only IPv4 is to be used", "::": "only IPv6 is to be used"][text]
                throw TransportError(
                    .refused,
                    "\(host) is an \(wanted == .inet6 ? "IPv6" : "IPv4") address, but \(allowed ?? "the local address is \(text)")"
                )
            }
            return text.hasPrefix("[") ? String(text.dropFirst().dropLast()) : text
        }
        let key = wanted == .inet6 ? "\(text)/6" : text
        let devices: [NIONetworkDevice]
        do {
            devices = try list()
        } catch {
            throw TransportError(.unusable, "can't list the network interfaces of this machine")
        }
        let usable = devices.filter { $0.name == text }.compactMap(\.address).filter(isUsable)
        guard let address = (usable.first { $0.protocol == wanted ?? .inet } ?? usable.first)?.ipAddress else {
            if let last = lastAddresses.withLock({ $0[key] }) { return last }
            let names = Set(devices.map(\.name)).sorted().joined(separator: ", ")
            throw TransportError(
                .unusable, "\"\(text)\" is not an address, or an interface with an address: found \(names)")
        }
        lastAddresses.withLock { $0[key] = address }
        return address
    }

    /// By the name of the interface, with `/6` for a host that is an IPv6 address.
    private static let lastAddresses = Mutex<[String: String]>([:])

    /// Returns true for an IPv4 address, and for an IPv6 address that is not link-local, which is useless without its
    /// interface (RFC 4007).
    private static func isUsable(_ address: SocketAddress) -> Bool {
        address.protocol == .inet
            || address.protocol == .inet6 && address.ipAddress?.lowercased().hasPrefix("fe80") == false
    }
}

/// Checks that keep a transfer from addresses that are not public.
enum PublicAddress {
    /// Returns the reason why a connection to an address is not used; nil if the address is public.
    ///
    /// The check follows the connection, and with TLS the handshake, but precedes the first byte of a request. A lookup
    /// before the connection would not be sufficient, because the name may resolve to another address a moment later.
    static func refusal(of address: SocketAddress?) -> TransportError? {
        guard let address, let text = address.ipAddress, let ip = IPAddress(text), ip.isPublic else {
            return error(address?.ipAddress ?? "the address of the name")
        }
        return nil
    }

    /// Rejects a URL whose host is an address that is not public.
    ///
    /// Behind a proxy nothing more can be known.
    static func check(_ url: String) throws(TransportError) {
        let host = CertificateNames.hostWithoutPort(try RequestTarget(url).authority)
        if IPAddress(host)?.isPublic == false { throw error(host) }
    }

    private static func error(_ address: String) -> TransportError {
        TransportError(.unusable, DownloadError.privateAddressMessage(address))
    }
}
