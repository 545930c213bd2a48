#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An event of a download of a manager.
///
/// State events are numbered without gaps, are recorded before they are delivered, and reach every subscriber once and
/// in order (guarantee: events). Progress is not recorded: only the newest is delivered, and it carries the number of
/// the preceding state event.
public struct DownloadEvent: Hashable, Sendable, Codable {
    /// The number of the state event; for `progress` and `snapshot`, that of the last one before it.
    public var number: Int64
    /// The download.
    public var download: DownloadID
    /// The time of the event, to the millisecond.
    public var time: Date
    /// The kind of the event, with its data.
    public var kind: Kind

    /// Creates an event.
    public init(number: Int64, download: DownloadID, time: Date, kind: Kind) {
        self.number = number
        self.download = download
        self.time = time
        self.kind = kind
    }

    /// The kinds of events; later versions may add some, so a `switch` in another package needs a `default`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: Hashable, Sendable, Codable {
        /// The current state, sent first to a new subscriber. Not numbered.
        case snapshot(DownloadSnapshot)
        /// The current progress. Not numbered.
        case progress(TransferProgress)
        /// The download was added and waits for its turn.
        case added
        /// The server has responded, and the path of the file is known.
        case started(StartFacts)
        /// It waits; until a time, if that is known.
        case waiting(WaitReason, until: Date?)
        /// Something worth knowing that is not a failure.
        case notice(Notice)
        /// It was paused; everything is kept.
        case paused(PauseReason)
        /// It was resumed and waits for its turn.
        case resumed
        /// Its source was replaced.
        case sourceReplaced
        /// The file is complete under its final name.
        case finished(FinishFacts)
        /// It failed; what can be resumed is kept.
        case failed(DownloadError)
        /// It was cancelled by the caller.
        case cancelled(keptPartial: Bool)
        /// It was removed from the list together with these files.
        case removed(RemovedFiles)
        /// Its position in the list, its priority or its limits changed, or it runs again after it has waited for its
        /// next attempt.
        case changed

        /// True if it is recorded and has a number of its own.
        public var isNumbered: Bool {
            switch self {
            case .snapshot, .progress: false
            case .added, .started, .waiting, .notice, .paused, .resumed, .sourceReplaced, .finished, .failed,
                .cancelled, .removed, .changed:
                true
            }
        }

        /// True if it is the last event of a run: each run that began has exactly one.
        public var endsRun: Bool {
            switch self {
            case .paused, .finished, .failed, .cancelled, .removed: true
            case .waiting(let reason, _):
                switch reason {
                // A run that was interrupted by the end of the process waits to start again.
                case .space, .openFiles, .network, .meteredNetwork, .linkExpired, .credentials, .start: true
                case .turn, .host, .connections, .notBefore, .dependency, .serverAsked, .retrying: false
                }
            case .snapshot, .progress, .added, .started, .notice, .resumed, .sourceReplaced, .changed: false
            }
        }
    }
}

/// The files to delete when a record is removed.
public enum RemovedFiles: String, Hashable, Sendable, Codable, CaseIterable {
    /// None: the finished file and the partial file are kept.
    case none
    /// The partial file and its journal.
    case partial
    /// The finished file, too.
    case all
}
