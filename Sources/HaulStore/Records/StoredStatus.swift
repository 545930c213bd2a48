package import HaulCore

/// A stored state with all associated data, so that invalid combinations cannot be expressed.
package enum StoredStatus: Sendable, Hashable {
    /// See `StoredState.queued`.
    case queued
    /// See `StoredState.active`.
    case active
    /// See `StoredState.paused`.
    case paused(PauseReason)
    /// See `StoredState.held`.
    case held(Hold)
    /// See `StoredState.finished`.
    case finished(FinishFacts)
    /// See `StoredState.failed`.
    case failed(DownloadError)
    /// See `StoredState.cancelled`.
    case cancelled(keptPartial: Bool)

    /// Input that only the caller can provide.
    package enum Hold: Sendable, Hashable {
        /// A new source: the link has expired.
        case linkExpired(DownloadError)
        /// Headers or a password, which are never stored.
        case credentials

        /// The public representation.
        package var waitReason: WaitReason {
            switch self {
            case .linkExpired(let error): .linkExpired(error)
            case .credentials: .credentials
            }
        }
    }

    /// The state without associated data.
    package var state: StoredState {
        switch self {
        case .queued: .queued
        case .active: .active
        case .paused: .paused
        case .held: .held
        case .finished: .finished
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }
}
