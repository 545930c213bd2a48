package import HaulCore
import HaulFiles

/// What a journal calls the source of its bytes.
package enum SourceIdentity {
    /// The digest of a URL, which may hold secrets, of the part that is wanted, and of whether it is saved as the server encodes it.
    package static func digest(_ url: SourceURL, _ range: ByteRange?, _ compression: Compression = .decode) -> String {
        // No canonical URL holds a blank.
        let isEncoded = compression == .keep
        return StreamingDigest.sha256(of: url.string + (range.map { " \($0)" } ?? "") + (isEncoded ? " encoded" : ""))
    }

    /// The sources that a download had before, the newest one last, once one more is replaced.
    ///
    /// Of a link that expires each hour there is no end, so that only the last 32 count; a partial names the last one that has brought a byte.
    package static func replacing(_ source: String, after replaced: [String]) -> [String] {
        (replaced.filter { $0 != source } + [source]).suffix(32)
    }
}
