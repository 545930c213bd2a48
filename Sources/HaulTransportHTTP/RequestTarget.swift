import HaulTransport
import NIOCore
import NIOHTTP1

/// A URL, split into the part that names the server and the part that is requested.
///
/// AsyncHTTPClient takes its request target from Foundation's URL, which decodes and encodes it: a path with bytes that
/// are not UTF-8 (`/%E4`) becomes `/`, and `%zz` becomes `%25zz`. So AsyncHTTPClient gets only the origin; the target
/// is passed beside it in a header, which `RequestTargetHandler` removes.
struct RequestTarget: Equatable {
    /// Scheme, host and port, and a slash.
    let origin: String
    /// Path and query as in the request line (origin-form, RFC 9112, 3.2.1).
    let target: String

    /// The name of the header that carries the target to the handler.
    static let header = "haul-request-target"

    /// Returns the value of the header: the target, preceded by the number of a read limit if there is one.
    static func carried(_ target: String, _ limit: UInt64?) -> String { limit.map { "\($0) \(target)" } ?? target }

    /// Splits the value made by `carried`: a target contains no space.
    static func parts(ofCarried value: String) -> (target: String, limit: UInt64?) {
        guard let blank = value.utf8.firstIndex(of: UInt8(ascii: " ")) else { return (value, nil) }
        return (String(value[value.utf8.index(after: blank)...]), UInt64(value[..<blank]))
    }

    /// Parses an absolute URL.
    ///
    /// - Throws: `TransportError` of kind `badRequest` if it is not http or https, or contains bytes that are not
    ///   allowed in a request line.
    init(_ url: String) throws(TransportError) {
        let bytes = Array(url.utf8)
        let rest: ArraySlice<UInt8>
        if let end = Self.end(of: "http://", in: bytes) ?? Self.end(of: "https://", in: bytes) {
            rest = bytes[end...]
        } else {
            throw TransportError(.badRequest, "the URL's scheme must be http or https")
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

    /// True if the scheme is https.
    var isSecure: Bool { origin.utf8.dropFirst(4).first.map { $0 | 0x20 == UInt8(ascii: "s") } ?? false }

    /// Host and port as in the URL.
    var authority: String { String(origin.dropFirst(isSecure ? 8 : 7).dropLast()) }

    /// Host and port; the default port if the URL has none.
    var hostAndPort: String {
        let host = CertificateNames.hostWithoutPort(authority)
        let port = authority.dropFirst(host.count + 1)
        return "\(host):" + (port.isEmpty ? isSecure ? "443" : "80" : String(port))
    }

    /// True if the host is an address rather than a name.
    var isAddress: Bool { CertificateNames.address(CertificateNames.hostWithoutPort(authority)) != nil }

    /// The whole URL, as requested from a proxy (absolute-form, RFC 9112, section 3.2.2).
    var absolute: String { origin.dropLast() + target }

    private static func end(of prefix: String, in bytes: [UInt8]) -> Int? {
        let isThere =
            bytes.count >= prefix.utf8.count
            && zip(bytes, prefix.utf8).allSatisfy { ($0 | (0x41...0x5A ~= $0 ? 0x20 : 0)) == $1 }
        return isThere ? prefix.utf8.count : nil
    }

    /// Returns the bytes with non-ASCII ones percent-encoded (RFC 3987, 3.1) and all others unchanged.
    private static func encoded(_ asked: ArraySlice<UInt8>) throws(TransportError) -> String {
        if asked.allSatisfy({ 0x21...0x7E ~= $0 }) { return String(decoding: asked, as: UTF8.self) }
        var result = ""
        for byte in asked {
            switch byte {
            case 0x21...0x7E: result.unicodeScalars.append(Unicode.Scalar(byte))
            case 0x80...0xFF: result += "%" + String(byte, radix: 16, uppercase: true)
            case _: throw TransportError(.badRequest, "the URL contains a space or a control character")
            }
        }
        return result
    }
}

/// Moves the request target from its header to the request line.
final class RequestTargetHandler: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let limits: ReadLimits
    private let reads: LimitedReads.Current

    /// Creates the handler of a connection.
    ///
    /// It also sets the read limit of the request's transfer.
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
