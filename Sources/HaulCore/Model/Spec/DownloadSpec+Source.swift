extension DownloadSpec {
    /// The source of a file: its URL, its mirrors, and the bytes that are fetched.
    public struct Source: Sendable, Hashable {
        /// The URL: `http`, `https`, or, with libcurl, `ftp`, `ftps` and `sftp`.
        ///
        /// A user name and password in it become an `Authorization` header.
        public var url: String
        /// The method of the request, in capitals; nil for `POST` with a body, and `GET` without one.
        ///
        /// Any method but `GET` is sent over one connection, without ranges, and its file is never resumed. A request
        /// that is not idempotent is not repeated if the server may have carried it out, unless `repeatsRequest` is set.
        /// Such a request can't be combined with mirrors, a range, or a search for a checksum. `HEAD`, `CONNECT` and
        /// `TRACE` are refused with `invalidRequest`.
        public var method: String?
        /// The body of the request, at most 16 MiB; nil for none.
        ///
        /// It is sent again to the target of a redirect with 307 or 308, wherever that leads; after 301, 302 and 303, a
        /// GET without it follows. It is not stored: after a restart, the download waits with the reason `credentials`
        /// until it is added again with its key. The standard key contains a fingerprint of it.
        public var body: RequestBody?
        /// Other sources of the same file, used together with the URL.
        public var mirrors: [Mirror] = []
        /// True if mirrors that the server names in `Link` headers are used as well (RFC 6249).
        public var usesLinkedMirrors = true
        /// The bytes of the resource that become the file; nil for all of them.
        ///
        /// An upper bound beyond the end of the resource means its end. An empty range is refused with
        /// `invalidRequest`.
        public var range: ByteRange?

        init(url: String) { self.url = url }
    }
}

extension DownloadSpec.Source: SpecPart {
    package static let standard = Self(url: "")

    package static let fields: [PartField<Self>] = [
        .init("method", \.method) { method throws(DownloadError) in try check(method) },
        .init("body", \.body) { body throws(DownloadError) in try check(body) },
        .init("mirrors", \.mirrors), .init("usesLinkedMirrors", \.usesLinkedMirrors),
        .init(
            "range", \.range, write: { $0.map { Bounds(start: $0.lowerBound, end: $0.upperBound) } },
            read: { ByteRange($0.start, $0.end) },
            check: { range throws(DownloadError) in
                guard range?.isEmpty != true else {
                    throw DownloadError(.invalidRequest, "range is empty: its end must be after its start")
                }
            }),
    ]

    /// A range of bytes that includes `start` and excludes `end`.
    private struct Bounds: Codable {
        let start: Int64
        let end: Int64
    }
}

extension DownloadSpec.Source: Codable {
    private enum Own: String, CodingKey { case url }

    /// Decodes the part; only the URL is required.
    public init(from decoder: any Decoder) throws {
        self.init(url: try decoder.container(keyedBy: Own.self).decode(String.self, forKey: .url))
        try decodeFields(from: decoder)
    }

    /// Encodes the URL and what differs from the defaults.
    public func encode(to encoder: any Encoder) throws {
        var own = encoder.container(keyedBy: Own.self)
        try own.encode(url, forKey: .url)
        try encodeFields(to: encoder)
    }
}

extension DownloadSpec {
    /// Another source of the same file.
    ///
    /// Its answers are measured against what the others say, and its bytes are compared with theirs before they are taken, unless a
    /// checksum or piece hashes vouch for all bytes at the end.
    public struct Mirror: Hashable, Sendable, Codable {
        /// Where the file is, too.
        ///
        /// Headers of the caller are sent to it only where it is of the same origin as the main URL.
        public var url: String
        /// Which source is asked first: 1 is the best, the main URL has 1 (RFC 5854, section 4.2.16.2).
        public var priority: Int
        /// Where it stands, as a country code, if that is known (RFC 5854, section 4.2.16.1).
        public var location: String?

        /// Makes a mirror.
        public init(url: String, priority: Int = 1, location: String? = nil) {
            self.url = url
            self.priority = priority
            self.location = location
        }

        /// Decodes a mirror; without a priority it has 1.
        public init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                url: try fields.decode(String.self, forKey: .url),
                priority: try fields.decodeIfPresent(Int.self, forKey: .priority) ?? 1,
                location: try fields.decodeIfPresent(String.self, forKey: .location))
        }
    }
}
