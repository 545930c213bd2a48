package import HaulCore
import HaulFiles

/// What a journal calls the source of its bytes.
package enum SourceIdentity {
    /// The digest of a URL, which may hold secrets, and of the part that is wanted.
    package static func digest(_ url: SourceURL, _ range: ByteRange?) -> String {
        // No canonical URL holds a blank.
        StreamingDigest.sha256(of: url.string + (range.map { " \($0)" } ?? ""))
    }
}
