/// What becomes of a file that the server compresses on the way (RFC 9110, section 8.4).
///
/// Only `gzip` and `deflate` can be decoded. A file that is compressed itself, such as `x.tar.gz`, is saved as it is in any case.
public enum Compression: String, Hashable, Sendable, Codable, CaseIterable {
    /// It is not asked for; if the server compresses all the same, the file is decoded while it is saved.
    case decode
    /// It is asked for, and the file is decoded while it is saved: one connection, and nothing to continue after an interruption.
    case request
    /// It is not asked for; if the server compresses all the same, the file is saved as it is sent.
    case keep
}
