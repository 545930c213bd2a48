package import HaulCore
import HaulFiles

/// Files of downloads that do not run.
///
/// The calls block on a thread of their own, never on the cooperative pool.
extension DownloadEngine {
    /// Removes the partial of a download and its journal, also one that was set aside.
    ///
    /// Where there is none, nothing happens; another source's partial is left. Where no journal tells whose the partial is, it
    /// goes only if the place is known.
    ///
    /// - Parameter options: What earlier runs have left to know: the place (nil: the one that follows from the spec), and the
    ///   sources that the download had before, whose partial is its own.
    /// - Throws: `DownloadError`: `destinationBusy` where another process or download is writing it, `fileFailed`,
    ///   `invalidRequest`.
    package func discardPartial(of spec: DownloadSpec, _ options: RunOptions) async throws(DownloadError) {
        let url = try SourceURL(parsing: spec.url)
        let files = FileContent(spec, options, url: url, system: context.system) { _ in }
        try await files.call { () throws(DownloadError) in try files.discardUnopened() }
    }

    /// Removes the partial of a download, and the file that it finished with.
    ///
    /// What keeps the one does not keep the other.
    ///
    /// - Throws: `DownloadError`, as `discardPartial` and `removeFile` do, after both were tried.
    package func removeAll(
        of spec: DownloadSpec, _ options: RunOptions, finished: FinishFacts?
    ) async throws(DownloadError) {
        var failure: DownloadError?
        do throws(DownloadError) {
            try await discardPartial(of: spec, options)
        } catch {
            failure = error
        }
        if let finished { try await removeFile(finished) }
        if let failure { throw failure }
    }

    /// Removes the file that a download finished with; where there is none, nothing happens.
    ///
    /// A file that was kept was never the download's own and stays.
    ///
    /// - Throws: `DownloadError` with code `fileFailed` where another file has taken its place, which is left, or where it can't be
    ///   removed.
    package func removeFile(_ facts: FinishFacts) async throws(DownloadError) {
        guard !facts.kept else { return }
        let (system, path) = (context.system, facts.path)
        try await BlockingQueue(label: "haul.files").call { () throws(DownloadError) in
            let there = try fileCall { () throws(FileError) in try system.status(atPath: path) }
            guard let there else { return }
            guard there.kind == .regular else {
                throw DownloadError(
                    .fileFailed, "\(path) is a \(there.kind.rawValue), not a file: it was not removed")
            }
            guard facts.describes(there) else {
                throw DownloadError(
                    .fileFailed, "\(path) is no longer the file that was downloaded: it was not removed")
            }
            try fileCall { () throws(FileError) in try system.unlink(path) }
        }
    }

    /// Whether an ordinary file stands at a path; a symbolic link is none.
    package func fileExists(at path: String) async -> Bool {
        let system = context.system
        return await BlockingQueue(label: "haul.files").run {
            if case .regular? = try? ExistingFile.at(path, system: system) { true } else { false }
        }
    }

    /// The bytes that may still be written to the file system of a folder; nil where it can't be told.
    package func freeSpace(at folder: String) async -> Int64? {
        let system = context.system
        return await BlockingQueue(label: "haul.files").run {
            guard let file = try? system.open(folder, .folder) else { return nil }
            return try? system.space(file).available
        }
    }
}

extension FinishFacts {
    /// Whether an ordinary file is the one that the download made, and nobody has changed it since.
    ///
    /// Facts of older versions have only the size. The device is not compared: it may have another number after each mount.
    func describes(_ status: FileStatus) -> Bool {
        guard status.kind == .regular, status.size == totalBytes else { return false }
        guard let file else { return true }
        return file.inode == status.file.inode && file.born == status.file.born
            && fileModified.map { $0 == status.modified } ?? true
    }
}
