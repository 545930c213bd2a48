import HaulCore
import HaulFiles
import Synchronization

/// What is left of downloads that do not run, and room that is missing.
extension FileContent {
    /// Removes what an earlier run left at the place, under its lock, unless it is another download's.
    func discardUnopened() throws(DownloadError) {
        let names = names(settledPath)
        let isAnything = try fileCall { () throws(FileError) in
            for path in [names.partial, names.journal, names.newJournal]
            where try system.status(atPath: path) != nil { return true }
            return false
        }
        guard isAnything else { return }
        let source = sourceID
        let partial = try PartialFile.open(names, sourceID: source, resumes: false, system: system)
        guard try isOwn(names) else { return partial.close() }
        try partial.discard(all: true)
    }

    /// Runs a call on the thread of the files.
    func call(_ body: @escaping @Sendable () throws(DownloadError) -> Void) async throws(DownloadError) {
        try await queue.call(body)
    }

    /// Something failed: where the disk is full, how much is missing is told before the partial is closed.
    ///
    /// Does not block.
    func didFail(_ error: DownloadError) {
        guard error.code == .noSpace else { return }
        state.withLock { $0.lacksSpace = true }
    }

    /// Tells once how much is missing.
    func reportShortage() {
        let partial = state.withLock { state in
            defer { state.lacksSpace = false }
            return state.lacksSpace ? state.partial : nil
        }
        guard let partial, let report = options.onShortage else { return }
        report(partial.missingRoom ?? .unknown)
    }
}
