import HaulCore
import HaulFiles

/// Folders: whether they are there, and where the partial stands.
extension FileSide {
    /// Where the files of a download that goes to `path` stand.
    func names(_ path: String) -> PartialNames {
        let beside = PartialNames(final: path)
        guard let folder = spec.partialFolder else { return beside }
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
                "the folder for partial files, \(folder), is on another file system than \(destination), "
                    + "so a finished file can't be renamed: choose one on the same")
        }
    }

    /// A link to a folder is fine, so it is looked at with the slash that makes the system follow it.
    private func folderStatus(_ path: String) throws(DownloadError) -> FileStatus? {
        try fileCall { () throws(FileError) in try system.status(atPath: path.hasSuffix("/") ? path : path + "/") }
    }
}
