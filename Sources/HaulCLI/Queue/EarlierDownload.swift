import Haul
import HaulCore
import HaulWire

/// Compares a finished download that `haul add` found in the list with its file.
enum EarlierDownload {
    /// Throws an error if the file of a finished download has another size now.
    ///
    /// The daemon downloads a missing file again, and compares a checksum. A file that can't be examined, such as that of
    /// another user, is trusted.
    static func check(_ download: DownloadMessage) async throws(DownloadError) {
        guard let snapshot = try? download.snapshot, case .finished(let facts) = snapshot.state,
            let size = try? await FileVerifier.facts(of: facts.path).size, size != facts.totalBytes
        else { return }
        throw .earlierDownload(
            download.id, at: facts.path,
            failed: DownloadError(
                .fileFailed, "the file has changed: \(size) bytes instead of \(facts.totalBytes)"))
    }
}
