package import HaulCore

/// Where aria2 would say that a download stands.
package enum Aria2State: String, Hashable, Sendable, CaseIterable {
    case active
    case waiting
    case paused
    case error
    case complete
    case removed

    /// The word for a state of Haul's.
    ///
    /// One that backs off after a failure is at work, as with aria2. One that needs a new link or credentials goes on only when somebody
    /// does something about it: it is paused.
    package init(_ state: DownloadState) {
        switch state {
        case .running: self = .active
        case .waiting(let reason):
            switch reason {
            case .retrying, .serverAsked, .connections: self = .active
            case .linkExpired, .credentials: self = .paused
            case .turn, .host, .start, .notBefore, .space, .openFiles: self = .waiting
            }
        case .paused: self = .paused
        case .finished: self = .complete
        case .failed: self = .error
        case .cancelled: self = .removed
        }
    }

    /// Whether it is one of those that `aria2.tellStopped` tells.
    package var isStopped: Bool {
        switch self {
        case .active, .waiting, .paused: false
        case .error, .complete, .removed: true
        }
    }
}

extension DownloadState {
    /// What went wrong, and has not been put right.
    package var failure: DownloadError? {
        switch self {
        case .failed(let error), .waiting(.linkExpired(let error)): error
        case .waiting(.credentials):
            DownloadError(
                .notAuthorized, "its headers or password were not kept: change its options to give them again")
        case .waiting, .running, .paused, .finished, .cancelled: nil
        }
    }
}
