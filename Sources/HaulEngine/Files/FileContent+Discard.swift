import HaulCore
import HaulFiles
import Synchronization

/// Partial files of downloads that do not run, and missing disk space.
extension FileContent {
    /// Removes the partial file of an earlier run, under its lock, unless it belongs to another download.
    func discardUnopened() throws(DownloadError) {
        // If the names can't be used, an earlier run did not use them either.
        guard let names = try? names(settledPath) else { return }
        let isAnything = try fileCall { () throws(FileError) in
            for path in [names.partial, names.journal, names.newJournal]
            where try system.status(atPath: path) != nil { return true }
            return false
        }
        guard isAnything else { return }
        try requireAdmission(names.folder)
        let source = sourceID
        let partial = try PartialFile.open(names, sourceID: source, resumes: false, system: system)
        guard try isOwn(names) else { return partial.close() }
        try partial.discard(all: true)
    }

    /// Runs a call on the thread of the files.
    func call(_ body: @escaping @Sendable () throws(DownloadError) -> Void) async throws(DownloadError) {
        try await queue.call(body)
    }

    /// Records an error: if the disk is full, the missing space is reported before the partial file is closed.
    ///
    /// Does not block.
    func didFail(_ error: DownloadError) {
        guard error.code == .noSpace else { return }
        state.withLock { $0.lacksSpace = true }
    }

    /// Reports the missing space once.
    func reportShortage() {
        let partial = state.withLock { state in
            defer { state.lacksSpace = false }
            return state.lacksSpace ? state.partial : nil
        }
        guard let partial, let report = options.onShortage else { return }
        report(partial.missingRoom ?? .unknown)
    }
}
