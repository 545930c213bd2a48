package import HaulCore
import HaulLibC
package import HaulWire

/// The folders that downloads may be saved in; no API request can write outside of them.
package struct FolderRoots: Hashable, Sendable {
    /// The roots with symbolic links resolved; the first one is the default.
    package let paths: [String]
    /// The folders of the daemon's own files, with links resolved: who may save there may do anything.
    private let own: [String]

    /// Resolves folders.
    ///
    /// - Parameters:
    ///   - standard: The folder that is created if it does not exist. Others are not: a missing one may be on a disk that is
    ///     not mounted.
    ///   - own: The folders of the daemon's own files, which a root above them does not include.
    /// - Throws: `DownloadError` with code `invalidRequest` if there are none, or one is not the absolute path of an
    ///   existing folder.
    package init(
        _ folders: [String], making standard: String? = nil, without own: [String] = []
    ) throws(DownloadError) {
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
        self.own = own.compactMap(Self.place)
    }

    /// Resolves the roots of a configuration.
    ///
    /// - Throws: As `init(_:making:without:)`.
    package init(_ configuration: DaemonConfiguration) throws(DownloadError) {
        let paths = configuration.paths
        let own = [paths.socket, paths.configuration].map { String($0[..<($0.lastIndex(of: "/") ?? $0.startIndex)]) }
        try self.init(configuration.roots, making: configuration.defaultRoot, without: own + [paths.stateFolder])
    }

    /// Returns the destination of a download.
    ///
    /// Links are resolved before the comparison, so that none leads out of the roots; the file name is sanitized like a
    /// server's, and the engine follows no link in its place.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the folder is not in a root.
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

    /// Returns a folder in a root, with links resolved.
    ///
    /// It need not exist yet, but its root must, because that may be on a disk that is not mounted.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`, or `fileFailed` if the root does not exist.
    package func folder(_ asked: String?) throws(DownloadError) -> String {
        let whole = named(asked)
        let asked = asked ?? ""
        // A folder outside gets the same error whether it exists or not, so that nothing is disclosed.
        guard !asked.utf8.contains(0), let path = Self.place(whole), let root = root(of: path) else {
            throw outside(asked.isEmpty ? whole : asked)
        }
        guard !isOwn(path, below: root) else { throw outside(path) }
        guard Self.resolved(root) != nil else {
            throw DownloadError(.fileFailed, "the daemon's root \(root) does not exist: create it, or mount its disk")
        }
        return path
    }

    /// Returns the absolute path of a folder, without a look at the disk.
    func named(_ asked: String?) -> String {
        guard let asked, !asked.isEmpty else { return paths[0] }
        return asked.hasPrefix("/") ? asked : "\(paths[0])/\(asked)"
    }

    /// Returns true if a path with resolved links is a root, or in one.
    package func contains(_ path: String) -> Bool { root(of: path).map { !isOwn(path, below: $0) } ?? false }

    private func root(of path: String) -> String? { paths.first { Self.is(path, in: $0) } }

    /// Returns true for a folder of the daemon's own files, unless its root itself is in that folder.
    private func isOwn(_ path: String, below root: String) -> Bool {
        own.contains { Self.is(path, in: $0) && !Self.is(root, in: $0) }
    }

    private static func `is`(_ path: String, in folder: String) -> Bool {
        folder == "/" || path.hasBytes(of: folder) || path.utf8.starts(with: (folder + "/").utf8)
    }

    /// Returns true if files may be written in a folder; for one that does not exist, its parent decides.
    package func admits(_ folder: String) -> Bool { Self.place(folder).map(contains) ?? false }

    /// The bytes of a path that no shell interprets.
    private static let plainBytes = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%".utf8)

    /// Returns the error for a folder outside the roots.
    package func outside(_ folder: String) -> DownloadError {
        if let root = root(of: folder), isOwn(folder, below: root) {
            return DownloadError(
                .invalidRequest,
                "\(TerminalText.fitted(folder, width: 200)) is for the daemon's own files: choose another folder")
        }
        let words = (paths + [folder]).map { "--root \($0)" }.joined(separator: " ")
        // A command that needs quoting, or is too long to read, is left out.
        let isPlain =
            words.utf8.count <= 300 && (paths + [folder]).joined().utf8.allSatisfy { Self.plainBytes.contains($0) }
        // Its name is inside, so a link leads out.
        guard !contains(folder) else {
            return DownloadError(
                .invalidRequest,
                "\(TerminalText.fitted(folder, width: 200)) leads out of the daemon's roots (\(paths.joined(separator: ", "))): "
                    + "choose another folder, or add the one that it leads to to the setting roots")
        }
        return DownloadError(
            .invalidRequest,
            "\(TerminalText.fitted(folder, width: 200)) is outside the daemon's roots (\(paths.joined(separator: ", "))): "
                + "choose a folder in one of them, or add it to the setting roots"
                + (isPlain ? " (haul daemon restart \(words))" : ""))
    }

    /// Returns the path of a folder, with the links of its existing part resolved; nil if it is relative, or has `..`
    /// after that part.
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

    /// Returns the path of a folder without links and dots: realpath(3); nil if there is no such folder.
    private static func resolved(_ path: String, makes: Bool = false) -> String? {
        // Unsafe: the path is copied by the call. If it fails, no folder is found, which is reported.
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
