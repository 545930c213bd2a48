/// The state of a download, with the reason for every wait and pause.
public enum DownloadState: Hashable, Sendable, Codable {
    /// It waits, and continues by itself when the condition is met.
    case waiting(WaitReason)
    /// It is running.
    case running
    /// It continues when it is resumed.
    case paused(PauseReason)
    /// The file is complete under its final name.
    case finished(FinishFacts)
    /// It failed; what can be resumed is kept.
    case failed(DownloadError)
    /// It was cancelled by the caller; the record stays.
    case cancelled(keptPartial: Bool)

    /// The states without associated values, for filters and counts.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// See `DownloadState.waiting`.
        case waiting
        /// See `DownloadState.running`.
        case running
        /// See `DownloadState.paused`.
        case paused
        /// See `DownloadState.finished`.
        case finished
        /// See `DownloadState.failed`.
        case failed
        /// See `DownloadState.cancelled`.
        case cancelled
    }

    /// The state without its associated value.
    public var kind: Kind {
        switch self {
        case .waiting: .waiting
        case .running: .running
        case .paused: .paused
        case .finished: .finished
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }

    /// True if it stays in this state until the caller acts.
    public var isFinal: Bool {
        switch self {
        case .waiting, .running, .paused: false
        case .finished, .failed, .cancelled: true
        }
    }
}

/// The reasons for a pause.
public enum PauseReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The caller paused it.
    case asked
    /// The manager is configured not to resume downloads after a relaunch.
    case relaunch
}
