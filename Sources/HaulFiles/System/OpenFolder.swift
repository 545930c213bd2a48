import CHaulSystem
import HaulLibC

/// An open folder, in which calls on names work whatever happens to its path meanwhile.
final class OpenFolder: Sendable {
    /// The path that names are found by.
    let path: String
    /// The path without links, which led to it when it was opened.
    let realPath: String
    private let descriptor: Int32

    /// Opens a folder; links in its path are followed.
    ///
    /// They are resolved first, and none is followed then, so that this is the folder of the real path.
    init(_ path: String, _ system: SystemCalls) throws(FileError) {
        var failure = FileError(.open, path, ENOENT)
        for _ in 0..<8 {
            guard let real = system.realPath(path) else { throw failure }
            do throws(FileError) {
                (self.path, realPath, descriptor) = (path, real, try system.openFolder(real))
                return
            } catch {
                failure = error
            }
            // A folder of the path has just been replaced, perhaps by a link.
            guard [ENOENT, ENOTDIR, ELOOP].contains(failure.code) else { break }
        }
        throw failure
    }

    deinit { SystemCalls.rawClose(descriptor) }

    /// True if its path still leads to it.
    var isInPlace: Bool {
        let (mine, there) = (Self.facts { unsafe fstat(descriptor, &$0) }, Self.facts { unsafe stat(path, &$0) })
        guard let mine, let there else { return false }
        return mine.st_dev == there.st_dev && mine.st_ino == there.st_ino
    }

    /// Returns where the system finds a path, if it is that of the folder or of something in it.
    func place(of path: String) -> SystemCalls.Place? {
        let (bytes, own) = (path.utf8, self.path.utf8)
        guard bytes.starts(with: own) else { return nil }
        var rest = bytes.dropFirst(own.count)
        if own.last != UInt8(ascii: "/"), rest.popFirst() ?? UInt8(ascii: "/") != UInt8(ascii: "/") { return nil }
        guard !rest.contains(UInt8(ascii: "/")) else { return nil }
        return SystemCalls.Place(folder: descriptor, path: rest.isEmpty ? "." : String(Substring(rest)))
    }

    // Safe: the kernel fills a value that outlives the call.
    private static func facts(_ call: (inout stat) -> Int32) -> stat? {
        var facts = stat()
        return call(&facts) == 0 ? facts : nil
    }
}

extension SystemCalls {
    /// A path as the system gets it: relative to an open folder.
    struct Place {
        /// The descriptor of the folder; AT_FDCWD for the current one.
        let folder: Int32
        let path: String
    }

    /// Returns the place of a path: in one of the open folders, if there are any.
    func place(of path: String) -> Place {
        for folder in folders {
            if let place = folder.place(of: path) { return place }
        }
        return Place(folder: AT_FDCWD, path: path)
    }

    /// Returns calls that find the names in these folders in the folders as they are now.
    ///
    /// A folder that is moved, or replaced by a link, is not followed to another one. They are open until these calls are
    /// released.
    ///
    /// - Throws: `FileError` if one can't be opened.
    package func inFolders(_ paths: [String]) throws(FileError) -> SystemCalls {
        var folders: [OpenFolder] = []
        for path in paths where !folders.contains(where: { $0.path == path }) {
            folders.append(try OpenFolder(path, self))
        }
        return SystemCalls(self, folders: folders)
    }

    /// The paths that names in the open folders are found by.
    package var pathsOfFolders: [String] { folders.map(\.path) }

    /// The paths of the open folders without links, as they were when they were opened.
    package var realPathsOfFolders: [String] { folders.map(\.realPath) }

    /// The path of an open folder that does not lead to it any more; nil if all do.
    package var movedFolder: String? { folders.first { !$0.isInPlace }?.path }

    /// Opens a folder step by step, without following a link.
    fileprivate func openFolder(_ realPath: String) throws(FileError) -> Int32 {
        var folder = AT_FDCWD
        for name in ["/"] + realPath.split(separator: "/").map(String.init) {
            // Safe: the C library reads the name up to its NUL and keeps no pointer.
            let next = Result { () throws(FileError) in
                try perform(.open(path: realPath)) { unsafe Int(haul_open_folder(folder, name)) }
            }
            if folder >= 0 { Self.rawClose(folder) }
            folder = Int32(truncatingIfNeeded: try next.get())
        }
        return folder
    }
}
