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
    /// So many bytes stand without a gap from the start.
    func contiguousPrefix(_ offset: Int64)
    /// Computes another digest while the content comes, or none.
    ///
    /// Does not block.
    func hash(_ algorithm: Checksum.Algorithm?)
    /// Carries out one effect that concerns the content on this thread; nil, and nothing is done, where it may take longer than a few
    /// small system calls.
    func performIfQuick(_ effect: MachineEffect) -> MachineEvent?
    /// Ends long work: what follows is only the end.
    func stop()
    /// Something failed.
    func didFail(_ error: DownloadError)
    /// Carries out one effect that concerns the content.
    func perform(_ effect: MachineEffect) async -> MachineEvent
}
