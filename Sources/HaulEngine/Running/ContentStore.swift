import HaulCore
import HaulFiles

/// The destination of a run's bytes: a file (`FileContent`), or a receiver that takes them in order (`StreamContent`).
protocol ContentStore: Sendable {
    /// The identity of the partial file; nil if there is none.
    var partialIdentity: FileIdentity? { get }
    /// The status of the file that a finished run has published; nil if there is none.
    var finished: FileStatus? { get }
    /// The target that compares bytes to prove a source.
    var comparison: SegmentWriter.Target? { get }
    /// Returns the target for the bytes of a segment.
    ///
    /// Does not block.
    func target(segment: Int, start: Int64) -> SegmentWriter.Target?
    /// Returns the target for the rest of a segment that a hedged request completed first; nil if hedging is not
    /// supported.
    ///
    /// Does not block.
    func rest(from start: Int64) -> SegmentWriter.Target?
    /// Returns true if the content has these bytes, which were written before.
    func holds(_ bytes: RawSpan, at offset: Int64) throws(FileError) -> Bool
    /// Keeps bytes that a second response has delivered too, to compare them with the complete content.
    ///
    /// Does not block.
    func keepSurplus(_ bytes: RawSpan, at offset: Int64)
    /// Updates the digests that are computed during the download.
    ///
    /// Does not block.
    func update(_ effect: DigestEffect)
    /// Carries out an effect on this thread if that takes only a few small system calls; otherwise returns nil without
    /// doing anything.
    func performIfQuick(_ effect: ContentEffect) -> MachineEvent?
    /// Ends long work before the run ends.
    func stop()
    /// Records an error.
    func didFail(_ error: DownloadError)
    /// Carries out an effect and returns its outcome.
    func perform(_ effect: ContentEffect) async -> MachineEvent
}
