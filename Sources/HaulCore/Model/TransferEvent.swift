/// The events of one run of a download, in order, as `DownloadEngine` emits them.
///
/// The last event is `finished` or `failed`, exactly once. Later versions may add events, so a `switch` in another
/// package needs a `default`.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum TransferEvent: Sendable, Hashable {
    /// The server has responded and the path of the file is known; emitted before the first progress.
    case started(StartFacts)
    /// The current progress; only the newest value matters.
    case progress(TransferProgress)
    /// It waits for a reason; the time is in seconds from now.
    case waiting(WaitReason, seconds: Double)
    /// Something the user should know that is not a failure: an unused partial file, a changed file, fewer connections.
    case notice(Notice)
    /// The file is complete under its final name.
    case finished(FinishFacts)
    /// It failed; what can be resumed is kept.
    case failed(DownloadError)
}

/// The facts about a download that has started.
public struct StartFacts: Sendable, Hashable, Codable {
    /// The path of the finished file.
    public var path: String
    /// The size of the file; nil if the server does not send it.
    public var totalBytes: Int64?
    /// The number of bytes from an earlier session.
    public var resumedBytes: Int64
    /// True if certificates are not verified.
    public var insecure: Bool
    /// The identity of the partial file, which is also that of the finished file.
    public var partial: FileIdentity?

    /// Creates the facts.
    public init(
        path: String, totalBytes: Int64?, resumedBytes: Int64, insecure: Bool, partial: FileIdentity? = nil
    ) {
        self.path = path
        self.totalBytes = totalBytes
        self.resumedBytes = resumedBytes
        self.insecure = insecure
        self.partial = partial
    }
}

/// Something worth knowing that is not a failure; later versions may add some.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum Notice: Sendable, Hashable, Codable {
    /// A partial file could not be trusted and is not used; the reason says why, and where it was kept if it is not
    /// Haul's own.
    case partialQuarantined(reason: String)
    /// The file on the server has changed: the download starts over.
    case sourceChanged
    /// The server ignored a range request and sent the whole file: the download starts over.
    case rangesIgnored
    /// The server refused a further connection; the download continues with fewer.
    case fewerConnections(Int)
    /// A source is no longer used; the download continues with the others.
    case sourceExcluded(url: String, reason: String)
    /// Pieces do not match their checksums: only they are fetched again.
    case badPieces(Int)
    /// The checksum in the server's header contradicts the caller's checksum or pieces; it is ignored.
    case headerDigestWrong(header: String, host: String)
    /// The server sends a web page under a name such as `a.zip`: perhaps an error page or a login page.
    case webPage
}
