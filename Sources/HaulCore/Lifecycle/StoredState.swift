/// The states that a catalogue keeps.
///
/// There is no "pausing" and no "stopping": what is stored is what the caller wants, and a run that has not ended yet is a fact of
/// the process, not of the catalogue. So whatever instant a crash picks, the record says what has to happen next.
package enum StoredState: String, Hashable, Sendable, Codable, CaseIterable {
    /// It waits for its turn, or for something that comes by itself.
    case queued
    /// It is at work; found at launch, it was interrupted.
    case active
    /// The caller, or the configuration at launch, stopped it.
    case paused
    /// It waits for what only the caller can bring: a new link, credentials.
    case held
    /// The file stands under its final name.
    case finished
    /// It failed.
    case failed
    /// The caller ended it for good.
    case cancelled

    /// What it is called where users read it.
    package var kind: DownloadState.Kind {
        switch self {
        case .queued, .held: .waiting
        case .active: .running
        case .paused: .paused
        case .finished: .finished
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }
}
