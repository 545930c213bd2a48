import HaulTransport

/// A URL, validated and prepared for libcurl.
struct CurlTarget: Equatable {
    /// The protocol of a URL.
    enum Kind: String, CaseIterable {
        case http, https
        /// FTP without TLS.
        case ftp
        /// FTP that starts without TLS and must switch to it before the login (RFC 4217).
        case ftpes
        /// FTP over TLS from the first byte.
        case ftps
        case sftp

        /// True for HTTP and HTTPS.
        var isWeb: Bool {
            switch self {
            case .http, .https: true
            case .ftp, .ftpes, .ftps, .sftp: false
            }
        }

        /// True for FTP, with or without TLS.
        var isFTP: Bool {
            switch self {
            case .ftp, .ftpes, .ftps: true
            case .http, .https, .sftp: false
            }
        }

        /// The scheme that libcurl uses.
        var curlScheme: String { self == .ftpes ? "ftp" : rawValue }
    }

    /// The protocol of the URL.
    let kind: Kind
    /// Scheme, host and port.
    let origin: String
    /// The URL for libcurl.
    let url: String
    /// Path and query, exactly as they are sent (RFC 9112, section 3.2.1); empty unless the protocol is HTTP.
    let requestTarget: String

    /// Validates an absolute URL.
    ///
    /// - Throws: `TransportError` of kind `badRequest` that says what is expected.
    init(_ url: String) throws(TransportError) {
        let bytes = Array(url.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8),
            let kind = Kind(rawValue: String(decoding: bytes[..<colon], as: UTF8.self).lowercased())
        else { throw TransportError(.badRequest, "the URL's scheme must be http, https, ftp, ftpes, ftps or sftp") }
        let rest = bytes[(colon + 3)...].prefix { $0 != UInt8(ascii: "#") }
        let authority = rest.prefix { !"/?".utf8.contains($0) }
        guard !authority.isEmpty else { throw TransportError(.badRequest, "the URL has no host") }
        guard !authority.contains(UInt8(ascii: "@")) else {
            throw TransportError(.badRequest, "the URL has a user name")
        }
        let asked = rest[authority.endIndex...]
        origin = "\(kind.curlScheme)://\(try Self.encoded(authority))"
        self.kind = kind
        if kind.isWeb {
            requestTarget = (asked.first == UInt8(ascii: "/") ? "" : "/") + (try Self.encoded(asked))
            self.url = origin + requestTarget
        } else {
            requestTarget = ""
            self.url = origin + (try Self.filePath(asked))
        }
    }

    /// Returns the path of a file.
    ///
    /// A type may follow the path (RFC 1738, 3.2.2).
    ///
    /// Only files in image mode, byte for byte, are fetched; a listing and text mode are rejected. What HTTP calls a
    /// query is part of a name here.
    private static func filePath(_ asked: ArraySlice<UInt8>) throws(TransportError) -> String {
        var path = asked
        if path.suffix(7).starts(with: ";type=".utf8), let type = path.last {
            guard "iI".utf8.contains(type) else {
                throw TransportError(.badRequest, "the URL requests a listing or text; only ;type=i is supported")
            }
            path = path.dropLast(7)
        }
        guard path.first == UInt8(ascii: "/"), path.count > 1, path.last != UInt8(ascii: "/") else {
            throw TransportError(.badRequest, "the URL is a folder, not a file")
        }
        return try encoded(path, also: "?;")
    }

    /// Returns the bytes with non-ASCII ones percent-encoded (RFC 3987, section 3.1), as well as some that a scheme
    /// requires to be encoded.
    private static func encoded(_ bytes: ArraySlice<UInt8>, also hidden: String = "") throws(TransportError) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for byte in bytes {
            switch byte {
            case _ where byte >= 0x80 || hidden.utf8.contains(byte):
                result += "%".utf8
                result += [byte >> 4, byte & 15].map { $0 < 10 ? $0 + UInt8(ascii: "0") : $0 - 10 + UInt8(ascii: "A") }
            case 0x21...0x7E: result.append(byte)
            case _: throw TransportError(.badRequest, "the URL contains a space or a control character")
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
