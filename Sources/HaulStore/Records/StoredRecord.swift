package import HaulCore

/// The position of a download in the list: smaller ones come first.
///
/// There are gaps between neighbours.
package typealias Position = Int64

/// All stored data of one download.
package struct StoredRecord: Sendable, Hashable, Identifiable {
    /// The download.
    package let id: DownloadID
    /// Its position in the list.
    package let position: Position
    /// The key with which it was added.
    package let key: String
    /// The spec, without secrets; `notBefore` has a precision of milliseconds.
    package let spec: DownloadSpec
    /// Its state, with all associated data.
    package let status: StoredStatus
    /// The final path, once it is known.
    package let targetPath: String?
    /// The size of the file, once it is known.
    package let totalBytes: Int64?
    /// The number of bytes that existed when this was written; the journal is more precise.
    package let doneBytes: Int64
    /// The identity of the partial file.
    package let fileID: FileIdentity?
    /// The facts of its last finish; a finished download can be repeated.
    package let lastFinish: FinishFacts?
    /// The time at which it was added, in milliseconds since 1970.
    package let added: Int64
    /// The time of the last change of its state, in milliseconds since 1970.
    package let changed: Int64
    /// The number of its host; see `Catalogue.hostName`.
    package let host: Int32
    /// The sources that it had before, newest last, in the form used in journals.
    ///
    /// A partial file of theirs is the download's own, and the next run must prove that the present source has the same
    /// file.
    package let replacedSources: [String]
    /// True if the spec had secrets, which are not stored.
    package let lacksSecrets: Bool
    /// False if no run was ever started; true if one was, or if that is unknown.
    package let hasBegun: Bool
}

extension StoredRecord {
    /// The state without associated data.
    package var state: StoredState { status.state }

    /// The facts that a decision about the download depends on.
    package var standing: StoredStanding { StoredStanding(id: id, state: state, hasBegun: hasBegun) }

    /// The reason why it is paused; nil if it is not.
    package var pauseReason: PauseReason? {
        if case .paused(let reason) = status { reason } else { nil }
    }

    /// The input for which it is held; nil if it is not.
    package var hold: WaitReason? {
        if case .held(let hold) = status { hold.waitReason } else { nil }
    }

    /// The reason why it failed, or why its link counts as expired.
    package var error: DownloadError? {
        switch status {
        case .failed(let error), .held(.linkExpired(let error)): error
        case .queued, .active, .paused, .held(.credentials), .finished, .cancelled: nil
        }
    }

    /// The facts of its finish; nil if it has not finished.
    package var finish: FinishFacts? {
        if case .finished(let facts) = status { facts } else { nil }
    }

    /// True if the partial file was kept when it was cancelled; nil if it was not cancelled.
    package var keptPartial: Bool? {
        if case .cancelled(let kept) = status { kept } else { nil }
    }
}

/// The part of a record that decisions about its download depend on.
package struct StoredStanding: Sendable, Hashable, Identifiable {
    /// The download.
    package let id: DownloadID
    /// Its state.
    package let state: StoredState
    /// See `StoredRecord.hasBegun`.
    package let hasBegun: Bool

    /// Creates the value.
    package init(id: DownloadID, state: StoredState, hasBegun: Bool) {
        (self.id, self.state, self.hasBegun) = (id, state, hasBegun)
    }
}
