import HaulCore

/// Where the bytes of a run go: into a file (`FileSide`), or to a receiver that takes them in order (`StreamSide`).
protocol ContentSide: Sendable {
    /// Which file the partial is; nil where there is none.
    var partialIdentity: FileIdentity? { get }
    /// Which file a run that finishes has published; nil where there is none.
    var finishedIdentity: FileIdentity? { get }
    /// What bytes are compared with that prove a source.
    var comparison: SegmentWriter.Target? { get }
    /// Where the bytes of a segment go.
    ///
    /// Does not block.
    func target(segment: Int, start: Int64) -> SegmentWriter.Target?
    /// So many bytes stand without a gap from the start.
    func front(_ offset: Int64)
    /// Computes another digest while the content comes, or none.
    ///
    /// Does not block.
    func hash(_ algorithm: Checksum.Algorithm?)
    /// Whether an effect takes no longer than a few small system calls, and overtakes none.
    func isQuick(_ effect: MachineEffect) -> Bool
    /// Carries out one effect that concerns the content, on this thread.
    func performNow(_ effect: MachineEffect) -> MachineEvent
    /// Ends long work: what follows is only the end.
    func stop()
    /// Something failed.
    func didFail(_ error: DownloadError)
    /// Carries out one effect that concerns the content.
    func perform(_ effect: MachineEffect) async -> MachineEvent
}

extension ContentSide {
    /// The digest that is computed is the one that it was made with.
    func hash(_ algorithm: Checksum.Algorithm?) {}
    /// Nothing is.
    func isQuick(_ effect: MachineEffect) -> Bool { false }
    /// Not called.
    func performNow(_ effect: MachineEffect) -> MachineEvent { .closed }
}
