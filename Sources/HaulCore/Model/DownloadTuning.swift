/// Settings of one download that only other programs' interfaces have; what is nil is as usual.
package struct DownloadTuning: Hashable, Sendable, Codable {
    /// The wait before each further attempt, instead of one that grows.
    package var retryWait: Duration?
    /// How often a file that is not found is asked for again as long as nothing of it has come; usually never.
    package var notFoundRetries: Int?
    /// Whether a source that is slower than `DownloadSpec.minSpeed` fails at once instead of being tried again.
    package var failsWhenSlow: Bool?
    /// Whether the download fails if the server can't send the rest of the file, instead of starting over.
    package var neverStartsOver: Bool?
    /// The smallest part, in bytes, that a further connection takes over.
    package var smallestPart: Int64?
    /// The size from which on room for the whole file is set aside before its bytes come; usually any.
    package var allocatesFrom: Int64?
    /// Whether the finished file keeps the time at which it was written instead of the server's date.
    package var ignoresServerDate: Bool?

    /// Makes the usual settings.
    package init() {}
}
