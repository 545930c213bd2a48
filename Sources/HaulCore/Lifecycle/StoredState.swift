/// The states that the catalogue stores.
///
/// There is no "pausing" and no "stopping": the stored state is what the caller wants, and a run that has not ended yet
/// exists in the process only. So after a crash at any instant, the record says what must happen next.
package enum StoredState: String, Hashable, Sendable, Codable, CaseIterable {
    /// It waits for its turn, or for a condition that needs no action of the caller.
    case queued
    /// It is running; if found at launch, it was interrupted.
    case active
    /// It was paused by the caller, or by the configuration at launch.
    case paused
    /// It waits for something that only the caller can provide: a new link, credentials.
    case held
    /// The file exists under its final name.
    case finished
    /// It failed.
    case failed
    /// It was cancelled by the caller.
    case cancelled

    /// The kind of the public state.
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
