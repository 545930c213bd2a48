import HaulCore
import HaulFiles

/// The files of a run: each path that a URL has taken, because its file is being saved, was saved, or existed.
///
/// On a file system that ignores letter case or the form of accents, two paths may be one file. Which file systems do is
/// not known, so paths that differ only in that are compared by their files.
struct TakenPaths {
    private struct Taken {
        let path: String
        let url: SourceURL
    }

    /// The paths by their text in lower case; Swift compares the forms of accents as equal.
    private var taken: [String: [Taken]] = [:]
    private var keys = PathKeys()
    private let file: @Sendable (String) -> FileIdentity?

    /// The number of paths that are remembered.
    private static let limit = 100_000

    /// - Parameter file: Returns the identity of a file; nil if it does not exist, or has several names.
    init(file: @escaping @Sendable (String) -> FileIdentity? = Self.liveFile) { self.file = file }

    private static func liveFile(_ path: String) -> FileIdentity? {
        guard let status = try? SystemCalls.live.status(atPath: path), status.links == 1 else { return nil }
        return status.file
    }

    /// Returns the key of a file's path, as `PathKeys` does.
    mutating func key(of path: String) -> ByteKey { keys.key(of: path) }

    /// Returns the URL that has taken a path; blocks for a moment.
    mutating func owner(of path: String) -> SourceURL? {
        let path = keys.path(of: path)
        let spellings = taken[path.lowercased()] ?? []
        if let exact = spellings.first(where: { $0.path.hasBytes(of: path) }) { return exact.url }
        guard !spellings.isEmpty, let found = file(path) else { return nil }
        return spellings.first { file($0.path) == found }?.url
    }

    /// Records that a URL has a path, unless another one has taken it.
    mutating func take(_ path: String, _ url: SourceURL) {
        guard taken.count < Self.limit else { return }
        let path = keys.path(of: path)
        if taken[path.lowercased()]?.contains(where: { $0.path.hasBytes(of: path) }) == true { return }
        taken[path.lowercased(), default: []].append(Taken(path: path, url: url))
    }

    /// Releases the path of a URL.
    mutating func release(_ path: String, _ url: SourceURL) {
        let path = keys.path(of: path)
        var spellings = taken[path.lowercased()] ?? []
        spellings.removeAll { $0.path.hasBytes(of: path) && $0.url == url }
        taken[path.lowercased()] = spellings.isEmpty ? nil : spellings
    }
}
