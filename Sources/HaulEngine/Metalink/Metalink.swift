public import HaulCore

/// A Metalink document: files with their sizes, digests and sources, version 4 (RFC 5854) or 3.
///
/// Documents come from third parties. A document is rejected if it has a document type or an entity, is nested deeper
/// than 32, is larger than 16 MiB, is not in UTF-8, or contains a name that leads out of the folder.
public struct Metalink: Hashable, Sendable {
    /// The files, in the order of the document.
    public let files: [MetalinkFile]
    /// The parts of the document that were ignored, a sentence each: sources that can't be fetched, files without any
    /// other source.
    public let omissions: [String]

    /// The maximum size of a document, in bytes.
    public static let maxBytes = 16 << 20
    /// The maximum number of files in a document.
    public static let maxFiles = 100_000
    /// The maximum nesting of elements.
    public static let maxDepth = 32
    /// The maximum number of sources used for a file; the best ones are used.
    public static let maxSources = 64

    /// Parses a document.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that says what is invalid.
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

    /// Returns a download for each file, below a folder.
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

/// A file in a Metalink document.
public struct MetalinkFile: Hashable, Sendable {
    /// The path below the chosen folder: a name with the folders before it, each component safe and none of them `..`.
    public let name: String
    /// The size in bytes, if the document contains it.
    public let totalBytes: Int64?
    /// The strongest digest of the whole file: SHA-512, SHA-256, SHA-1 or MD5.
    public let checksum: Checksum?
    /// The digests of its pieces.
    public let pieces: PieceHashes?
    /// The sources, the best one first; the first one has priority 1.
    public let sources: [DownloadSpec.Mirror]
    /// The languages of the file, as named in the document.
    public let languages: [String]
    /// The operating systems that the file is for, as named in the document.
    public let systems: [String]
    /// The version, if the document contains one.
    public let version: String?
}
