/// A checksum that the finished file must have, written `sha256:HEX`.
public struct Checksum: Hashable, Sendable, Codable {
    /// The hash algorithm.
    public let algorithm: Algorithm
    /// The digest in lowercase hexadecimal.
    public let hex: String

    /// The algorithms that Haul can compute.
    public enum Algorithm: String, Sendable, Codable, CaseIterable {
        case md5
        case sha1
        case sha256
        case sha512

        /// The length of the digest in bytes.
        public var byteCount: Int {
            switch self {
            case .md5: 16
            case .sha1: 20
            case .sha256: 32
            case .sha512: 64
            }
        }

        /// The name for display: `sha-256`.
        public var label: String {
            switch self {
            case .md5: "md5"
            case .sha1: "sha-1"
            case .sha256: "sha-256"
            case .sha512: "sha-512"
            }
        }
    }

    /// Creates a checksum from an algorithm and a hexadecimal digest in either case.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the digest is not hexadecimal or has the wrong length.
    public init(_ algorithm: Algorithm, hex: String) throws(DownloadError) {
        let lower = hex.lowercased()
        guard lower.utf8.count == algorithm.byteCount * 2, lower.utf8.allSatisfy(Self.isHexDigit) else {
            throw DownloadError(
                .invalidRequest,
                "\"\(Self.shown(hex))\" is not a valid \(algorithm.rawValue) digest: expected \(algorithm.byteCount * 2) hexadecimal digits"
            )
        }
        self.algorithm = algorithm
        self.hex = lower
    }

    /// Parses `ALGORITHM:HEX`; `sha-256` and `SHA256` are accepted, too, and a digest alone, whose length shows the
    /// algorithm.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`; the message says what is expected.
    public init(parsing text: String) throws(DownloadError) {
        guard let colon = text.firstIndex(where: { $0 == ":" || $0 == "=" }) else {
            // The length shows which one it is.
            if text.lowercased().utf8.allSatisfy(Self.isHexDigit), let algorithm = Algorithm(digits: text.utf8.count) {
                try self.init(algorithm, hex: text)
                return
            }
            throw DownloadError(.invalidRequest, "invalid checksum \"\(Self.shown(text))\": expected sha256:HEX")
        }
        let name = text[..<colon].lowercased().filter { $0 != "-" }
        guard let algorithm = Algorithm(rawValue: name) else {
            let known = Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw DownloadError(
                .invalidRequest,
                "unknown checksum algorithm \"\(Self.shown(text[..<colon]))\": expected one of \(known)")
        }
        try self.init(algorithm, hex: String(text[text.index(after: colon)...]))
    }

    /// Quotes a text, which may come from an untrusted document.
    private static func shown(_ text: some StringProtocol) -> String { URLRedaction.quoted(String(text), width: 140) }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}

extension Checksum: CustomStringConvertible {
    /// The checksum as `ALGORITHM:HEX`.
    public var description: String { "\(algorithm.rawValue):\(hex)" }
}
