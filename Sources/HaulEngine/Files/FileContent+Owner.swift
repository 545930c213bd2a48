import HaulCore
import HaulFiles

/// The source of a partial file: files of two sources may have the same name.
extension FileContent {
    /// Returns true if the partial file came from this download's source or an earlier one of its sources; without a
    /// journal, if an earlier run chose this path.
    func isOwn(_ names: PartialNames) throws(DownloadError) -> Bool {
        try owner(names).map(isOwn) ?? (names.final == options.targetPath)
    }

    /// Returns true if the partial file belongs to another download, and must be left alone.
    func mustSpare(_ names: PartialNames) throws(DownloadError) -> Bool {
        guard let isOthers = options.isOthers, let owner = try owner(names), !isOwn(owner) else { return false }
        return isOthers(names.final)
    }

    /// Ends the attempt if the partial file belongs to another download; the file stays as it is.
    func spare(_ partial: PartialFile) throws(DownloadError) {
        switch partial.found {
        // A journal was looked for and not found.
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

    /// Returns true if a partial file is of another source, and one of this download's has the alternative name.
    func hasLeft(_ names: PartialNames) -> Bool {
        guard let first = try? owner(names), !isOwn(first), let second = try? owner(names.alternative) else {
            return false
        }
        return isOwn(second)
    }

    /// Returns true if a partial file is of another source, and this request can't continue it, because it is for a range or not a GET.
    func isOfOtherRequest(_ names: PartialNames) -> Bool {
        guard spec.range != nil || !spec.source.form.isGet, let owner = try? owner(names) else { return false }
        return !isOwn(owner)
    }

    /// Returns the alternative names, which leave a partial file of another request alone.
    func sparing(_ names: PartialNames) throws(DownloadError) -> PartialNames {
        let other = try alternative(to: names)
        guard isOfOtherRequest(other) else { return other }
        throw DownloadError(
            .destinationBusy,
            "\(names.partial) and \(other.partial) are the unfinished files of other downloads and are kept: "
                + "choose another name, or remove them")
    }

    private func isOwn(_ owner: String) -> Bool { owner == sourceID || options.replacedSources.contains(owner) }

    private func owner(_ names: PartialNames) throws(DownloadError) -> String? {
        try fileCall { () throws(FileError) in try PartialFile.owner(names, system: system) }
    }
}
