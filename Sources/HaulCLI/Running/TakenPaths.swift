import HaulCore
import HaulFiles

/// The files of a run: each path that a download has taken, because its file is being saved, was saved, or existed.
///
/// On a file system that ignores letter case or the form of accents, two paths may be one file. Which file systems do is
/// not known, so paths that differ only in that are compared by their files.
///
/// Every path is remembered, since a run that forgets one could replace its file. The first ones are remembered as
/// texts, which messages name; the others as hashes, about 50 bytes each. Two paths with one hash would be an error that
/// says that they are the same, never a lost file.
struct TakenPaths {
    /// A download that has taken a path.
    struct Owner: Hashable {
        /// The number of the download.
        let id: Int
        /// Equal for downloads that have the same file.
        let content: Int
        /// Its URL; nil if it is not remembered.
        let url: SourceURL?
    }

    private struct Taken {
        let path: String
        let owner: Owner
    }

    /// An owner in eight bytes.
    private struct ShortOwner {
        let id: UInt32
        let content: UInt32
    }

    /// The first paths by their text in lower case; Swift compares the forms of accents as equal.
    private var taken: [String: [Taken]] = [:]
    /// The hashes of the bytes of the other paths.
    private var further: [Int: ShortOwner] = [:]
    /// The hashes of the other paths in lower case.
    private var furtherSpellings: Set<Int> = []
    private var keys = PathKeys()
    private let file: @Sendable (String) -> FileIdentity?
    /// The number of texts in lower case that are remembered.
    private let limit: Int

    /// - Parameter file: Returns the identity of a file; nil if it does not exist, or has several names.
    init(limit: Int = 100_000, file: @escaping @Sendable (String) -> FileIdentity? = Self.liveFile) {
        self.limit = limit
        self.file = file
    }

    private static func liveFile(_ path: String) -> FileIdentity? {
        guard let status = try? SystemCalls.live.status(atPath: path), status.links == 1 else { return nil }
        return status.file
    }

    /// Returns the key of a file's path, as `PathKeys` does.
    mutating func key(of path: String) -> ByteKey { keys.key(of: path) }

    /// Returns the download that has taken a path; blocks for a moment.
    mutating func owner(of path: String) -> Owner? {
        let path = keys.path(of: path)
        if let exact = exactOwner(of: path) { return exact }
        let folded = path.lowercased()
        let spellings = taken[folded] ?? []
        let isFurther = furtherSpellings.contains(folded.hashValue)
        guard !spellings.isEmpty || isFurther, let found = file(path) else { return nil }
        if let same = spellings.first(where: { file($0.path) == found }) { return same.owner }
        // Of the others, the spelling is not known: the file system ignores case if the file has another one.
        guard isFurther, Self.otherSpellings(of: path).contains(where: { file($0) == found }) else { return nil }
        return Owner(id: 0, content: 0, url: nil)
    }

    /// Records that a download has a path, unless another one has taken it.
    mutating func take(_ path: String, _ job: GetJob) {
        let path = keys.path(of: path)
        guard exactOwner(of: path) == nil else { return }
        let (folded, content) = (path.lowercased(), job.content)
        if taken.count < limit {
            let owner = Owner(id: job.id, content: content, url: job.url)
            taken[folded, default: []].append(Taken(path: path, owner: owner))
        } else {
            further[ByteKey(path).hashValue] = ShortOwner(
                id: UInt32(truncatingIfNeeded: job.id), content: UInt32(truncatingIfNeeded: content))
            furtherSpellings.insert(folded.hashValue)
        }
    }

    /// Releases a path that a download has taken.
    mutating func release(_ path: String, _ job: GetJob) {
        let path = keys.path(of: path)
        let (folded, hash) = (path.lowercased(), ByteKey(path).hashValue)
        if further[hash]?.id == UInt32(truncatingIfNeeded: job.id) { further[hash] = nil }
        guard var spellings = taken[folded] else { return }
        spellings.removeAll { $0.path.hasBytes(of: path) && $0.owner.id == job.id }
        taken[folded] = spellings.isEmpty ? nil : spellings
    }

    /// Returns true if the owner of a path has the same file as a download.
    static func isSame(_ owner: Owner, _ job: GetJob) -> Bool {
        owner.id == job.id || UInt32(truncatingIfNeeded: owner.content) == UInt32(truncatingIfNeeded: job.content)
    }

    private func exactOwner(of path: String) -> Owner? {
        if let exact = taken[path.lowercased()]?.first(where: { $0.path.hasBytes(of: path) }) { return exact.owner }
        guard let other = further[ByteKey(path).hashValue] else { return nil }
        return Owner(id: Int(other.id), content: Int(other.content), url: nil)
    }

    /// Returns the path with its last component in lower case and in upper case, without the path itself.
    private static func otherSpellings(of path: String) -> [String] {
        let name = path.pathComponents.last ?? ""
        let folder = String(decoding: path.utf8.dropLast(name.utf8.count), as: UTF8.self)
        return [folder + name.lowercased(), folder + name.uppercased()].filter { !$0.hasBytes(of: path) }
    }
}
