package import HaulCore
import HaulLibC
package import HaulWire

/// The folders that downloads may go to; nothing that is asked over the API leads out of them.
package struct FolderRoots: Hashable, Sendable {
    /// The roots as the file system has them, links resolved; the first one is the usual one.
    package let paths: [String]

    /// Resolves folders.
    ///
    /// - Parameter usual: The one that is made if it is not there. A missing one that somebody has named may be a disk that is not mounted.
    /// - Throws: `DownloadError` with code `invalidRequest` where there is none, or one is no absolute path of a folder that is there.
    package init(_ folders: [String], making standard: String? = nil) throws(DownloadError) {
        guard !folders.isEmpty else {
            throw DownloadError(.invalidRequest, "the daemon has no folder to download to: set roots")
        }
        var paths: [String] = []
        for folder in folders {
            guard folder.hasPrefix("/"), let path = Self.resolved(folder, makes: folder == standard) else {
                throw DownloadError(
                    .invalidRequest, "the root \(folder) is not a folder: create it, or change the setting roots")
            }
            paths.append(path)
        }
        self.paths = paths
    }

    /// Where a download goes.
    ///
    /// Links are resolved before the comparison, so that none leads out; the name of the file is made safe as a server's would be, and
    /// the engine follows no link in its place.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the folder lies in no root.
    package func destination(of request: DownloadRequest) throws(DownloadError) -> Destination {
        let folder = try folder(request.folder)
        if request.hashedName == true { return .hashed(folder: folder) }
        guard let name = request.name else { return .folder(path: folder) }
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/")) else {
            throw DownloadError(.invalidRequest, "name must be a single path component; use folder for the folder")
        }
        let safe = FileName.safe(name)
        return .file(path: folder == "/" ? "/" + safe : "\(folder)/\(safe)")
    }

    /// A folder in a root, links resolved; it need not exist yet, but its root must: it may be on a disk that is not mounted.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`, or `fileFailed` if the root does not exist.
    package func folder(_ asked: String?) throws(DownloadError) -> String {
        let asked = asked ?? ""
        let whole = asked.hasPrefix("/") ? asked : asked.isEmpty ? paths[0] : "\(paths[0])/\(asked)"
        // What is outside has the same answer whether it exists or not: nobody learns what else there is.
        guard !asked.utf8.contains(0), let path = Self.place(whole), let root = root(of: path) else {
            throw outside(asked)
        }
        guard Self.resolved(root) != nil else {
            throw DownloadError(.fileFailed, "the daemon's root \(root) does not exist: create it, or mount its disk")
        }
        return path
    }

    /// Whether a path whose links are resolved lies in a root, or is one.
    package func contains(_ path: String) -> Bool { root(of: path) != nil }

    private func root(of path: String) -> String? {
        paths.first { root in
            root == "/" || path == root || path.utf8.starts(with: (root + "/").utf8)
        }
    }

    /// Returns whether files may be written in a folder; one that does not exist lies where its parent lies.
    package func admits(_ folder: String) -> Bool { Self.place(folder).map(contains) ?? false }

    /// The error for a folder outside the roots.
    package func outside(_ folder: String) -> DownloadError {
        DownloadError(
            .invalidRequest,
            "\(TerminalText.fitted(folder, width: 200)) is outside the daemon's roots (\(paths.joined(separator: ", "))): "
                + "choose a folder in one of them, or add it to the setting roots")
    }

    /// The path of a folder, with the links of the part that exists resolved; nil if it is relative, or leads up behind that part.
    private static func place(_ folder: String) -> String? {
        guard folder.hasPrefix("/") else { return nil }
        var (known, rest) = (folder.pathComponents.filter { $0 != "." }, "")
        while true {
            if let found = resolved("/" + known.joined(separator: "/")) {
                return found == "/" && !rest.isEmpty ? rest : found + rest
            }
            guard let name = known.popLast(), name != ".." else { return nil }
            rest = "/\(name)\(rest)"
        }
    }

    /// The path of a folder without links and dots: realpath(3); nil where there is no such folder.
    private static func resolved(_ path: String, makes: Bool = false) -> String? {
        // Unsafe: the path is copied by the call. Where it fails, no folder is found, and that is said.
        if makes { unsafe _ = mkdir(path, 0o755) }
        // Unsafe: realpath allocates the result, which is copied and freed here.
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        var facts = stat()
        // Unsafe: the kernel fills a value that outlives the call.
        guard unsafe stat(found, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else { return nil }
        return unsafe String(validatingCString: found)
    }
}
