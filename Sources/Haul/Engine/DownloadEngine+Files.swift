package import HaulCore
import HaulFiles

/// Files of downloads that do not run.
///
/// The calls block on a thread of their own, never on the cooperative pool.
extension DownloadEngine {
    /// Removes the partial of a download and its journal, also one that was set aside.
    ///
    /// Where there is none, nothing happens.
    ///
    /// - Parameter place: The final path that a run settled on; nil: the one that follows from the spec.
    /// - Throws: `DownloadError`: `destinationBusy` where another process or download is writing it, `fileFailed`,
    ///   `invalidRequest`.
    package func discardPartial(of spec: DownloadSpec, place: String?) async throws(DownloadError) {
        let url = try SourceURL(parsing: spec.url)
        var options = RunOptions()
        options.place = place
        let files = FileSide(spec, options, url: url, system: context.system) { _ in }
        try await files.call { () throws(DownloadError) in try files.discardUnopened() }
    }

    /// Removes a finished file; where there is none, nothing happens.
    ///
    /// - Throws: `DownloadError` with code `fileFailed` where it is no ordinary file or can't be removed.
    package func removeFile(at path: String) async throws(DownloadError) {
        let system = context.system
        try await BlockingQueue(label: "haul.files").call { () throws(DownloadError) in
            switch try fileCall({ () throws(FileError) in try ExistingFile.at(path, system: system) }) {
            case .none: return
            case .other(let kind):
                throw DownloadError(
                    .fileFailed, "\(path) is a \(kind.rawValue), not a file: it was left where it is")
            case .regular: try fileCall { () throws(FileError) in try system.unlink(path) }
            }
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
