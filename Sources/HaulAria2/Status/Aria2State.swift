package import HaulCore

/// The state of a download in aria2's terms.
package enum Aria2State: String, Hashable, Sendable, CaseIterable {
    case active
    case waiting
    case paused
    case error
    case complete
    case removed

    /// Creates the state for one of Haul's.
    ///
    /// A download that backs off after a failure is active, as in aria2. One that needs a new link or credentials
    /// continues only after they are provided, so it is paused.
    package init(_ state: DownloadState) {
        switch state {
        case .running: self = .active
        case .waiting(let reason):
            switch reason {
            case .retrying, .serverAsked, .connections: self = .active
            case .linkExpired, .credentials: self = .paused
            case .turn, .host, .start, .notBefore, .dependency, .space, .openFiles, .network, .meteredNetwork:
                self = .waiting
            }
        case .paused: self = .paused
        case .finished: self = .complete
        case .failed: self = .error
        case .cancelled: self = .removed
        }
    }

    /// True if `aria2.tellStopped` reports the state.
    package var isStopped: Bool {
        switch self {
        case .active, .waiting, .paused: false
        case .error, .complete, .removed: true
        }
    }
}

extension DownloadState {
    /// The error that is still to be resolved.
    package var failure: DownloadError? {
        switch self {
        case .failed(let error), .waiting(.linkExpired(let error)): error
        case .waiting(.credentials):
            DownloadError(
                .notAuthorized, "its headers or password were not stored: set them again with changeOption")
        case .waiting, .running, .paused, .finished, .cancelled: nil
        }
    }
}
