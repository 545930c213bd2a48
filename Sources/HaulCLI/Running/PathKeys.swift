import HaulCore
import HaulFiles

/// The keys of files: one for all spellings of a path, whatever links and dots lead to its folder.
struct PathKeys {
    /// The real paths of folders that exist, by their spelling.
    private var folders: [String: String] = [:]
    private let realPath: (String) -> String?

    private static let maxFolders = 10_000

    /// - Parameter realPath: Returns the path of an existing folder without links and dots; nil if there is none.
    init(realPath: @escaping @Sendable (String) -> String? = { SystemCalls.live.realPath($0) }) {
        self.realPath = realPath
    }

    /// Returns the key of a file's path.
    mutating func key(of path: String) -> ByteKey { ByteKey(self.path(of: path)) }

    /// Returns the one spelling of a file's path.
    mutating func path(of path: String) -> String {
        // By bytes: a slash and a combining mark at the start of the name are one character.
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = end.map { String(Substring(path.utf8[...$0])) } ?? "./"
        let name = path.pathComponents.last ?? ""
        return "\(real(folder))/\(name)"
    }

    private mutating func real(_ folder: String) -> String {
        if let known = folders[folder] { return known }
        if let found = realPath(folder) {
            if folders.count < Self.maxFolders { folders[folder] = found }
            return found
        }
        // It does not exist yet, so its own name is no link: its parent decides.
        var rest = folder.pathComponents.filter { $0 != "." }
        guard let last = rest.popLast(), last != ".." else { return folder }
        let parent = (folder.hasPrefix("/") ? "/" : "./") + rest.map { "\($0)/" }.joined()
        return real(parent) + "/" + last
    }
}
