import HaulCore
import HaulTransport
import NIOCore
import NIOHTTP1
import NIOSSL

/// Sends nothing to a server whose certificate is for its address, when the URL asks for a name.
///
/// NIOSSL takes a certificate that is good for the address connected to, whatever the URL's host is. But who answers a
/// name lookup with an address of their own may well hold a trusted certificate for that address. RFC 9110, 4.3.4: the
/// certificate has to match the URL's host. So where NIOSSL may have been content with the address, the name is looked
/// at again, before the first request. Behind a proxy the address connected to is the proxy's, so NIOSSL is not asked about a
/// URL with an address, and its certificate is judged here alone.
final class CertificateNameHandler: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private enum Verdict { case unknown, right, wrong }
    private var verdict = Verdict.unknown

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .unknown = verdict, case .head(let head) = unwrapOutboundIn(data) {
            let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
            verdict = Self.isRight(head, certificate) ? .right : .wrong
            if case .wrong = verdict { refuse(context, certificate) }
        }
        guard case .right = verdict else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        context.write(data, promise: promise)
    }

    private static func isRight(_ head: HTTPRequestHead, _ certificate: NIOSSLCertificate?) -> Bool {
        guard let host = head.headers.first(name: "host"), let certificate else { return false }
        return CertificateNames(certificate).cover(host: CertificateNames.hostWithoutPort(host))
    }

    /// Not at once: AsyncHTTPClient is in the middle of writing, and is not to hear of an error inside.
    private func refuse(_ context: ChannelHandlerContext, _ certificate: NIOSSLCertificate?) {
        let error =
            certificate.map { TransportError($0, isForOtherHost: true) }
            ?? TransportError(.untrusted, CertificateFacts.forOthers([]), .certificateForOtherHost)
        context.eventLoop.assumeIsolated().execute { context.fireErrorCaught(error) }
    }
}

/// The names in a certificate, as far as they matter after NIOSSL has looked at it.
struct CertificateNames {
    /// Names and wildcards (subjectAltName, dNSName).
    var dns: [String]
    /// Addresses, without ports, of which one may have been what NIOSSL found.
    var addresses: [SocketAddress]

    /// Cuts the port off a `Host` header's value.
    static func hostWithoutPort(_ host: String) -> String {
        guard let colon = host.lastIndex(of: ":"), host.last != "]" else { return host }
        return String(host[..<colon])
    }

    /// The address that a host is, in brackets or not; nil for a name.
    static func address(_ host: String) -> SocketAddress? {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        return try? SocketAddress(ipAddress: isBracketed ? String(host.dropFirst().dropLast()) : host, port: 0)
    }

    /// Whether the certificate is good for a host that it was accepted for.
    func cover(host: String) -> Bool {
        if let address = Self.address(host) { return addresses.contains(address) }
        if addresses.isEmpty { return true }
        let host = Self.normalized(host)
        return dns.contains { Self.matches(Self.normalized($0), host) }
    }

    /// RFC 9525, 6.3: letters in any case, and one `*` that stands for the whole first label.
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
    /// The names in a certificate.
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
