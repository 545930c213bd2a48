extension DownloadSpec {
    /// The credentials, headers and security of requests.
    public struct Access: Sendable, Hashable {
        /// The headers of each request, in order.
        ///
        /// All but a few harmless ones are sent only to the URL's own origin.
        public var headers: [Header] = []
        /// The `Referer` header, sent only to the URL's own origin; nil for none.
        ///
        /// User name, password and fragment of a URL are not sent (RFC 9110, section 10.1.3).
        public var referer: String?
        /// The user name for authentication, sent only to the URL's own origin; nil for the one in the URL.
        public var user: String?
        /// The password of `user`.
        public var password: Secret?
        /// The authentication scheme; all but `basic` require a build with libcurl.
        public var authentication = AuthenticationScheme.any
        /// A token that is sent to the URL's own origin (RFC 6750) if there is no user.
        public var bearerToken: Secret?
        /// True if any certificate is accepted, which is shown wherever the download is shown.
        public var insecure = false
        /// True if a redirect may lead from https to http.
        public var allowsDowngrade = false

        /// Creates the part with its defaults.
        public init() {}
    }
}

extension DownloadSpec.Access: SpecPart {
    package static let standard = Self()

    // Password and token are not among them: a report never contains them, and a request never names a file.
    package static let fields: [PartField<Self>] = [
        .init("headers", \.headers) { headers throws(DownloadError) in
            if let refusal = headers.lazy.compactMap(\.refusal).first { throw DownloadError(.invalidRequest, refusal) }
        },
        .init("referer", \.referer) { referer throws(DownloadError) in
            guard referer?.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) != true else {
                throw DownloadError(.invalidRequest, "referer has a control character: write it on one line")
            }
        },
        .init("user", \.user), .init("authentication", \.authentication), .init("insecure", \.insecure),
        .init("allowsDowngrade", \.allowsDowngrade),
    ]
}

extension DownloadSpec.Access {
    /// The value of `referer` as it is sent and stored.
    package var sentReferer: String? {
        referer.map { text in
            guard text.utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "#") }) else { return text }
            return (try? SourceURL(parsing: text))?.string ?? URLRedaction.shown(text)
        }
    }
}

extension DownloadSpec.Access: Codable {
    /// Decodes the part; what is missing has its default, and so have the password and the token.
    public init(from decoder: any Decoder) throws { self = try Self.decoded(from: decoder) }
    /// Encodes what differs from the defaults, except the password and the token.
    public func encode(to encoder: any Encoder) throws { try encodeFields(to: encoder) }
}

extension DownloadSpec {
    /// A header line.
    public struct Header: Hashable, Sendable, Codable {
        /// The name of the field.
        public var name: String
        /// The value of the field: an empty one removes the field, also one that Haul sends otherwise; blanks send an
        /// empty field.
        public var value: String

        /// Creates a header line.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// The reason why the field can't be set for a download; nil if it can.
        ///
        /// No transport sends these two, so to accept them would be to drop them silently.
        package var refusal: String? {
            switch name.lowercased() {
            case "host": "the header Host can't be set: it follows from the URL"
            case "proxy-authorization": "the header Proxy-Authorization can't be set: the server would get it"
            default: nil
            }
        }
    }
}
