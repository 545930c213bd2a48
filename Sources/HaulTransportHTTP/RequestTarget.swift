import HaulTransport
import NIOCore
import NIOHTTP1

/// A URL, taken apart into what names the server and what is asked of it.
///
/// AsyncHTTPClient takes its request target out of Foundation's URL, which decodes and encodes on the way: a path with
/// bytes that are no UTF-8 (`/%E4`) becomes `/`, and `%zz` becomes `%25zz`. So AsyncHTTPClient gets the origin alone;
/// the target travels beside it in a header, which `RequestTargetHandler` takes off again.
struct RequestTarget: Equatable {
    /// Scheme, host and port, and a slash.
    let origin: String
    /// Path and query, as they stand in the request line (origin-form, RFC 9112, 3.2.1).
    let target: String

    /// The name of the header between here and the handler.
    static let header = "haul-request-target"

    /// What the header says: the target, and before it the number of a read limit where there is one.
    static func carried(_ target: String, _ limit: UInt64?) -> String { limit.map { "\($0) \(target)" } ?? target }

    /// What `carried` has put into the header: no target holds a blank.
    static func parts(ofCarried value: String) -> (target: String, limit: UInt64?) {
        guard let blank = value.utf8.firstIndex(of: UInt8(ascii: " ")) else { return (value, nil) }
        return (String(value[value.utf8.index(after: blank)...]), UInt64(value[..<blank]))
    }

    /// Takes an absolute URL apart.
    ///
    /// - Throws: `TransportError` of kind `badRequest` if it isn't http or https, or holds bytes that no request line
    /// may hold.
    init(_ url: String) throws(TransportError) {
        let bytes = Array(url.utf8)
        let rest: ArraySlice<UInt8>
        if let end = Self.end(of: "http://", in: bytes) ?? Self.end(of: "https://", in: bytes) {
            rest = bytes[end...]
        } else {
            throw TransportError(.badRequest, "the URL's scheme is neither http nor https")
        }
        let authorityEnd = rest.firstIndex {
            $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
        }
        let authority = rest[..<(authorityEnd ?? rest.endIndex)]
        guard !authority.isEmpty else { throw TransportError(.badRequest, "the URL has no host") }
        guard !authority.contains(UInt8(ascii: "@")) else {
            throw TransportError(.badRequest, "the URL has a user name")
        }

        let asked = rest[authority.endIndex...].prefix { $0 != UInt8(ascii: "#") }
        origin = String(decoding: bytes[..<authority.endIndex], as: UTF8.self) + "/"
        let encoded = try Self.encoded(asked)
        target = asked.first == UInt8(ascii: "/") ? encoded : "/" + encoded
    }

    /// Whether it is asked over TLS.
    var isSecure: Bool { origin.utf8.dropFirst(4).first.map { $0 | 0x20 == UInt8(ascii: "s") } ?? false }

    /// Host and port as they stand in the URL.
    var authority: String { String(origin.dropFirst(isSecure ? 8 : 7).dropLast()) }

    /// Host and port, the port also where the URL leaves it out.
    var hostAndPort: String {
        let host = CertificateNames.hostWithoutPort(authority)
        let port = authority.dropFirst(host.count + 1)
        return "\(host):" + (port.isEmpty ? isSecure ? "443" : "80" : String(port))
    }

    /// Whether the host is an address, and no name.
    var isAddress: Bool { CertificateNames.address(CertificateNames.hostWithoutPort(authority)) != nil }

    /// The whole URL, as a proxy is asked for it (absolute-form, RFC 9112, section 3.2.2).
    var absolute: String { origin.dropLast() + target }

    private static func end(of prefix: String, in bytes: [UInt8]) -> Int? {
        let isThere =
            bytes.count >= prefix.utf8.count
            && zip(bytes, prefix.utf8).allSatisfy { ($0 | (0x41...0x5A ~= $0 ? 0x20 : 0)) == $1 }
        return isThere ? prefix.utf8.count : nil
    }

    /// Non-ASCII bytes percent-encoded (RFC 3987, 3.1), everything else as it stands.
    private static func encoded(_ asked: ArraySlice<UInt8>) throws(TransportError) -> String {
        if asked.allSatisfy({ 0x21...0x7E ~= $0 }) { return String(decoding: asked, as: UTF8.self) }
        var result = ""
        for byte in asked {
            switch byte {
            case 0x21...0x7E: result.unicodeScalars.append(Unicode.Scalar(byte))
            case 0x80...0xFF: result += "%" + String(byte, radix: 16, uppercase: true)
            case _: throw TransportError(.badRequest, "the URL holds a space or a control character")
            }
        }
        return result
    }
}

/// Puts the request target that came in a header into the request line.
final class RequestTargetHandler: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let limits: ReadLimits
    private let reads: LimitedReads.Current

    /// Makes the handler of a connection, which tells it how large the reads of the request's transfer may be.
    init(_ limits: ReadLimits, _ reads: LimitedReads.Current) {
        self.limits = limits
        self.reads = reads
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data),
            let carried = head.headers.first(name: RequestTarget.header)
        else {
            return context.write(data, promise: promise)
        }
        head.headers.remove(name: RequestTarget.header)
        let (target, limit) = RequestTarget.parts(ofCarried: carried)
        reads.set(limit.flatMap(limits.limit))
        head.uri = target
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
