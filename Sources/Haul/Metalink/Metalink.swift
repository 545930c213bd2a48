import HaulCore

/// A Metalink document: files with their sizes, digests and sources, version 4 (RFC 5854) or 3.
///
/// Documents come from strangers. One with a document type or an entity, nested deeper than 32, larger than 16 MiB, in another
/// encoding than UTF-8, or with a name that leads out of the folder is refused as a whole.
public struct Metalink: Hashable, Sendable {
    /// The files, in the order of the document.
    public let files: [MetalinkFile]
    /// What was left out, a sentence each: sources that can't be fetched, files without any other.
    public let omissions: [String]

    /// The largest document that is read, in bytes.
    public static let maxBytes = 16 << 20
    /// The most files that a document may have.
    public static let maxFiles = 100_000
    /// The deepest nesting of elements.
    public static let maxDepth = 32
    /// The most sources of one file that are used; the best ones are.
    public static let maxSources = 64

    /// Reads a document.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that says what is wrong with it.
    public init(parsing bytes: [UInt8]) throws(DownloadError) {
        try MetalinkGuard.check(bytes)
        var reader = MetalinkReader()
        try reader.read(bytes)
        var files: [MetalinkFile] = []
        var omissions: [String] = []
        var names: [String: Int] = [:]
        for draft in reader.drafts {
            if let file = try draft.file(takenNames: &names, omissions: &omissions) { files.append(file) }
        }
        guard !files.isEmpty else {
            let why = omissions.first.map { ": \($0)" } ?? ""
            throw MetalinkGuard.refusal("it has no file that can be downloaded\(why)")
        }
        self.files = files
        self.omissions = omissions
    }

    /// A download for each file, below a folder.
    ///
    /// The folder and those in the names of the files must exist when the downloads start.
    public func specs(folder: String) -> [DownloadSpec] {
        files.compactMap { file in
            guard let first = file.sources.first else { return nil }
            var spec = DownloadSpec(
                url: first.url,
                destination: .file(path: folder.hasSuffix("/") ? folder + file.name : "\(folder)/\(file.name)"))
            spec.isNamedByDocument = true
            spec.mirrors = Array(file.sources.dropFirst())
            spec.checksum = file.checksum
            spec.pieces = file.pieces
            spec.expectedBytes = file.totalBytes
            return spec
        }
    }
}

/// One file of a Metalink document.
public struct MetalinkFile: Hashable, Sendable {
    /// Its path below the chosen folder: a name with the folders before it, each component safe and none of them `..`.
    public let name: String
    /// Its size, if the document tells it.
    public let totalBytes: Int64?
    /// The strongest digest of the whole file: SHA-512, SHA-256, SHA-1 or MD5.
    public let checksum: Checksum?
    /// The digests of its pieces.
    public let pieces: PieceHashes?
    /// Where it is, the best source first; the first one has priority 1.
    public let sources: [DownloadSpec.Mirror]
    /// The languages that it is in, as the document names them.
    public let languages: [String]
    /// The operating systems that it is for, as the document names them.
    public let systems: [String]
    /// Its version, if the document names one.
    public let version: String?
}
