import HaulCore
import HaulFiles

/// Where the bytes of a run go: into a file (`FileContent`), or to a receiver that takes them in order (`StreamContent`).
protocol ContentStore: Sendable {
    /// Which file the partial is; nil where there is none.
    var partialIdentity: FileIdentity? { get }
    /// Which file a run that finishes has published; nil where there is none.
    var finished: FileStatus? { get }
    /// What bytes are compared with that prove a source.
    var comparison: SegmentWriter.Target? { get }
    /// Where the bytes of a segment go.
    ///
    /// Does not block.
    func target(segment: Int, start: Int64) -> SegmentWriter.Target?
    /// Where the rest of a segment goes that a backup has won; nil where there are no backups.
    ///
    /// Does not block.
    func rest(from start: Int64) -> SegmentWriter.Target?
    /// Updates the digests that are computed during the download.
    ///
    /// Does not block.
    func update(_ effect: DigestEffect)
    /// Carries out an effect on this thread if it takes no longer than a few small system calls; otherwise does nothing and returns nil.
    func performIfQuick(_ effect: ContentEffect) -> MachineEvent?
    /// Ends long work: only the end follows.
    func stop()
    /// Something failed.
    func didFail(_ error: DownloadError)
    /// Carries out an effect and returns its outcome.
    func perform(_ effect: ContentEffect) async -> MachineEvent
}
