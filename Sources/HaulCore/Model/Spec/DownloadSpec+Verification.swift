extension DownloadSpec {
    /// The verification of a file.
    public struct Verification: Sendable, Hashable {
        /// The checksum that the finished file must have.
        public var checksum: Checksum?
        /// True if a checksum is looked for beside the file on the server, if none is given: `URL.sha256`, `SHA256SUMS`
        /// and the like.
        ///
        /// That takes a few small requests to the URL's own origin before the first one for the file.
        public var findsChecksum = false
        /// True if the file must have the digest in the server's response headers, if no other checksum is known.
        public var usesHeaderChecksum = true
        /// The digests of the file's pieces: only bad pieces are fetched again.
        public var pieces: PieceHashes?
        /// The size that the file must have; nil for the server's.
        public var expectedBytes: Int64?
        /// True if a web page (`text/html`) under another name, such as `a.zip`, is an error instead of a notice.
        public var failsOnHTML = false

        /// Creates the part with its defaults.
        public init() {}
    }
}

extension DownloadSpec.Verification: SpecPart {
    package static let standard = Self()

    package static let fields: [PartField<Self>] = [
        .init(
            "checksum", \.checksum, write: { $0?.description }, read: { (text: String) in try Checksum(parsing: text) }),
        .init("findsChecksum", \.findsChecksum), .init("usesHeaderChecksum", \.usesHeaderChecksum),
        .init("pieces", \.pieces), .init("expectedBytes", \.expectedBytes, in: 0...Int64.max),
        .init("failsOnHTML", \.failsOnHTML),
    ]
}

extension DownloadSpec.Verification: Codable {
    /// Decodes the part; what is missing has its default.
    public init(from decoder: any Decoder) throws { self = try Self.decoded(from: decoder) }
    /// Encodes what differs from the defaults.
    public func encode(to encoder: any Encoder) throws { try encodeFields(to: encoder) }
}
