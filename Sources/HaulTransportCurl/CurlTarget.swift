import HaulTransport

/// A URL, judged and made ready for libcurl.
struct CurlTarget: Equatable {
    /// How the bytes come.
    enum Kind: String, CaseIterable {
        case http, https
        /// In the clear.
        case ftp
        /// FTP that begins in the clear and must go over to TLS before the login (RFC 4217).
        case ftpes
        /// FTP over TLS from the first byte.
        case ftps
        case sftp

        /// Whether HTTP is spoken.
        var isWeb: Bool {
            switch self {
            case .http, .https: true
            case .ftp, .ftpes, .ftps, .sftp: false
            }
        }

        /// Whether FTP is spoken, over TLS or not.
        var isFTP: Bool {
            switch self {
            case .ftp, .ftpes, .ftps: true
            case .http, .https, .sftp: false
            }
        }

        /// The scheme by which libcurl knows it.
        var curlScheme: String { self == .ftpes ? "ftp" : rawValue }
    }

    /// How the bytes come.
    let kind: Kind
    /// The URL for libcurl.
    let url: String
    /// Path and query, exactly as they are sent (RFC 9112, section 3.2.1); empty but for HTTP.
    let requestTarget: String

    /// Judges an absolute URL.
    ///
    /// - Throws: `TransportError` of kind `badRequest` with what would be right.
    init(_ url: String) throws(TransportError) {
        let bytes = Array(url.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8),
            let kind = Kind(rawValue: String(decoding: bytes[..<colon], as: UTF8.self).lowercased())
        else { throw TransportError(.badRequest, "the URL's scheme is none of http, https, ftp, ftpes, ftps and sftp") }
        let rest = bytes[(colon + 3)...].prefix { $0 != UInt8(ascii: "#") }
        let authority = rest.prefix { !"/?".utf8.contains($0) }
        guard !authority.isEmpty else { throw TransportError(.badRequest, "the URL has no host") }
        guard !authority.contains(UInt8(ascii: "@")) else {
            throw TransportError(.badRequest, "the URL has a user name")
        }
        let asked = rest[authority.endIndex...]
        let origin = "\(kind.curlScheme)://\(try Self.encoded(authority))"
        self.kind = kind
        if kind.isWeb {
            requestTarget = (asked.first == UInt8(ascii: "/") ? "" : "/") + (try Self.encoded(asked))
            self.url = origin + requestTarget
        } else {
            requestTarget = ""
            self.url = origin + (try Self.filePath(asked))
        }
    }

    /// RFC 1738, 3.2.2: a type may stand behind the path.
    ///
    /// Only images, byte for byte, are fetched; a listing and lines of text are no file. What HTTP calls a query is part of a name here.
    private static func filePath(_ asked: ArraySlice<UInt8>) throws(TransportError) -> String {
        var path = asked
        if path.suffix(7).starts(with: ";type=".utf8), let type = path.last {
            guard "iI".utf8.contains(type) else {
                throw TransportError(.badRequest, "the URL asks for a listing or for text; only ;type=i is fetched")
            }
            path = path.dropLast(7)
        }
        guard path.first == UInt8(ascii: "/"), path.count > 1, path.last != UInt8(ascii: "/") else {
            throw TransportError(.badRequest, "the URL names a folder, not a file")
        }
        return try encoded(path, also: "?;")
    }

    /// Non-ASCII bytes percent-encoded (RFC 3987, section 3.1), and some others that a scheme wants hidden.
    private static func encoded(_ bytes: ArraySlice<UInt8>, also hidden: String = "") throws(TransportError) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for byte in bytes {
            switch byte {
            case _ where byte >= 0x80 || hidden.utf8.contains(byte):
                result += "%".utf8
                result += [byte >> 4, byte & 15].map { $0 < 10 ? $0 + UInt8(ascii: "0") : $0 - 10 + UInt8(ascii: "A") }
            case 0x21...0x7E: result.append(byte)
            case _: throw TransportError(.badRequest, "the URL holds a space or a control character")
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
