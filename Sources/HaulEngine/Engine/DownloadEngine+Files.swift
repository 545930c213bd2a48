package import HaulCore
import HaulFiles
import HaulLibC

/// Files of downloads that do not run.
///
/// The calls block a thread of their own, never the cooperative pool.
extension DownloadEngine {
    /// Removes the partial file of a download and its journal, including a partial file that was set aside.
    ///
    /// Succeeds if there is none, and leaves the partial file of another source. Without a journal that names its
    /// source, the partial file is removed only if its path is known from an earlier run.
    ///
    /// - Parameter options: The results of earlier runs: the path (nil: derived from the spec), and the previous
    ///   sources of the download, whose partial files are its own.
    /// - Throws: `DownloadError`: `destinationBusy` if another process or download is writing the file, `fileFailed`,
    ///   `invalidRequest`.
    package func discardPartial(of spec: DownloadSpec, _ options: RunOptions) async throws(DownloadError) {
        let url = try SourceURL(parsing: spec.url)
        let files = FileContent(spec, options, url: url, system: context.system) { _ in }
        try await files.call { () throws(DownloadError) in try files.discardUnopened() }
    }

    /// Removes the partial file of a download, and the file that it finished with, even if a crash prevented that from
    /// being recorded.
    ///
    /// A failure with one does not prevent the removal of the other.
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
        if let finished {
            try await removeFile(finished)
        } else if let unrecorded = options.unrecordedFinish, await isThere(unrecorded) {
            try await removeFile(unrecorded)
        }
        if let failure { throw failure }
    }

    private func isThere(_ facts: FinishFacts) async -> Bool {
        let (system, path) = (context.system, facts.path)
        return await BlockingQueue(label: "haul.files").run {
            (try? system.status(atPath: path)).flatMap(\.self).map(facts.describes) ?? false
        }
    }

    /// Removes the file that a download finished with, if it exists.
    ///
    /// A file with `kept` set was not made by the download and stays.
    ///
    /// - Throws: `DownloadError` with code `destinationExists` if another file has taken its place (which is left), or
    ///   `fileFailed` if it can't be removed.
    package func removeFile(_ facts: FinishFacts) async throws(DownloadError) {
        guard !facts.kept else { return }
        let (system, path) = (context.system, facts.path)
        try await BlockingQueue(label: "haul.files").call { () throws(DownloadError) in
            let there = try fileCall { () throws(FileError) in try system.status(atPath: path) }
            guard let there else { return }
            guard there.kind == .regular else {
                throw DownloadError(
                    .destinationExists, "\(path) is a \(there.kind.rawValue), not a file: it was not removed")
            }
            guard facts.describes(there) else {
                throw DownloadError(
                    .destinationExists, "\(path) is no longer the file that was downloaded: it was not removed")
            }
            try fileCall { () throws(FileError) in try system.unlink(path) }
        }
    }

    /// Returns the path of a download's file as far as spec and server decide it, whatever exists there.
    ///
    /// - Parameter contentDisposition: The header of the response.
    /// - Throws: `DownloadError` with code `invalidRequest`.
    package func path(
        of spec: DownloadSpec, _ options: RunOptions, naming contentDisposition: String?
    ) throws(DownloadError) -> String {
        FileTarget(spec, options, try SourceURL(parsing: spec.url)).path(naming: contentDisposition)
    }

    /// Returns true if there is a regular file at a path; symbolic links are not followed.
    package func fileExists(at path: String) async -> Bool {
        let system = context.system
        return await BlockingQueue(label: "haul.files").run {
            if case .regular? = try? ExistingFile.at(path, system: system) { true } else { false }
        }
    }

    /// Returns a text that identifies the disk that a download writes to, without a look at the disk; nil if it is
    /// unknown.
    package func disk(of spec: DownloadSpec) -> String? { lanes?.mount(of: spec, at: context.clock.now)?.device }

    /// Returns the number of bytes available on the file system of a folder; nil if unknown.
    package func freeSpace(at folder: String) async -> Int64? {
        let system = context.system
        return await BlockingQueue(label: "haul.files").run {
            guard let file = try? system.open(folder, .folder) else { return nil }
            return try? system.space(file).available
        }
    }
}

extension RunOptions {
    /// The file that an earlier run may have published just before a crash; nil if nothing would prove that it is this one.
    fileprivate var unrecordedFinish: FinishFacts? {
        guard let targetPath, let published, published.born != nil, let publishedBytes else { return nil }
        var facts = FinishFacts(
            path: targetPath, totalBytes: publishedBytes, sessionBytes: 0, seconds: 0, verification: .nothing,
            kept: false)
        facts.file = published
        return facts
    }
}

extension FinishFacts {
    /// Returns true if a file is the one that the download made, and has not changed since.
    ///
    /// Facts of older versions have only the size, and those of a copy have no inode: a copy keeps the date, if only to the second. The
    /// device is not compared: its number may change with each mount.
    func describes(_ status: FileStatus) -> Bool {
        guard status.kind == .regular, status.size == totalBytes else { return false }
        guard let file else {
            return fileModified.map { $0 / 1_000_000_000 == status.modified / 1_000_000_000 } ?? true
        }
        return file.inode == status.file.inode && file.born == status.file.born
            && fileModified.map { $0 == status.modified } ?? true
    }
}
