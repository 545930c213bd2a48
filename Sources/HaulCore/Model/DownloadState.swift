/// Where a download stands in its life, with the reason for every wait and pause.
public enum DownloadState: Hashable, Sendable, Codable {
    /// It will go on by itself once what it waits for is there.
    case waiting(WaitReason)
    /// It is at work.
    case running
    /// It goes on when it is resumed.
    case paused(PauseReason)
    /// The file stands complete under its final name.
    case finished(FinishFacts)
    /// It ended without a file; what can be gone on with is kept.
    case failed(DownloadError)
    /// The caller ended it for good; the record stays.
    case cancelled(keptPartial: Bool)

    /// The states without what belongs to them, to filter and to count by.
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

    /// The state without what belongs to it.
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

    /// Whether nothing more happens to it unless the caller asks.
    public var isFinal: Bool {
        switch self {
        case .waiting, .running, .paused: false
        case .finished, .failed, .cancelled: true
        }
    }
}

/// Why a download is paused.
public enum PauseReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The caller asked for it.
    case asked
    /// The manager was configured not to go on by itself after a relaunch.
    case relaunch
}
