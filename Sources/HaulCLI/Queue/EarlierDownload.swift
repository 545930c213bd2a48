import Haul
import HaulCore
import HaulWire

/// Compares a download that is in the list already with what `haul add` asks for now.
enum EarlierDownload {
    /// Throws an error if the file of a finished download has changed, or if it does not have the checksum that is
    /// wanted now.
    ///
    /// The daemon downloads a missing file again. A file is read only if that checksum was not verified by the download;
    /// one that can't be examined, such as that of another user, is trusted.
    static func check(_ download: DownloadMessage, _ wanted: Checksum?) async throws(DownloadError) {
        guard let snapshot = try? download.snapshot else { return }
        guard case .finished(let facts) = snapshot.state else {
            guard let wanted, let own = snapshot.spec.checksum, own.algorithm == wanted.algorithm, own != wanted else {
                return
            }
            throw DownloadError(
                .invalidRequest,
                "in the list as #\(download.id) with another checksum, \(own.algorithm.rawValue):\(own.hex)")
        }
        let start = "already downloaded as #\(download.id)"
        guard let size = try? await FileVerifier.facts(of: facts.path).size else { return }
        guard size == facts.totalBytes else {
            throw DownloadError(
                .fileFailed,
                "\(start), but \(facts.path) has changed: \(size) bytes instead of \(facts.totalBytes)")
        }
        guard let wanted, wanted != facts.verified else { return }
        do throws(DownloadError) {
            try await FileVerifier.verify(facts.path, wanted)
        } catch {
            throw DownloadError(error.code, "\(start) to \(facts.path): \(error.message)", cause: error.cause)
        }
    }

    /// The command that the user can type after such an error.
    static func advice(_ download: DownloadMessage) -> String {
        download.state == .finished
            ? "to download it again: haul retry \(download.id)"
            : "to use the new one: haul remove \(download.id), and add it again"
    }
}
