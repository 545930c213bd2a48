package import HaulCore
import HaulDigest
import HaulFiles

/// The destination of a download's file: a known path, or a folder for a name that the server chooses.
enum FileTarget: Sendable {
    case file(path: String)
    case folder(path: String, url: SourceURL)

    /// Creates the target from a spec, or from the path that an earlier run chose.
    init(_ spec: borrowing DownloadSpec, _ options: borrowing RunOptions, _ url: SourceURL) {
        if let path = options.targetPath {
            self = .file(path: path)
            return
        }
        switch spec.destination {
        case .file(let path): self = .file(path: path)
        case .folder(let path): self = .folder(path: path, url: url)
        case .hashed(let folder): self = .file(path: Self.join(folder, Self.hashedName(url)))
        }
    }

    /// Returns the final path, using the server's file name if there is one.
    func path(naming contentDisposition: String?) -> String {
        switch self {
        case .file(let path): path
        case .folder(let folder, let url):
            Self.join(folder, FileName.suggested(contentDisposition: contentDisposition, url: url))
        }
    }

    /// Returns the SHA-256 of the canonical URL, with the extension of its path.
    private static func hashedName(_ url: SourceURL) -> String {
        let name = FileName.suggested(contentDisposition: nil, url: url)
        let digest = StreamingDigest.sha256(of: url.string)
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return digest }
        return digest + name[dot...]
    }

    /// Joins a folder and a name.
    static func join(_ folder: String, _ name: String) -> String {
        folder.utf8.last == UInt8(ascii: "/") ? folder + name : folder + "/" + name
    }
}

/// The identity of a source in the journal.
package enum SourceIdentity {
    /// Returns the digest of a URL (which may contain secrets), the range, whether the file is saved with the server's
    /// encoding, and the method and body of another request than a plain GET.
    package static func digest(
        _ url: SourceURL, _ range: ByteRange?, _ compression: Compression = .decode, request: String = ""
    ) -> String {
        // A canonical URL contains no space.
        let isEncoded = compression == .keep
        let text = PercentCoding.normalized(url.string)
        return StreamingDigest.sha256(
            of: text + (range.map { " \($0)" } ?? "") + (isEncoded ? " encoded" : "") + request)
    }

    /// Returns the digest of a URL without its query, which often has a token.
    package static func place(of url: SourceURL) -> String {
        StreamingDigest.sha256(of: PercentCoding.normalized(url.string.prefix { $0 != "?" }))
    }

    /// Returns the earlier sources of a download after one more is replaced, the newest last.
    ///
    /// Links that expire every hour have many successors, so only the last 32 are kept; a partial file names the last
    /// one that sent data.
    package static func replacing(_ source: String, after replaced: [String]) -> [String] {
        (replaced.filter { $0 != source } + [source]).suffix(32)
    }
}
