/// What happens during one run of a download, in order, as `DownloadEngine` tells it.
///
/// The last event is `finished` or `failed`, exactly once.
public enum TransferEvent: Sendable, Hashable {
    /// The server has answered and the place of the file is known: sent before the first progress.
    case started(StartFacts)
    /// How far it is; newest wins.
    case progress(TransferProgress)
    /// It waits, and for what; the time is in seconds from now.
    case waiting(WaitReason, seconds: Double)
    /// Something the user should know that is no failure: a partial set aside, a changed file, fewer connections.
    case notice(Notice)
    /// The file stands complete under its final name.
    case finished(FinishFacts)
    /// It ended without a finished file; what can be gone on with is kept.
    case failed(DownloadError)
}

/// What is known when a download starts.
public struct StartFacts: Sendable, Hashable, Codable {
    /// The path that the finished file will have.
    public var path: String
    /// The size of the file, or nil where the server does not tell.
    public var totalBytes: Int64?
    /// Bytes that are there from an earlier session.
    public var resumedBytes: Int64
    /// Whether certificates are not checked for it.
    public var insecure: Bool
    /// Which file the partial is: the finished file is the same one.
    public var partial: FileIdentity?

    /// Makes the facts.
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

/// Something worth knowing that is no failure.
public enum Notice: Sendable, Hashable, Codable {
    /// A partial file could not be trusted and is not used; the reason says why, and where it was kept if it was not Haul's own.
    case partialQuarantined(reason: String)
    /// The server's file is another one than before: everything is fetched again.
    case sourceChanged
    /// The server answered with the whole file where a part was asked for: everything is fetched again.
    case rangesIgnored
    /// The server refused a further connection; the download goes on with fewer.
    case fewerConnections(Int)
    /// One of several sources is not asked any more; the download goes on with the others.
    case sourceExcluded(url: String, reason: String)
    /// Pieces do not have their digests: they, and nothing else, are fetched again.
    case badPieces(Int)
    /// The digest in the server's header is not that of the file, as the caller's checksum or pieces have it; it does not count.
    case headerDigestWrong(header: String, host: String)
    /// The server sends a web page under a name that is not one, such as `a.zip`: perhaps an error or a login in words.
    case webPage
}
