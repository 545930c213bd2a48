extension DownloadSpec {
    /// What only the program that runs the download may set: files of its machine, and restrictions.
    ///
    /// Requests over the network never contain this part, and lists only the folder for partial files.
    public struct Local: Sendable, Hashable {
        /// The folder of the partial file during the download; nil for that of the finished file.
        ///
        /// An existing folder on the same file system as the destination, since the finished file is renamed out of it.
        public var partialFolder: String?
        /// A file in the format of `.netrc` with users and passwords by host, used if no other credentials are given.
        ///
        /// Its `default` is used only at the URL's own host, and not if a document named the URL; another host, to which
        /// a redirect leads, gets only an entry for itself.
        public var netrcPath: String?
        /// A file of cookies in Netscape's format, sent to the hosts that they are for.
        public var cookiePath: String?
        /// A PEM file with the client certificate, and those that lead to its root, for the URL's own origin.
        public var clientCertificatePath: String?
        /// A PEM file with its private key, without a passphrase; nil if the file of the certificate contains it.
        public var clientKeyPath: String?
        /// True if connections are allowed only to public addresses: none of this machine, of private networks, of
        /// links.
        ///
        /// It is checked when a connection is made, so that no name and no redirect leads elsewhere. Behind a proxy only
        /// an address in the URL counts, since the proxy looks up names. What needs libcurl is refused.
        public var publicAddressesOnly = false
        /// True if a document from somebody else, such as a Metalink, named the URL or a mirror.
        ///
        /// Then only the entry of a netrc file for the URL's very host is used, never the `default`, and only over TLS.
        public var isNamedByDocument = false

        /// The name of the daemon's client that added the download; nil for its user, and without a daemon.
        package var addedBy: String?

        /// Creates the part with its defaults.
        public init() {}
    }
}

extension DownloadSpec {
    /// True if a run reads no file that was there before, and writes only to the folder of the finished file.
    package var usesOnlyItsFolder: Bool {
        local.partialFolder == nil && !placement.verifiesExisting && !placement.adoptsPartials
    }

    /// Returns a spec with the same requests, timeouts and attempts for a document, which is saved in a temporary file.
    ///
    /// - Parameters:
    ///   - url: The URL of the document.
    ///   - path: The path of the file.
    package func forDocument(at url: String, in path: String) -> DownloadSpec {
        var spec = self
        spec.url = url
        spec.destination = .file(path: path)
        (spec.mirrors, spec.checksum, spec.pieces, spec.expectedBytes) = ([], nil, nil, nil)
        spec.local.partialFolder = nil
        return spec
    }
}

extension DownloadSpec.Local: SpecPart {
    package static let standard = Self()

    package static let fields: [PartField<Self>] = [
        .init("partialFolder", \.partialFolder), .init("netrcPath", \.netrcPath), .init("cookiePath", \.cookiePath),
        .init("clientCertificatePath", \.clientCertificatePath), .init("clientKeyPath", \.clientKeyPath),
        .init("publicAddressesOnly", \.publicAddressesOnly), .init("isNamedByDocument", \.isNamedByDocument),
        .init("addedBy", \.addedBy),
    ]

    /// The names of the fields that have a path.
    package static func pathFields(of part: Self) -> [String] {
        fields.filter { $0.name != "addedBy" && $0.hasText(part) }.map(\.name)
    }
}

extension DownloadSpec.Local: Codable {
    /// Decodes the part; what is missing has its default.
    public init(from decoder: any Decoder) throws { self = try Self.decoded(from: decoder) }
    /// Encodes what differs from the defaults.
    public func encode(to encoder: any Encoder) throws { try encodeFields(to: encoder) }
}
