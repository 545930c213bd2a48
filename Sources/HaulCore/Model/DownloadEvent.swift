#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What happens to the downloads of a manager.
///
/// State events are numbered without gaps, are recorded before anybody hears of them, and come once and in order to every
/// subscriber (guarantee: events). Progress is not recorded: the newest wins, and it carries the number of the state event before it.
public struct DownloadEvent: Hashable, Sendable, Codable {
    /// The number of the state event, or of the last one before a `progress` or `snapshot`.
    public var number: Int64
    /// The download that it is about.
    public var download: DownloadID
    /// When it happened, to the millisecond.
    public var time: Date
    /// What happened.
    public var kind: Kind

    /// Makes an event.
    public init(number: Int64, download: DownloadID, time: Date, kind: Kind) {
        self.number = number
        self.download = download
        self.time = time
        self.kind = kind
    }

    /// What can happen.
    public enum Kind: Hashable, Sendable, Codable {
        /// What a subscriber hears first: the present state. Not numbered.
        case snapshot(DownloadSnapshot)
        /// How far it is. Not numbered.
        case progress(TransferProgress)
        /// It was added, and waits for its turn.
        case added
        /// The server has answered and the place of the file is known.
        case started(StartFacts)
        /// It waits; until when, if that is known.
        case waiting(WaitReason, until: Date?)
        /// Something worth knowing that is no failure.
        case notice(Notice)
        /// It stopped and kept everything.
        case paused(PauseReason)
        /// It may go on, and waits for its turn.
        case resumed
        /// It has another source now.
        case sourceReplaced
        /// The file stands complete under its final name.
        case finished(FinishFacts)
        /// It ended without a file; what can be gone on with is kept.
        case failed(DownloadError)
        /// The caller ended it for good.
        case cancelled(keptPartial: Bool)
        /// The record is gone, and with it these files.
        case removed(RemovedFiles)
        /// Its place in the list, its priority or its limits have changed.
        case changed

        /// Whether it is recorded and has a number of its own.
        public var isNumbered: Bool {
            switch self {
            case .snapshot, .progress: false
            case .added, .started, .waiting, .notice, .paused, .resumed, .sourceReplaced, .finished, .failed,
                .cancelled, .removed, .changed:
                true
            }
        }

        /// Whether it is the last one of a run: exactly one such event comes for each run that began.
        public var endsRun: Bool {
            switch self {
            case .paused, .finished, .failed, .cancelled, .removed: true
            case .waiting(let reason, _):
                switch reason {
                // A run that the end of the process interrupts waits to start again.
                case .space, .openFiles, .linkExpired, .credentials, .start: true
                case .turn, .host, .connections, .notBefore, .serverAsked, .retrying: false
                }
            case .snapshot, .progress, .added, .started, .notice, .resumed, .sourceReplaced, .changed: false
            }
        }
    }
}

/// Which files go when a record is removed.
public enum RemovedFiles: String, Hashable, Sendable, Codable, CaseIterable {
    /// None: the finished file and the partial stay.
    case none
    /// The partial and its journal.
    case partial
    /// The finished file, too.
    case all
}
