package import HaulCore

/// What can be done to one download and to many.
package enum DownloadVerb: Hashable, Sendable {
    /// Stop it and keep everything.
    case pause
    /// Let it go on.
    case resume
    /// End it for good.
    case cancel(keepPartial: Bool)
    /// Forget it.
    case remove(files: RemovedFiles)
    /// Try it again.
    case retry(fromStart: Bool)
}
