package import HaulCore
import HaulFiles

/// Where a download's file is to stand: a path that is known, or a folder for a name that the server gives.
enum FileTarget: Sendable {
    case file(path: String)
    case folder(path: String, url: SourceURL)

    /// The place that a spec names, or that an earlier run has settled on.
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

    /// The final path of a file that the server names, or does not.
    func path(naming contentDisposition: String?) -> String {
        switch self {
        case .file(let path): path
        case .folder(let folder, let url):
            Self.join(folder, FileName.suggested(contentDisposition: contentDisposition, url: url))
        }
    }

    /// The SHA-256 of the canonical URL, with the extension of its path.
    private static func hashedName(_ url: SourceURL) -> String {
        let name = FileName.suggested(contentDisposition: nil, url: url)
        let digest = StreamingDigest.sha256(of: url.string)
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return digest }
        return digest + name[dot...]
    }

    /// The path of a name in a folder.
    static func join(_ folder: String, _ name: String) -> String {
        folder.utf8.last == UInt8(ascii: "/") ? folder + name : folder + "/" + name
    }
}

/// What a journal calls the source of its bytes.
package enum SourceIdentity {
    /// The digest of a URL, which may hold secrets, of the part that is wanted, and of whether it is saved as the server encodes it.
    package static func digest(_ url: SourceURL, _ range: ByteRange?, _ compression: Compression = .decode) -> String {
        // No canonical URL holds a blank.
        let isEncoded = compression == .keep
        return StreamingDigest.sha256(of: url.string + (range.map { " \($0)" } ?? "") + (isEncoded ? " encoded" : ""))
    }

    /// The sources that a download had before, the newest one last, once one more is replaced.
    ///
    /// A link that expires each hour has ever more successors, so only the last 32 count; a partial file names the last one that sent data.
    package static func replacing(_ source: String, after replaced: [String]) -> [String] {
        (replaced.filter { $0 != source } + [source]).suffix(32)
    }
}
