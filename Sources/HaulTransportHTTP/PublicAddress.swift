import HaulCore
import HaulTransport
import NIOCore

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
