import Haul
import HaulCore

/// Checks that the files that an action removes are inside the current roots.
///
/// Others stay where they are: an action that would leave them behind without a word is refused.
struct RemovalCheck {
    private let roots: FolderRoots
    /// The folders that were checked already.
    private var admitted: [String: Bool] = [:]

    /// Makes the check with the present roots.
    init(_ state: DaemonState) { roots = state.rules.roots }

    /// Checks the files of a download.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if one that would be removed is in another folder.
    mutating func check(_ download: DownloadSnapshot, removing files: RemovedFiles) async throws(DownloadError) {
        // The list gets the number of bytes only every few seconds, but the path before the file is created.
        let mayHaveData = download.progress.fileBytes > 0 || download.path != nil
        let hasPartial = download.state.kind != .finished && mayHaveData
        guard files == .all || files == .partial && hasPartial else { return }
        for folder in download.spec.folders(targetPath: download.path) {
            guard await admits(folder) else { throw DownloadError.notRemovable(in: folder, roots: roots.paths) }
        }
    }

    private mutating func admits(_ folder: String) async -> Bool {
        if let known = admitted[folder] { return known }
        let isInside = await FolderThreads.shared.run(at: folder) { [roots] in roots.admits(folder) }
        admitted[folder] = isInside
        return isInside
    }
}
