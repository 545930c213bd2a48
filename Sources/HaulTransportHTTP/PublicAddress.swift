import HaulCore
import HaulTransport
import NIOCore

/// What keeps a transfer from addresses that are not public.
enum PublicAddress {
    /// Why a connection to an address is not used; nil where it is public.
    ///
    /// It comes after the connection, and over TLS after the handshake, but before the first byte of a request: the address that a name stood
    /// for a moment ago need not be the one that was connected to.
    static func refusal(of address: SocketAddress?) -> TransportError? {
        guard let address, let text = address.ipAddress, let ip = IPAddress(text), ip.isPublic else {
            return error(address?.ipAddress ?? "what the name stands for")
        }
        return nil
    }

    /// Refuses a URL whose host is an address that is not public: all that can be known behind a proxy.
    static func check(_ url: String) throws(TransportError) {
        let host = CertificateNames.hostWithoutPort(try RequestTarget(url).authority)
        if IPAddress(host)?.isPublic == false { throw error(host) }
    }

    private static func error(_ address: String) -> TransportError {
        TransportError(.unusable, DownloadError.privateAddressMessage(address))
    }
}
