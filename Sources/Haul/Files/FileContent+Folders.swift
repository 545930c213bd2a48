import HaulCore
import HaulFiles
import Synchronization

/// Folders: whether they are there, and where the partial stands.
extension FileContent {
    /// Where the files of a download to `path` are: beside it, or in the folder for partial files.
    ///
    /// If a file that is not Haul's is in the partial's place, it is left alone and the alternative names are used. That is decided once:
    /// a partial of this run must not look like another's.
    func names(_ path: String) -> PartialNames {
        if let names = state.withLock({ $0.names }), names.final == path { return names }
        var names = standardNames(path)
        if (try? PartialFile.isForeign(names, system: system)) == true { names = names.alternative }
        state.withLock { $0.names = names }
        return names
    }

    /// The names where nothing that is not Haul's is in their place.
    func standardNames(_ path: String) -> PartialNames {
        guard let folder = spec.partialFolder else { return PartialNames(final: path) }
        let beside = PartialNames(final: path)
        let name = path.split(separator: "/").last.map(String.init) ?? path
        // Two ways to write a place mean the same partial; a folder that does not exist has no partial.
        let identity = (system.realPath(beside.folder) ?? beside.folder) + "/" + name
        return PartialNames(final: path, partialFolder: folder, identity: identity)
    }

    /// Throws where a folder is missing.
    func requireFolder(_ path: String) throws(DownloadError) {
        guard try folderStatus(path) == nil else { return }
        throw DownloadError(.fileFailed, "the folder \(path) does not exist: create it, or choose another one")
    }

    /// Throws where the folder for the partial is missing, or a rename can't lead from it to the destination.
    ///
    /// rename(2), EXDEV: both must be on the same mount, even where two mounts are of the same device.
    func requirePartialFolder(for destination: String) throws(DownloadError) {
        guard let folder = spec.partialFolder else { return }
        try requireFolder(folder)
        guard let there = try folderStatus(folder), let goal = try folderStatus(destination) else { return }
        guard there.kind == .folder else {
            throw DownloadError(.fileFailed, "\(folder) is a \(there.kind.rawValue), not a folder: choose another one")
        }
        guard there.device == goal.device, there.mountID == goal.mountID else {
            throw DownloadError(
                .fileFailed,
                "the folder for partial files, \(folder), is not on the file system of \(destination), "
                    + "so a finished file can't be renamed: choose one on the same file system")
        }
    }

    /// A link to a folder is fine, so it is looked at with the slash that makes the system follow it.
    private func folderStatus(_ path: String) throws(DownloadError) -> FileStatus? {
        try fileCall { () throws(FileError) in try system.status(atPath: path.hasSuffix("/") ? path : path + "/") }
    }
}
