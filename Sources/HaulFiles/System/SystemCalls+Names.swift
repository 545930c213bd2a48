import CHaulSystem
import HaulLibC

/// Calls on names. The C functions read the path up to its NUL and keep no pointer, which makes each `unsafe` here
/// safe.
extension SystemCalls {
    /// The way in which a file is opened.
    ///
    /// A symbolic link at the end of the path is never followed, and opening a named pipe never blocks.
    package enum Access: Sendable {
        /// For reading.
        case read
        /// For reading and writing; created if it does not exist.
        case create
        /// Like `create`, emptied.
        case createEmpty
        /// Like `create`; EEXIST if it exists.
        case createNew
        /// A folder, to be synced.
        case folder

        var flags: Int32 {
            let always = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
            return switch self {
            case .read: O_RDONLY | always
            case .create: O_RDWR | O_CREAT | always
            case .createEmpty: O_RDWR | O_CREAT | O_TRUNC | always
            case .createNew: O_RDWR | O_CREAT | O_EXCL | always
            case .folder: O_RDONLY | O_DIRECTORY | O_CLOEXEC
            }
        }
    }

    /// Opens a file: open(2).
    ///
    /// A new file gets mode 0666 less the umask.
    package func open(_ path: String, _ access: Access) throws(FileError) -> OpenFile {
        let descriptor = try perform(.open(path: path)) { rawOpen(path, access.flags) }
        return OpenFile(descriptor: Int32(truncatingIfNeeded: descriptor), path: path, system: self)
    }

    /// Returns the status of the object at a path, without following a symbolic link; nil if it does not exist.
    package func status(atPath path: String) throws(FileError) -> FileStatus? {
        var found = haul_status()
        do {
            let place = place(of: path)
            _ = try perform(.status(path: path)) { unsafe Int(haul_status_of_path(place.folder, place.path, &found)) }
        } catch  where error.code == ENOENT {
            return nil
        }
        return appears(FileStatus(found), path)
    }

    /// Returns the path without links and relative components, or nil if it does not exist: realpath(3).
    package func realPath(_ path: String) -> String? {
        // Safe: the C function allocates the text, which is copied before it is freed.
        guard let text = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }

    /// Renames a file and atomically replaces an existing one: rename(2).
    package func rename(_ from: String, to path: String) throws(FileError) {
        let (old, new) = (place(of: from), place(of: path))
        _ = try perform(.rename(from: from, to: path)) {
            unsafe Int(renameat(old.folder, old.path, new.folder, new.path))
        }
    }

    /// Renames a file; EEXIST if the name is taken: renameat2(2) with RENAME_NOREPLACE.
    package func renameNoReplace(_ from: String, to path: String) throws(FileError) {
        let (old, new) = (place(of: from), place(of: path))
        _ = try perform(.renameNoReplace(from: from, to: path)) {
            unsafe Int(haul_rename_no_replace(old.folder, old.path, new.folder, new.path))
        }
    }

    /// Renames a file; EEXIST if the name is taken.
    ///
    /// - Returns: True if the file system has only link(2) for that, so that an open file may count as another one than that under its
    ///   new name.
    @discardableResult
    package func rename(_ from: String, withoutReplacing path: String) throws(FileError) -> Bool {
        do {
            try renameNoReplace(from, to: path)
            return false
        } catch  where error.isUnsupported {
            // The file system does not support the flag: use the next best call.
        }
        do {
            try link(from, to: path)
            try unlink(from)
            return true
        } catch  where error.lacksLinks {
            // No hard links either: the remaining way has a gap between the check and the move.
        }
        guard try status(atPath: path) == nil else { throw FileError(.renameNoReplace, path, EEXIST) }
        try rename(from, to: path)
        return false
    }

    /// Gives a file a second name; EEXIST if the name is taken: link(2).
    package func link(_ from: String, to path: String) throws(FileError) {
        let (old, new) = (place(of: from), place(of: path))
        _ = try perform(.link(from: from, to: path)) {
            unsafe Int(linkat(old.folder, old.path, new.folder, new.path, 0))
        }
    }

    /// Creates a file without a name in a folder; it vanishes unless it gets one: open(2) with O_TMPFILE.
    ///
    /// Not every file system supports that.
    package func openNameless(inFolder folder: String) throws(FileError) -> OpenFile {
        let place = place(of: folder)
        let descriptor = try perform(.open(path: folder)) {
            unsafe Int(haul_open_nameless(place.folder, place.path, 0o666))
        }
        return OpenFile(descriptor: Int32(truncatingIfNeeded: descriptor), path: folder, system: self)
    }

    /// Gives a file without a name its name; EEXIST if the name is taken: linkat(2).
    package func name(_ file: OpenFile, _ path: String) throws(FileError) {
        let place = place(of: path)
        try file.use(for: .link) { descriptor throws(FileError) in
            _ = try perform(.link(from: file.path, to: path)) {
                unsafe Int(haul_name_file(descriptor, place.folder, place.path))
            }
        }
    }

    /// Removes a name; does nothing if it does not exist: unlink(2).
    package func unlink(_ path: String) throws(FileError) {
        do {
            let place = place(of: path)
            _ = try perform(.unlink(path: path)) { unsafe Int(unlinkat(place.folder, place.path, 0)) }
        } catch  where error.code == ENOENT {
            return
        }
    }

    /// Waits until the names in a folder are on disk.
    ///
    /// If a file system can't sync folders (EINVAL and similar errors), that is ignored: there is no alternative. The same
    /// applies to a folder in which the user may create files, but not list them: it can't be opened.
    package func syncFolder(_ path: String) throws(FileError) {
        do {
            _ = try perform(.fsyncFolder(path: path)) {
                let descriptor = rawOpen(path, Access.folder.flags)
                guard descriptor >= 0 else { return -1 }
                let result = haul_sync_file(Int32(truncatingIfNeeded: descriptor))
                let code = errno
                Self.rawClose(Int32(truncatingIfNeeded: descriptor))
                errno = code
                return Int(result)
            }
        } catch  where error.isUnsupported || error.code == EACCES {
            return
        }
    }

    /// Waits until all files of a folder's file system are on disk: syncfs(2).
    ///
    /// One call instead of one for each of thousands of small files.
    package func syncFileSystem(of path: String) throws(FileError) {
        _ = try perform(.fsyncFolder(path: path)) {
            let descriptor = rawOpen(path, Access.folder.flags)
            guard descriptor >= 0 else { return -1 }
            let result = haul_sync_file_system(Int32(truncatingIfNeeded: descriptor))
            let code = errno
            Self.rawClose(Int32(truncatingIfNeeded: descriptor))
            errno = code
            return Int(result)
        }
    }

    private func rawOpen(_ path: String, _ flags: Int32) -> Int {
        let place = place(of: path)
        return unsafe Int(openat(place.folder, place.path, flags, 0o666))
    }
}
