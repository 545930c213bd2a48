import HaulCore
import HaulTransport
import NIOCore
import NIOHTTP1
import NIOSSL

/// Prevents requests of AsyncHTTPClient to a server whose certificate is for its address, if the URL contains a name:
/// see `CertificateNames.problem`.
final class CertificateNameHandler: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private enum Verdict { case unknown, right, wrong }
    private var verdict = Verdict.unknown

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .unknown = verdict, case .head(let head) = unwrapOutboundIn(data) {
            let problem = CertificateNames.problem(
                of: context.pipeline.syncOperations, host: head.headers.first(name: "host") ?? "")
            verdict = problem == nil ? .right : .wrong
            // Later: AsyncHTTPClient is in the middle of a write and must not receive an error inside it.
            if let problem { context.eventLoop.assumeIsolated().execute { context.fireErrorCaught(problem) } }
        }
        guard case .right = verdict else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        context.write(data, promise: promise)
    }
}

/// The names in a certificate that matter after NIOSSL has verified it.
///
/// NIOSSL accepts a certificate that is valid for the connected address, whatever the URL's host is. But an attacker
/// who answers a name lookup with their own address may well have a trusted certificate for that address. RFC 9110,
/// 4.3.4: the certificate must match the URL's host. So if NIOSSL may have accepted the address, the name is verified
/// again before the first request. Behind a proxy the connected address is the proxy's, so NIOSSL does not verify a URL
/// with an address, and its certificate is verified only here.
struct CertificateNames {
    /// The names and wildcards (subjectAltName, dNSName).
    var dns: [String]
    /// The addresses, without ports.
    ///
    /// NIOSSL may have matched one of them.
    var addresses: [SocketAddress]

    /// Returns the error for a connection whose certificate is not for the host of the URL, which may have a port; nil if
    /// it is for it.
    static func problem(of pipeline: ChannelPipeline.SynchronousOperations, host: String) -> TransportError? {
        guard let certificate = try? pipeline.nioSSL_peerCertificate() else {
            return TransportError(.untrusted, CertificateFacts.forOthers([]), .certificateForOtherHost)
        }
        let isRight = !host.isEmpty && CertificateNames(certificate).cover(host: hostWithoutPort(host))
        return isRight ? nil : TransportError(certificate, isForOtherHost: true)
    }

    /// Returns a `Host` header's value without the port.
    static func hostWithoutPort(_ host: String) -> String {
        guard let colon = host.lastIndex(of: ":"), host.last != "]" else { return host }
        return String(host[..<colon])
    }

    /// Returns the address that a host is, with or without brackets; nil for a name.
    static func address(_ host: String) -> SocketAddress? {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        return try? SocketAddress(ipAddress: isBracketed ? String(host.dropFirst().dropLast()) : host, port: 0)
    }

    /// Returns true if the certificate is valid for a host for which NIOSSL accepted it.
    func cover(host: String) -> Bool {
        if let address = Self.address(host) { return addresses.contains(address) }
        if addresses.isEmpty { return true }
        let host = Self.normalized(host)
        return dns.contains { Self.matches(Self.normalized($0), host) }
    }

    /// Compares names by RFC 9525, 6.3: case-insensitively, and with one `*` that replaces the whole first label.
    private static func matches(_ pattern: Substring, _ host: Substring) -> Bool {
        guard pattern.hasPrefix("*.") else { return pattern == host && !pattern.isEmpty }
        guard let dot = host.firstIndex(of: "."), dot != host.startIndex else { return false }
        return host[dot...] == pattern.dropFirst()
    }

    private static func normalized(_ name: String) -> Substring {
        let name = name.lowercased()
        return name.hasSuffix(".") ? name.dropLast() : name[...]
    }
}

extension CertificateNames {
    /// Creates the names from a certificate.
    init(_ certificate: NIOSSLCertificate) {
        self.init(dns: [], addresses: [])
        for name in certificate._subjectAlternativeNames() {
            switch name.nameType {
            case .dnsName: dns.append(String(decoding: name.contents, as: UTF8.self))
            case .ipAddress:
                let bytes = ByteBuffer(bytes: name.contents)
                if let address = try? SocketAddress(packedIPAddress: bytes, port: 0) { addresses.append(address) }
            case _: break
            }
        }
    }
}
