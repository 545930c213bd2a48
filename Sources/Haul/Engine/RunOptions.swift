package import HaulCore
package import HaulFiles

/// What a run is told beyond its spec, by whoever remembers earlier runs.
package struct RunOptions: Sendable {
    /// The final path that an earlier run settled on, whatever name the server gives now.
    ///
    /// What is there of its partial is gone on with.
    package var targetPath: String?
    /// The partial of an earlier run.
    ///
    /// Where the file at `targetPath` is this very inode, it was published just before a crash: the run ends at once as finished.
    package var published: FileIdentity?
    /// The size that the published file must have: numbers of inodes are given again.
    ///
    /// Where it is nil, only a journal that was left with the file vouches for it.
    package var publishedBytes: Int64?
    /// A path at which there was nothing when the download began, although the run begins later.
    package var freePath: String?
    /// How an earlier run finished, if the download is done again: the file that it made is replaced.
    package var earlier: FinishFacts?
    /// The sources that the download had before, as `SourceIdentity` names them.
    ///
    /// A partial of one of them is gone on with if the new source proves to be the same file. If it does not, the run ends with
    /// `sourceChanged`, and the partial stays as it was, for its own source.
    package var replacedSources: [String] = []
    /// Whether another source's partial, for a final path, is that of another download, and left to it.
    ///
    /// With the policy `rename` the next name is taken then, with every other one the run ends with `destinationBusy`. Where it is
    /// nobody's, it is begun anew for this source. Called on a thread that may block.
    package var isOthers: (@Sendable (_ path: String) -> Bool)?
    /// The download's own limit, besides the engine's.
    package var limiter: RateLimiter?
    /// Records what limits the run.
    package var watch: TransferWatch?
    /// Is told, before the run ends with `noSpace`, how much room is missing at least.
    ///
    /// It is called on a thread that may block, at most once.
    package var onShortage: (@Sendable (MissingRoom) -> Void)?
    /// Is told where and which the file is, right before it gets its final name.
    ///
    /// It is called on a thread that may block, and the name waits for it: what it records outlives a process that is killed
    /// after the rename. Where the name is taken by then, `rename` makes another one of it.
    package var onNaming: (@Sendable (_ path: String, _ totalBytes: Int64, _ file: FileIdentity) -> Void)?

    /// Whether the file may well be a small one, which then costs much less; a large one costs a little more.
    ///
    /// It is for those of which there are many.
    package var expectsSmall = false

    /// The slot that the run holds; nil: it need not share.
    package var slot: (any RunSlot)?

    /// Whether a host that can't be reached is tried as often as any other failure, as somebody does who has time.
    package var retriesUnreachable = false

    /// The spec's URL, where it was parsed already.
    package var url: SourceURL?

    /// Whether nothing is known of earlier runs, and nothing has to be told or asked before the end.
    var isPlain: Bool {
        targetPath == nil && published == nil && earlier == nil && replacedSources.isEmpty && isOthers == nil
            && limiter == nil && onShortage == nil && onNaming == nil
    }

    /// Makes options that change nothing.
    package init() {}

    /// Makes those of a run that stands for itself.
    package init(_ spec: borrowing DownloadSpec, watch: TransferWatch?, expectsSmall: Bool = false) {
        self.expectsSmall = expectsSmall
        limiter = spec.rateLimit.map { RateLimiter(bytesPerSecond: $0) }
        self.watch = watch
    }
}
