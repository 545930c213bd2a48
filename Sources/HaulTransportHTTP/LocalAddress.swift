import HaulTransport
import NIOCore

/// The local address of connections.
enum LocalAddress {
    /// Returns the address that a text names: the text itself, or the address of that network interface, IPv4 first.
    ///
    /// - Throws: `TransportError` of kind `unusable` if this machine has no such interface, or none of its addresses
    ///   can be used.
    static func resolve(_ text: String) throws(TransportError) -> String {
        if CertificateNames.address(text) != nil {
            return text.hasPrefix("[") ? String(text.dropFirst().dropLast()) : text
        }
        let devices: [NIONetworkDevice]
        do {
            devices = try System.enumerateDevices()
        } catch {
            throw TransportError(.unusable, "can't list the network interfaces of this machine")
        }
        let addresses = devices.filter { $0.name == text }.compactMap(\.address)
        guard let address = (addresses.first { $0.protocol == .inet } ?? addresses.first(where: isGlobal))?.ipAddress
        else {
            let names = Set(devices.map(\.name)).sorted().joined(separator: ", ")
            throw TransportError(
                .unusable, "\"\(text)\" is not an address, or an interface with an address: found \(names)")
        }
        return address
    }

    /// Returns true for a global IPv6 address.
    ///
    /// A link-local one is useless without its interface (RFC 4007).
    private static func isGlobal(_ address: SocketAddress) -> Bool {
        address.protocol == .inet6 && address.ipAddress?.lowercased().hasPrefix("fe80") == false
    }
}
