import HaulCore
import HaulFiles
import Synchronization

/// Folders: existence, and the location of the partial file.
extension FileContent {
    /// Returns the names of a download's files: beside `path`, or in the folder for partial files.
    ///
    /// If a foreign file has the name of the partial file, it is left alone and the alternative names are used; also if
    /// it is the partial file of another download, and an earlier run has used the alternative names for that reason.
    /// This is decided once, so that the run's own partial file is not mistaken for a foreign one.
    ///
    /// - Throws: `destinationBusy` if foreign files have the alternative names, too.
    func names(_ path: String) throws(DownloadError) -> PartialNames {
        if let names = state.withLock({ $0.names }), names.final == path { return names }
        var names = standardNames(path)
        switch try? PartialFile.ownership(names, system) {
        case .foreign: names = try alternative(to: names)
        case .own where isOfOtherRequest(names): names = try sparing(names)
        case .own where hasLeft(names): names = names.alternative
        case .own, .nothing, nil: break
        }
        state.withLock { $0.names = names }
        return names
    }

    /// Returns the alternative names, unless a foreign file has one of them.
    func alternative(to names: PartialNames) throws(DownloadError) -> PartialNames {
        let other = names.alternative
        guard try fileCall({ () throws(FileError) in try PartialFile.isForeign(other, system: system) }) else {
            return other
        }
        throw DownloadError(
            .destinationBusy,
            "\(names.partial) and \(other.partial), or the files beside them, may not be Haul's and are left unchanged: "
                + "move them away, or choose another name")
    }

    /// Returns the names used unless a foreign file is in the way.
    func standardNames(_ path: String) -> PartialNames {
        guard let folder = spec.partialFolder else { return PartialNames(final: path) }
        let beside = PartialNames(final: path)
        let name = path.pathComponents.last ?? path
        // Two spellings of a path mean the same partial file; a folder that does not exist has no partial file.
        let identity = (system.realPath(beside.folder) ?? beside.folder) + "/" + name
        return PartialNames(final: path, dataFolder: folder, identity: identity)
    }

    /// Throws an error if a folder does not exist.
    func requireFolder(_ path: String) throws(DownloadError) {
        guard try folderStatus(path) == nil else { return }
        throw DownloadError(.fileFailed, "the folder \(path) does not exist: create it, or choose another one")
    }

    /// Throws an error if the folder for partial files does not exist, or a file can't be renamed from it to the
    /// destination.
    ///
    /// rename(2), EXDEV: both must be on the same mount, even if two mounts are of the same device.
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

    /// Returns the status of a folder; the trailing slash makes the system follow a link to a folder.
    private func folderStatus(_ path: String) throws(DownloadError) -> FileStatus? {
        try fileCall { () throws(FileError) in try system.status(atPath: path.hasSuffix("/") ? path : path + "/") }
    }
}
