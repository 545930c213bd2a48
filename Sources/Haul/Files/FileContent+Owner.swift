import HaulCore
import HaulFiles

/// Whose partial stands at a place: two sources may give their files one name.
extension FileContent {
    /// Whether the partial was brought by this download's source or one that it had before, or stands where an earlier run of it
    /// settled and no journal says whose it is.
    func isOwn(_ names: PartialNames) throws(DownloadError) -> Bool {
        try owner(names).map(isOwn) ?? (names.final == options.targetPath)
    }

    /// Whether another source's partial stands there that this run leaves alone.
    func mustSpare(_ names: PartialNames) throws(DownloadError) -> Bool {
        guard let isOthers = options.isOthers, let owner = try owner(names), !isOwn(owner) else { return false }
        return isOthers(names.final)
    }

    /// Ends the attempt to take a partial that is another source's; it stays as it is.
    func spare(_ partial: PartialFile) throws(DownloadError) {
        switch partial.found {
        // Where it was looked for and not found, there is no journal.
        case .nothing where spec.resumes: return
        case .resumable(let found) where !found.isOfOtherSource: return
        case .nothing, .resumable, .unusable: break
        }
        let names = partial.names
        do throws(DownloadError) {
            guard try mustSpare(names) else { return }
        } catch {
            partial.close()
            throw error
        }
        partial.close()
        throw DownloadError(
            .destinationBusy,
            "\(names.partial) is the unfinished file of a download from another source: wait for it, remove "
                + "it together with its partial file, or choose another name")
    }

    private func isOwn(_ owner: String) -> Bool { owner == sourceID || options.replacedSources.contains(owner) }

    private func owner(_ names: PartialNames) throws(DownloadError) -> String? {
        try fileCall { () throws(FileError) in try PartialFile.owner(names, system: system) }
    }
}
