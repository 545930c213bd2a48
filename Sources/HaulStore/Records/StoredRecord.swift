package import HaulCore

/// The place of a download in the list: the smaller one comes first.
///
/// Between neighbours there are gaps.
package typealias Position = Int64

/// All that is stored of one download.
package struct StoredRecord: Sendable, Hashable, Identifiable {
    /// The download.
    package let id: DownloadID
    /// Its place in the list.
    package let position: Position
    /// The identity that it was added with.
    package let key: String
    /// What was asked for, without secrets; `notBefore` to the millisecond.
    package let spec: DownloadSpec
    /// Where it stands, with all that belongs to it.
    package let status: StoredStatus
    /// The final path, once it is known.
    package let targetPath: String?
    /// The size of the file, once it is known.
    package let totalBytes: Int64?
    /// Bytes that were there when this was written; the journal knows better.
    package let doneBytes: Int64
    /// The file that the partial was.
    package let fileID: FileIdentity?
    /// How it finished last; a download that finished can be done again.
    package let lastFinish: FinishFacts?
    /// When it was added, in milliseconds since 1970.
    package let added: Int64
    /// When its state changed last, in milliseconds since 1970.
    package let changed: Int64
    /// The number of its host; see `Catalogue.hostName`.
    package let host: Int32
    /// The sources that it had before, the newest one last, as journals name them: what they brought is its own, and the next run has
    /// to prove that the present one has the same file.
    package let replacedSources: [String]
    /// Whether the spec held secrets, which the stored one lacks.
    package let lacksSecrets: Bool
}

extension StoredRecord {
    /// The state without what belongs to it.
    package var state: StoredState { status.state }

    /// Why it is paused; nil where it is not.
    package var pauseReason: PauseReason? {
        if case .paused(let reason) = status { reason } else { nil }
    }

    /// What the caller has to bring; nil where it is not held.
    package var hold: WaitReason? {
        if case .held(let hold) = status { hold.waitReason } else { nil }
    }

    /// Why it failed, or why its link counts as expired.
    package var error: DownloadError? {
        switch status {
        case .failed(let error), .held(.linkExpired(let error)): error
        case .queued, .active, .paused, .held(.credentials), .finished, .cancelled: nil
        }
    }

    /// How it finished; nil where it has not.
    package var finish: FinishFacts? {
        if case .finished(let facts) = status { facts } else { nil }
    }

    /// Whether the partial was kept when it was cancelled; nil where it was not.
    package var keptPartial: Bool? {
        if case .cancelled(let kept) = status { kept } else { nil }
    }
}
