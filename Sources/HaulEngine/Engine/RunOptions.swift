package import HTTPTypes
package import HaulCore
package import HaulFiles

/// The inputs of a run besides its spec, mainly the results of earlier runs.
package struct RunOptions: Sendable {
    /// The final path chosen by an earlier run, whatever name the server gives now.
    ///
    /// A partial file there is resumed.
    package var targetPath: String?
    /// The partial file of an earlier run.
    ///
    /// If the file at `targetPath` has this identity, it was published just before a crash: the run ends at once as
    /// finished.
    package var published: FileIdentity?
    /// The size that the published file must have, since inode numbers are reused.
    ///
    /// If it is nil, the file is accepted only if a journal was left with it.
    package var publishedBytes: Int64?
    /// A path at which no file existed when the download began, although the run begins later.
    package var freePath: String?
    /// The result of an earlier run, if the download is repeated: the file that it made is replaced.
    package var earlier: FinishFacts?
    /// The earlier sources of the download, as `SourceIdentity` values.
    ///
    /// A partial file from one of them is resumed if the new source proves to have the same file. Otherwise the run
    /// ends with `sourceChanged`, and the partial file is kept for its own source.
    package var replacedSources: [String] = []
    /// Returns true if another source's partial file for a final path belongs to another download, and must be left
    /// alone.
    ///
    /// With the policy `rename`, the next free name is used then; with any other policy, the run ends with
    /// `destinationBusy`. If it belongs to no download, the run starts from scratch for this source. Called on a thread
    /// that may block.
    package var isOthers: (@Sendable (_ path: String) -> Bool)?
    /// Returns the error if files may not be written in a folder.
    ///
    /// Asked just before a file is created or named there: since the start, the folder may have become a link to
    /// elsewhere. Called on a thread that may block.
    package var folderRefusal: (@Sendable (_ folder: String) -> DownloadError?)?
    /// The download's own rate limit, in addition to the engine's.
    package var limiter: RateLimiter?
    /// Records what limits the run.
    package var watch: TransferWatch?
    /// Receives the minimum of missing disk space before the run ends with `noSpace`.
    ///
    /// Called on a thread that may block, at most once.
    package var onShortage: (@Sendable (MissingRoom) -> Void)?
    /// Receives path, size and identity of the file just before it gets its final name.
    ///
    /// Called on a thread that may block, and the renaming waits for it: a record made here survives a process that is
    /// killed after the renaming. If the name is taken by then, the policy `rename` chooses another one.
    package var onNaming: (@Sendable (_ path: String, _ totalBytes: Int64, _ file: FileIdentity) -> Void)?
    /// Receives the same for a file that one response contained, which must not block a thread.
    package var onNamingSmall: (@Sendable (_ path: String, _ totalBytes: Int64, _ file: FileIdentity) async -> Void)?

    /// True if the file may be small: it is tried as a `SmallFileDownload` first, which makes small files much cheaper, and
    /// large ones a little more expensive.
    package var expectsSmall = false

    /// Receives the heads of all responses, on the transport's threads.
    package var observer: ResponseObserver?

    /// The slot that the run holds; nil: no limit is shared.
    package var slot: (any RunSlot)?

    /// True if an unreachable host is retried as often as after any other failure.
    package var retriesUnreachable = false

    /// The spec's URL, if it has been parsed already.
    package var url: SourceURL?

    /// True if there are no earlier runs and no rate limit, and if the output can be recorded without blocking.
    ///
    /// A file that one response contains needs no partial file, so other callbacks are not needed.
    var isPlain: Bool {
        targetPath == nil && published == nil && earlier == nil && replacedSources.isEmpty
            && limiter?.isUnlimited ?? true && (onNaming == nil || onNamingSmall != nil)
    }

    /// Opens folders and checks whether files may be written in them.
    ///
    /// - Returns: The calls for names in these folders, whatever their paths lead to later; unchanged if all folders are allowed.
    func admitted(to folders: [String], _ system: SystemCalls) throws(DownloadError) -> SystemCalls {
        guard let folderRefusal else { return system }
        let opened = try fileCall { () throws(FileError) in try system.inFolders(folders) }
        for folder in opened.realPathsOfFolders {
            if let error = folderRefusal(folder) { throw error }
        }
        return opened
    }

    /// Creates options with the defaults.
    package init() {}

    /// Creates the options of a run without a manager.
    package init(_ spec: borrowing DownloadSpec, watch: TransferWatch?, expectsSmall: Bool = false) {
        self.expectsSmall = expectsSmall
        limiter = spec.rateLimit.flatMap { $0 > 0 ? RateLimiter(bytesPerSecond: $0) : nil }
        self.watch = watch
    }
}

/// Receives the heads of a run's responses.
///
/// A struct, because a bare closure in an optional is re-wrapped on every access.
package struct ResponseObserver: Sendable {
    /// Receives a head and the URL of its request, on a thread of the transport.
    package var receive: @Sendable (HTTPResponse, SourceURL) -> Void

    /// Creates an observer.
    package init(_ receive: @escaping @Sendable (HTTPResponse, SourceURL) -> Void) { self.receive = receive }
}
